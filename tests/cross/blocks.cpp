// SPDX-License-Identifier: Apache-2.0
// tests/cross/blocks.cpp: blocks of 32 FP32 numbers that a quantizer may get wrong.
#include "blocks.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <random>

#include "golden/reference/quantizer.h"

namespace cross {
namespace {

using golden::float_of;
using golden::rational;
using floats = std::vector<float>;

constexpr std::uint32_t sign_bit = 0x80000000U;
constexpr std::uint32_t largest_finite = 0x7f7fffffU;

std::string hex(std::uint32_t bits) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", bits);
  return text;
}

// Midpoints of the grid: where rounding can go wrong, in units of a scale.
const std::vector<rational>& midpoints() {
  static const std::vector<rational> list{{1, 4}, {3, 4}, {5, 4}, {7, 4}, {5, 2}, {7, 2}, 5, 6};
  return list;
}

// The magnitude nearest to a value and its neighbours, as patterns.
void add_neighbourhood(std::vector<std::uint32_t>& list, const rational& value) {
  const std::uint32_t bits = golden::round_to_binary32(value, golden::zero_sign::positive);
  for (const std::uint32_t b : {bits == 0 ? 0 : bits - 1, bits, bits + 1}) list.push_back(b);
}

// Magnitudes up to amax that lie beside a decision at either rule's scale or at amax / 6.
std::vector<std::uint32_t> critical_patterns(std::uint32_t amax_bits) {
  const rational amax = golden::value_of(float_of(amax_bits)).magnitude;
  std::vector<rational> scales{amax / 6};
  for (const auto rule : {golden::scale_rule::floor, golden::scale_rule::rceil}) {
    scales.push_back(golden::scale_value(golden::scale_byte(amax, rule)));
  }
  std::vector<std::uint32_t> patterns;
  for (const rational& scale : scales) {
    for (const rational& middle : midpoints()) add_neighbourhood(patterns, middle * scale);
  }
  std::sort(patterns.begin(), patterns.end());
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  patterns.erase(std::upper_bound(patterns.begin(), patterns.end(), amax_bits), patterns.end());
  return patterns;
}

// Distributes patterns over blocks, each with amax in front; signs alternate.
void add_blocks_with_amax(std::vector<named_block>& list, std::uint32_t amax_bits,
                          const std::vector<std::uint32_t>& patterns) {
  constexpr std::size_t room = golden::block_elements - 1;
  for (std::size_t first = 0; first < patterns.size(); first += room) {
    floats values{float_of(amax_bits ^ (first / room % 2 == 0 ? 0 : sign_bit))};
    for (std::size_t i = first; i < std::min(first + room, patterns.size()); ++i) {
      values.push_back(float_of(patterns[i] ^ (i % 2 == 0 ? 0 : sign_bit)));
    }
    values.resize(golden::block_elements, -0.0F);
    list.push_back({"edges of amax " + hex(amax_bits) + " from " + std::to_string(first), values});
  }
}

floats filled(float value) { return floats(golden::block_elements, value); }

floats ramp_with(std::size_t at, std::uint32_t bits) {
  floats values = filled(0.0F);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) - 9.5F;
  values[at] = float_of(bits);
  return values;
}

// A pattern whose exponent field lies in [lowest, lowest + binades).
float pattern_in(std::mt19937& random, unsigned lowest, unsigned binades) {
  const auto field = static_cast<std::uint32_t>(lowest + random() % binades);
  const auto rest = static_cast<std::uint32_t>(random()) & 0x807fffffU;
  return float_of(rest | std::min(field, 254U) << 23);
}

}  // namespace

std::vector<named_block> edge_blocks() {
  std::vector<named_block> list;
  for (const int exponent : {-126, -125, -124, -123, -60, -1, 0, 63, 120, 125, 126, 127}) {
    for (const std::uint32_t fraction : {0U, 0x400000U, 0x600000U}) {  // 4 and 8, 6, 7
      const std::uint32_t middle = (static_cast<std::uint32_t>(exponent + 127) << 23) + fraction;
      for (const std::uint32_t amax : {middle - 1, middle, middle + 1}) {
        add_blocks_with_amax(list, amax, critical_patterns(amax));
      }
    }
  }
  add_blocks_with_amax(list, largest_finite, critical_patterns(largest_finite));
  return list;
}

std::vector<named_block> special_blocks() {
  std::vector<named_block> list;
  list.push_back({"zeros", filled(0.0F)});
  list.push_back({"negative zeros", filled(-0.0F)});
  list.push_back({"FLT_MAX", filled(float_of(largest_finite))});
  list.push_back({"-FLT_MAX", filled(-float_of(largest_finite))});
  for (std::uint32_t amax = 1; amax <= 48; ++amax) {
    floats values;
    for (std::uint32_t i = 0; i < golden::block_elements; ++i) {
      const std::uint32_t magnitude = amax > i ? amax - i : i % (amax + 1);
      values.push_back(float_of(magnitude | (i % 3 == 1 ? sign_bit : 0)));
    }
    list.push_back({"subnormals up to " + std::to_string(amax), values});
  }
  for (const std::uint32_t bits : {0x7f800000U, 0xff800000U, 0x7fc00000U, 0xffc00000U, 0x7f800001U,
                                   0xffbfffffU, 0x7fffffffU}) {
    for (const std::size_t at : {0U, 17U, 31U}) {
      list.push_back({hex(bits) + " at " + std::to_string(at), ramp_with(at, bits)});
    }
    list.push_back({"all " + hex(bits), filled(float_of(bits))});
  }
  return list;
}

std::vector<named_block> random_blocks(int count) {
  struct range {
    unsigned lowest, binades;
  };
  constexpr range ranges[] = {{120, 3}, {118, 6}, {100, 40}, {0, 255}, {0, 4}, {248, 7}, {0, 2}};
  std::mt19937 random(20);
  std::vector<named_block> list;
  for (int i = 0; i < count; ++i) {
    const range r = ranges[static_cast<std::size_t>(i) % std::size(ranges)];
    floats values;
    for (int k = 0; k < golden::block_elements; ++k) {
      values.push_back(pattern_in(random, r.lowest, r.binades));
    }
    list.push_back({"random " + std::to_string(i), values});
  }
  return list;
}

std::vector<named_block> vectors_of(const std::vector<named_block>& blocks) {
  constexpr std::size_t in_a_row = 5;
  std::vector<named_block> list;
  for (std::size_t first = 0; first < blocks.size(); first += in_a_row) {
    named_block joined{"from " + blocks[first].name, {}};
    for (std::size_t i = first; i < std::min(first + in_a_row, blocks.size()); ++i) {
      joined.values.insert(joined.values.end(), blocks[i].values.begin(), blocks[i].values.end());
    }
    list.push_back(joined);
  }
  return list;
}

}  // namespace cross
