// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/stochastic_neighbours.cpp: neighbours are the results for all random bits
// 0 and all random bits 1; probabilities are counted by the rule itself.
#include "stochastic_neighbours.h"

#include <algorithm>
#include <atomic>

#include "dimension_words.h"
#include "mx/recipe_words.h"
#include "mx/tensor/parallel.h"

namespace golden::validator {
namespace {

/// Elements in the frequency count: sums stay below 2^31, and their squares fit in 64 bits.
constexpr std::int64_t counted_elements = 1 << 16;

/// Bits that determine which codes are neighbours: PTX presets use 8, others up to 24.
int bits_of_neighbours(const hypothesis& r) { return r.variant() != nullptr ? 8 : 24; }

/// One output checked against the neighbours.
class neighbour_check {
 public:
  neighbour_check(const hypothesis& r, const subject& s, extent_memory& extents)
      : p_(r, s, extents), elements_(static_cast<std::size_t>(r.format().size())) {}

  [[nodiscard]] const prediction& of() const { return p_; }

  /// Whether a block's codes are neighbours and its scale is right.
  [[nodiscard]] bool accepts(std::uint64_t block) const {
    const neighbours n = neighbours_of(block);
    if (n.found.scale != n.low.scale) return false;
    for (std::size_t k = 0; k < elements_; ++k) {
      if (n.found.codes[k] != n.low.codes[k] && n.found.codes[k] != n.high.codes[k]) return false;
    }
    return true;
  }

  /// Of 256 draws the first ones give the lower codes; bisection finds how many, from 0 to 256.
  void count(std::uint64_t block, neighbour_counts& counts) const {
    const neighbours n = neighbours_of(block);
    predicted_block own, made;
    p_.make(block, own);
    made.drawn_bits = 8;
    std::vector<std::uint32_t> lower(elements_, 0);
    for (const std::uint32_t step : {128U, 64U, 32U, 16U, 8U, 4U, 2U, 1U, 1U}) {
      made.drawn = lower;
      for (std::uint32_t& value : made.drawn) value += step - 1;
      p_.make(block, made);
      for (std::size_t k = 0; k < elements_; ++k) {
        if (made.codes[k] == n.low.codes[k]) lower[k] += step;
      }
    }
    for (std::size_t k = 0; k < elements_ && counts.all.elements < counted_elements; ++k) {
      if (n.low.codes[k] == n.high.codes[k]) continue;
      const std::int64_t p = 256 - std::int64_t{lower[k]};
      counts.add(n.low.codes[k], p, n.found.codes[k] == n.high.codes[k]);
      counts.differing += n.found.codes[k] == own.codes[k] ? 0 : 1;
      counts.due_to_differ += 2 * p * (256 - p);
    }
  }

 private:
  struct neighbours {
    found_block found;
    predicted_block low, high;
  };
  [[nodiscard]] neighbours neighbours_of(std::uint64_t block) const {
    const int bits = bits_of_neighbours(p_.kernel());
    return {found_at(p_, block), drawn(block, bits, 0), drawn(block, bits, (1U << bits) - 1)};
  }
  [[nodiscard]] predicted_block drawn(std::uint64_t block, int bits, std::uint32_t value) const {
    predicted_block made;
    made.drawn_bits = bits;
    made.drawn.assign(elements_, value);
    p_.make(block, made);
    return made;
  }

  prediction p_;
  std::size_t elements_;
};

hypothesis rules_drawn(const hypothesis& declared) {
  hypothesis r = declared;
  if (r.variant() == nullptr) r.recipe.rules.rounding = mx::rounding::stochastic;
  return r;
}

/// Counts blocks spread over a tensor, and checks each of them.
bool accepts_some(const neighbour_check& check, neighbour_counts& counts) {
  const std::uint64_t blocks = check.of().where().blocks();
  const auto size = static_cast<std::uint64_t>(check.of().kernel().format().size());
  const std::uint64_t step = blocks / (static_cast<std::uint64_t>(counted_elements) / size + 1) + 1;
  for (std::uint64_t b = 0; b < blocks; b += step) {
    if (!check.accepts(b)) return false;
    if (counts.all.elements < counted_elements) check.count(b, counts);
  }
  return true;
}

bool accepts_all(const neighbour_check& check) {
  std::atomic<bool> all{true};
  mx::in_parallel({0, check.of().where().blocks()}, 64, [&](mx::index_range part) {
    for (std::uint64_t b = part.first; b < part.last && all; ++b) {
      if (!check.accepts(b)) all = false;
    }
  });
  return all;
}

/// Whether other random bits than the declared ones can be the cause: about as many codes differ as
/// are due, not a few.
bool differ_as_due(const neighbour_counts& counts) {
  return counts.differing << 17 >= counts.due_to_differ;
}

bool can_be_drawn(const hypothesis& declared, std::span<const subject> subjects) {
  if (declared.arithmetic != nullptr || is_of_whole(declared)) return false;
  if (declared.variant() != nullptr && !draws_bits(*declared.variant())) return false;
  return fits_all(rules_drawn(declared), subjects);
}

}  // namespace

void draw_counts::add(std::int64_t p, bool upper) {
  const std::int64_t difference = (upper ? 256 : 0) - p, w = p - 128;
  ++elements;
  excess += difference;
  variance += p * (256 - p);
  tendency += w * difference;
  spread += w * w * p * (256 - p);
  all_lower += p;
  to_nearest += std::abs(w) * std::min(p, 256 - p);
}

namespace {

bool is_within(std::int64_t sum, std::int64_t square) { return sum * sum <= 36 * square; }

}  // namespace

bool draw_counts::can_be_drawn() const {
  return is_within(excess, variance) && is_within(tendency, spread);
}

bool draw_counts::settle() const {
  constexpr std::int64_t fewest = 512;
  return elements >= fewest && !is_within(all_lower, variance) && !is_within(to_nearest, spread);
}

void neighbour_counts::add(std::uint8_t lower, std::int64_t p, bool upper) {
  all.add(p, upper);
  of_lower[lower].add(p, upper);
}

bool neighbour_counts::are_due() const {
  return all.can_be_drawn() && all.settle() &&
         std::ranges::all_of(of_lower, &draw_counts::can_be_drawn);
}

std::optional<explanation> drawn_otherwise(const hypothesis& declared,
                                           std::span<const subject> subjects) {
  if (!can_be_drawn(declared, subjects)) return {};
  const hypothesis r = rules_drawn(declared);
  extent_memory extents;
  std::vector<neighbour_check> checks;
  for (const subject& s : subjects) checks.emplace_back(r, s, extents);
  neighbour_counts counts;
  for (const neighbour_check& check : checks) {
    if (!check.of().agrees_on_tensor_scales() || !accepts_some(check, counts)) return {};
  }
  if (!counts.are_due() || (mx::draws_bits(declared.recipe) && !differ_as_due(counts))) return {};
  if (!std::all_of(checks.begin(), checks.end(), accepts_all)) return {};
  hypothesis found = r;
  found.drawn = drawn_bits::unknown;
  return explanation{
      {{name_of(dimension::element_rounding), word_of(declared, dimension::element_rounding),
        "stochastic: each code is one of both neighbours, the upper one as often as "
        "is due; seed not found"}},
      found};
}

}  // namespace golden::validator
