// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/probe_block.cpp: the candidate inputs, and the search among them.
#include "probe_block.h"

#include <algorithm>
#include <array>

#include "mx/number/philox.h"
#include "numbers.h"
#include "rendering.h"

namespace golden::validator {
namespace {

constexpr std::uint64_t blocks_in_a_row = 8;

/// A number with a random significand and sign in [2^exponent, 2^(exponent + 1)).
float drawn(std::uint64_t index, int exponent) {
  const std::uint32_t word = mx::philox(7, {{static_cast<std::uint32_t>(index), 0, 0, 0}}).word[0];
  const auto field = static_cast<std::uint32_t>(std::clamp(exponent + 127, 0, 254));
  return mx::float_of((word & 0x80000000U) | field << 23 | (word & 0x7FFFFFU));
}

/// Numbers of a few binades, every block with an exponent of its own.
probe_input ordinary(const mx::block_format& f, std::string what, std::uint64_t tile_rows = 8) {
  const auto columns = static_cast<std::uint64_t>(f.columns);
  const std::uint64_t rows = f.rows > 1 ? 2 * static_cast<std::uint64_t>(f.rows) : tile_rows;
  probe_input p{std::move(what), {rows, blocks_in_a_row * columns}, {}};
  for (std::uint64_t k = 0; k < rows * blocks_in_a_row * columns; ++k) {
    const std::uint64_t block = k / columns;
    const auto spread =
        static_cast<int>(mx::philox(9, {{static_cast<std::uint32_t>(k), 0, 0, 0}}).word[1] % 6);
    p.values.push_back(drawn(k, static_cast<int>(block % 13) - 6 - spread));
  }
  return p;
}

/// Ordinary numbers whose first row begins with blocks of the given numbers, repeated.
probe_input with_block(const mx::block_format& f, std::string what,
                       const std::vector<float>& numbers) {
  probe_input p = ordinary(f, std::move(what), 1);
  for (std::uint64_t row = 0; row < static_cast<std::uint64_t>(f.rows); ++row) {
    for (std::uint64_t c = 0; c < static_cast<std::uint64_t>(f.columns); ++c) {
      p.values[row * p.shape[1] + c] = numbers[c % numbers.size()];
    }
  }
  return p;
}

float next_after(float x, int steps) {
  return mx::float_of(static_cast<std::uint32_t>(static_cast<int>(mx::bits_of(x)) + steps));
}

std::string beside_middle(int steps) {
  return "numbers " + std::to_string(steps < 0 ? -steps : steps) + " ULP " +
         (steps < 0 ? "below" : "above") + " the middle between two elements";
}

/// Midpoints of neighbouring elements, under a scale of one.
std::vector<float> midpoints(const mx::format& element, int steps) {
  std::vector<float> points{mx::to_binary32(mx::decode(element, element.max_code()))};
  const std::uint32_t step = std::max(1U, element.max_code() / 31);
  for (std::uint32_t code = 0; code + 1 <= element.max_code(); code += step) {
    const float low = mx::to_binary32(mx::decode(element, code));
    const float high = mx::to_binary32(mx::decode(element, code + 1));
    const float middle = next_after(0.5F * (low + high), steps);  // exact: two more bits
    points.push_back(code % 2 == 0 ? middle : -middle);
  }
  return points;
}

void append_magnitudes(const mx::block_format& f, std::vector<probe_input>& list) {
  const float largest = mx::to_binary32(mx::decode(f.element, f.element.max_code()));
  const float power = mx::float_of(static_cast<std::uint32_t>(127 + f.element.emax()) << 23);
  const auto append = [&](std::string what, float x) {
    list.push_back(with_block(f, std::move(what), {x, 0.3F * x, -0.13F * x, 0.05F * x}));
  };
  append("a largest magnitude that is a power of two", power);
  append("a largest magnitude one ULP above a power of two", next_after(power, 1));
  append("a largest magnitude one ULP below a power of two", next_after(2 * power, -1));
  append("a largest magnitude equal to the largest element", largest);
  append("a largest magnitude one ULP above the largest element", next_after(largest, 1));
  append("a largest magnitude between the largest element and the next power of two",
         0.5F * (largest + 2 * power));
  append("a largest magnitude far above one", 0x1.234568p+100F);
  append("FLT_MAX", 0x1.fffffep+127F);
  append("a subnormal block", 0x1p-127F);
  append("a block of the smallest numbers", 0x1p-148F);
  append("a block near 2^-125", 0x1.8p-125F);
}

/// NVFP4 under a tensor whose largest magnitude is 3.7: block magnitudes at which orders of
/// operations round to different scale bytes.
probe_input decided_by_order(const mx::block_format& f) {
  probe_input p = ordinary(f, "blocks whose scale byte the order of operations decides", 1);
  const std::array<std::uint32_t, 8> largest{0x406CCCCDU, 0x3C7541D5U, 0x3CE457C5U, 0x3DD36DB8U,
                                             0x3C7541D5U, 0x3CE457C5U, 0x3DD36DB8U, 0x3F800000U};
  const std::uint64_t columns = static_cast<std::uint64_t>(f.columns);
  for (std::uint64_t k = 0; k < p.values.size(); ++k) {
    const std::uint64_t position = k % p.shape[1];
    const float amax = mx::float_of(largest[position / columns % largest.size()]);
    const auto part = static_cast<float>(1 + (5 * position) % columns);
    p.values[k] = amax * (part / static_cast<float>(columns));
  }
  return p;
}

/// Rounds the numbers to a type, and returns their bytes.
std::vector<std::uint8_t> stored_as(mx::number_type type, std::vector<float>& values) {
  using enum mx::number_type;
  std::vector<std::uint8_t> bytes;
  for (float& x : values) {
    if (type != fp32) x = rounded_to(type == bf16 ? precision::bfloat16 : precision::binary16, x);
    append_number(type, x, bytes);
  }
  return bytes;
}

std::vector<float> first_difference(const prediction& a, const prediction& b,
                                    const probe_input& input) {
  std::uint64_t block = 0;
  const std::uint64_t common = std::min(a.where().blocks(), b.where().blocks());
  const bool comparable = a.where().columns() == b.where().columns();
  for (std::uint64_t k = 0; comparable && k < common; ++k) {
    if (same_on(a, b, k)) continue;
    block = k;
    break;
  }
  const geometry& g = a.where();
  const block_place at = g.place(block);
  std::vector<float> values;
  for (std::uint64_t c = 0; c < g.columns(); ++c) {
    const std::uint64_t position = at.along * g.columns() + c;
    if (position < g.shape().length) values.push_back(input.values[g.value_at(at, 0, position)]);
  }
  return values;
}

bool same_places(const hypothesis& a, const hypothesis& b) {
  return a.axis == b.axis && a.order == b.order && a.recipe.codes == b.recipe.codes &&
         a.recipe.layout == b.recipe.layout && a.placement == b.placement &&
         a.format().rows == b.format().rows && a.format().columns == b.format().columns;
}

bool same_bytes(const prediction& a, const prediction& b) {
  if (!same_places(a.kernel(), b.kernel())) return render(a) == render(b);
  for (std::uint64_t block = 0; block < a.where().blocks(); ++block) {
    if (!same_on(a, b, block)) return false;
  }
  return true;
}

/// Where two hypotheses differ on an input: the first block, or nothing.
std::optional<std::vector<float>> differing_block(const hypothesis& a, const hypothesis& b,
                                                  mx::number_type type, probe_input& input) {
  const std::vector<std::uint8_t> stored = stored_as(type, input.values);
  const subject s{.type = type, .values = stored, .shape = input.shape};
  if (!geometry::of(a, s) || !geometry::of(b, s)) return {};
  extent_memory extents;
  const prediction of_a(a, s, extents), of_b(b, s, extents);
  if (same_bytes(of_a, of_b)) return {};
  return first_difference(of_a, of_b, input);
}

/// Numbers of an input that tell the hypotheses apart as a tensor of one row: under a tensor scale
/// a block's codes depend on the others.
std::optional<std::vector<float>> telling_alone(const hypothesis& a, const hypothesis& b,
                                                mx::number_type type, const probe_input& input,
                                                const std::vector<float>& block) {
  for (const std::vector<float>* numbers : {&block, &input.values}) {
    probe_input row{"", {1, numbers->size()}, *numbers};
    if (differing_block(a, b, type, row)) return row.values;
  }
  return {};
}

}  // namespace

std::vector<probe_input> probe_candidates(const mx::block_format& f) {
  const float nan = mx::float_of(0x7FC00000U), infinity = mx::float_of(0x7F800000U);
  std::vector<probe_input> list{ordinary(f, "ordinary numbers, every block with another exponent")};
  list.push_back(with_block(f, "numbers half way between two elements", midpoints(f.element, 0)));
  for (const int steps : {1, -1, 3}) {
    list.push_back(with_block(f, beside_middle(steps), midpoints(f.element, steps)));
  }
  append_magnitudes(f, list);
  if (f.scale == mx::formats::ue4m3) list.push_back(decided_by_order(f));
  list.push_back(with_block(f, "a block of zeros", {0.0F}));
  list.push_back(with_block(f, "a block with zeros of both signs", {0.0F, -0.0F, 1.0F, -1e-30F}));
  list.push_back(with_block(f, "a block with a NaN", {1.0F, -2.5F, nan, 0.7F}));
  list.push_back(with_block(f, "a block with a NaN that has a sign",
                            {1.0F, -2.5F, mx::float_of(0xFFC00000U), 0.7F}));
  list.push_back(with_block(f, "a block of NaN alone", {nan}));
  list.push_back(with_block(f, "a block with an Inf", {1.0F, -2.5F, infinity, -infinity}));
  list.push_back(with_block(f, "a block with NaN and Inf", {1.0F, nan, infinity, -2.5F}));
  return list;
}

std::optional<telling_probe> telling(const hypothesis& a, const hypothesis& b,
                                     mx::number_type type) {
  // Blocks of a whole tensor depend on each other: none alone tells hypotheses apart.
  if (is_of_whole(a) || is_of_whole(b)) return {};
  const bool scaled = a.format().has_tensor_scale() || b.format().has_tensor_scale();
  std::optional<telling_probe> in_words;
  for (probe_input& input : probe_candidates(a.format())) {
    std::optional<std::vector<float>> block = differing_block(a, b, type, input);
    if (block && scaled) {
      if (!in_words) in_words = telling_probe{input, {}};
      block = telling_alone(a, b, type, input, *block);
    }
    if (block) return telling_probe{std::move(input), *std::move(block)};
  }
  return in_words;
}

}  // namespace golden::validator
