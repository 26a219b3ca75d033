// SPDX-License-Identifier: Apache-2.0
// golden/probe/probe_tensor.cpp: places blocks at seeded random positions among ordinary ones, in
// which a kernel shows whether it searches amax among all numbers; of a few seeds, takes the one
// that distinguishes the most recipes of places.
#include "golden/probe/probe_tensor.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "golden/probe/partition.h"
#include "golden/validator/tensor/numbers.h"
#include "golden/validator/tensor/rendering.h"
#include "mx/number/philox.h"
#include "mx/tensor/parallel.h"

namespace golden::probe {
namespace {

using validator::subject;

/// The smallest probe. For both numbers the next multiple of 4 differs from that of 8, and neither
/// is one: layouts pad to them.
constexpr std::uint64_t fewest_across = 17, fewest_rows = 3;
constexpr std::size_t most_blocks = fewest_across * fewest_rows;
constexpr const char* main_tensor = "x";
/// Ordinary blocks to leave where blocks need not fill the tensor: largest magnitudes of both signs
/// near the first and the last element.
constexpr std::size_t fewest_ordinary = 4;
/// Seeds to compare at most, and one if comparing takes long: positions of few blocks among many
/// distinguish all recipes of places anyway.
constexpr std::uint32_t seeds = 4;
constexpr std::uint64_t most_compared_elements = std::uint64_t{1} << 17;

/// Blocks of a tensor, down and across.
struct block_grid {
  std::uint64_t down, across;
};

/// A permutation drawn from a seed.
std::vector<std::size_t> drawn_order(std::size_t count, std::uint32_t seed) {
  std::vector<std::size_t> order = first_numbers(count);
  for (std::size_t k = count; k > 1; --k) {
    const std::uint32_t word = mx::philox(seed, {{static_cast<std::uint32_t>(k), 0, 0, 0}}).word[0];
    std::swap(order[k - 1], order[word % k]);
  }
  return order;
}

/// One tensor under construction.
class tensor_layout {
 public:
  tensor_layout(const probe_request& r, const block_pool& pool, const block_grid& grid)
      : request_(r), pool_(pool), grid_(grid), values_(size() * grid.down * grid.across) {}

  void put(std::size_t block, std::size_t place) { write(values_of(block), place); }
  /// The pool's first block with one peak at least four times all else, without which another scale
  /// would be chosen; halved a varying number of times so that scales differ.
  ///   number  of the ordinary block, which decides where its peak is, and the sign
  void put_ordinary(std::size_t number, std::size_t place) {
    const std::size_t first = pool_.anchored ? 1 : 0;
    std::vector<float> x = values_of(std::min(first, pool_.blocks() - 1));
    const float largest =
        std::abs(*std::ranges::max_element(x, {}, [](float v) { return std::abs(v); }));
    for (float& v : x) {
      if (std::abs(v) > largest / 4) v = std::ldexp(v, -2);
    }
    const std::size_t inward = number / 2 % x.size();
    x[number % 2 == 0 ? inward : x.size() - 1 - inward] = number / 2 % 2 == 0 ? largest : -largest;
    for (float& v : x) v = std::ldexp(v, -static_cast<int>(place % 9) - 1);
    write(x, place);
  }
  [[nodiscard]] probe_tensor finished(std::uint64_t telling) const {
    const auto rows = static_cast<std::uint64_t>(request_.format.rows);
    const auto columns = static_cast<std::uint64_t>(request_.format.columns);
    probe_tensor t{pool_.name, {grid_.down * rows, grid_.across * columns}, {}, 0, telling};
    if (request_.rows != 0) t.shape = {request_.rows, request_.columns};
    t.blocks = grid_.down * grid_.across;
    for (std::uint64_t r = 0; r < t.shape[0]; ++r) {
      for (std::uint64_t c = 0; c < t.shape[1]; ++c) {
        validator::append_number(request_.type, values_[r * grid_.across * columns + c], t.bytes);
      }
    }
    return t;
  }

 private:
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(request_.format.size());
  }
  [[nodiscard]] std::vector<float> values_of(std::size_t block) const {
    const auto first = pool_.values.begin() + static_cast<std::ptrdiff_t>(block * size());
    return {first, first + static_cast<std::ptrdiff_t>(size())};
  }
  void write(const std::vector<float>& x, std::size_t place) {
    const auto rows = static_cast<std::size_t>(request_.format.rows);
    const auto columns = static_cast<std::size_t>(request_.format.columns);
    const std::size_t top = place / grid_.across * rows, left = place % grid_.across * columns;
    for (std::size_t k = 0; k < x.size(); ++k) {
      values_[(top + k / columns) * grid_.across * columns + left + k % columns] = x[k];
    }
  }

  const probe_request& request_;
  const block_pool& pool_;
  block_grid grid_;
  std::vector<float> values_;
};

std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Grid of blocks for the requested shape, or for the smallest one.
block_grid grid_for(const probe_request& r, const block_pool& pool, std::uint64_t blocks) {
  const auto rows = static_cast<std::uint64_t>(r.format.rows);
  const auto columns = static_cast<std::uint64_t>(r.format.columns);
  if (r.rows != 0) return {divided_up(r.rows, rows), divided_up(r.columns, columns)};
  if (pool.name != main_tensor) return {1, blocks};
  return {std::max(fewest_rows, divided_up(blocks, fewest_across)), fewest_across};
}

/// Blocks entirely inside the tensor: those that the shape truncates distinguish less.
std::vector<std::size_t> whole_places(const probe_request& r, const block_grid& grid) {
  const auto rows = static_cast<std::uint64_t>(r.format.rows);
  const auto columns = static_cast<std::uint64_t>(r.format.columns);
  std::vector<std::size_t> places;
  for (std::uint64_t p = 0; p < grid.down * grid.across; ++p) {
    const bool cut = r.rows != 0 && ((p / grid.across + 1) * rows > r.rows ||
                                     (p % grid.across + 1) * columns > r.columns);
    if (!cut) places.push_back(p);
  }
  return places;
}

std::vector<std::size_t> blocks_of(const std::vector<pooled_block>& list, std::size_t pool) {
  std::vector<std::size_t> blocks;
  for (const pooled_block& at : list) {
    if (at.pool == pool) blocks.push_back(at.block);
  }
  return blocks;
}

probe_tensor laid_out(const probe_request& r, const block_pool& pool,
                      const std::vector<std::size_t>& blocks, std::size_t needed,
                      std::uint32_t seed) {
  const block_grid grid = grid_for(r, pool, needed);
  const std::vector<std::size_t> places = whole_places(r, grid);
  if (places.size() < needed) {
    throw std::invalid_argument("the probe needs " + std::to_string(needed) +
                                " whole blocks in a tensor, and that shape has " +
                                std::to_string(places.size()));
  }
  tensor_layout layout(r, pool, grid);
  const std::vector<std::size_t> order = drawn_order(places.size(), seed);
  const std::size_t room = places.size() - std::min(places.size(), fewest_ordinary);
  const std::size_t count = std::max(needed, std::min(blocks.size(), room));
  std::vector<bool> is_telling(grid.down * grid.across);
  for (std::size_t k = 0; k < count; ++k) {
    is_telling[places[order[k]]] = true;
    layout.put(blocks[k], places[order[k]]);
  }
  std::size_t ordinary = 0;
  for (std::size_t p = 0; p < is_telling.size(); ++p) {
    if (!is_telling[p]) layout.put_ordinary(ordinary++, p);
  }
  return layout.finished(count);
}

std::vector<probe_tensor> tensors_of(const probe_request& r, const std::vector<block_pool>& pools,
                                     const probe_choice& choice, std::uint32_t seed) {
  std::vector<probe_tensor> tensors;
  for (std::size_t pool = 0; pool < pools.size(); ++pool) {
    std::vector<std::size_t> blocks = blocks_of(choice.blocks, pool);
    const std::size_t needed = blocks.size();
    if (needed == 0) continue;
    const std::vector<std::size_t> more = blocks_of(choice.more, pool);
    blocks.insert(blocks.end(), more.begin(), more.end());
    tensors.push_back(laid_out(r, pools[pool], blocks, needed, seed));
  }
  return tensors;
}

/// Bytes and sizes of a recipe's result for a tensor; the recipe's own name if it has none.
std::string rendering_of(const known_recipe& k, const subject& s,
                         validator::extent_memory& extents) {
  if (!validator::geometry::of(k.rules, s)) return k.name;
  const validator::prediction p(k.rules, s, extents);
  const validator::rendered made = render(p);
  std::string bytes = std::to_string(made.codes.size()) + " ";
  bytes.append(made.codes.begin(), made.codes.end());
  bytes.append(made.scales.begin(), made.scales.end());
  for (const float scale : p.written_tensor_scales()) {
    bytes.append(reinterpret_cast<const char*>(&scale), sizeof scale);
  }
  return bytes;
}

}  // namespace

std::uint64_t probe::blocks() const {
  std::uint64_t count = 0;
  for (const probe_tensor& t : tensors) count += t.blocks;
  return count;
}

subject subject_of(const probe_tensor& t, mx::number_type type) {
  return {.name = t.name, .type = type, .values = t.bytes, .shape = t.shape};
}

std::vector<std::vector<std::size_t>> groups_on(const std::vector<probe_tensor>& tensors,
                                                mx::number_type type,
                                                const std::vector<known_recipe>& recipes) {
  std::vector<std::string> bytes(recipes.size());
  for (const probe_tensor& t : tensors) {
    const subject s = subject_of(t, type);
    validator::extent_memory extents;
    mx::for_each_in_parallel(
        recipes.size(), [&](std::size_t k) { bytes[k] += rendering_of(recipes[k], s, extents); });
  }
  partition parts(first_numbers(recipes.size()));
  parts.split_by([&bytes](std::size_t k) { return bytes[k]; });
  std::vector<std::vector<std::size_t>> groups = parts.all();
  std::sort(groups.begin(), groups.end());
  return groups;
}

probe make_probe(const probe_request& r, probe_part part) {
  if (r.format.tensor == mx::tensor_scaling::per_row) {
    throw std::invalid_argument("a probe has one scale for a tensor; leave `row` out");
  }
  const std::vector<block_pool> pools = block_pools(r.format, r.type);
  const probe_choice choice =
      choose_blocks(pools, r.format, known_recipes(r.format, {1, 1}), most_blocks);
  const bool large = r.rows * r.columns > most_compared_elements;
  if (large && part == probe_part::tensors) return {tensors_of(r, pools, choice, 0), {}, {}};
  probe best;
  for (std::uint32_t seed = 0; seed < (large ? 1 : seeds); ++seed) {
    probe p{tensors_of(r, pools, choice, seed), {}, {}};
    p.recipes = known_recipes(r.format, p.tensors.front().shape);
    p.groups = groups_on(p.tensors, r.type, p.recipes);
    if (p.groups.size() <= best.groups.size()) break;
    best = std::move(p);
  }
  return best;
}

}  // namespace golden::probe
