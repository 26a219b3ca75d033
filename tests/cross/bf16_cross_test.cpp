// SPDX-License-Identifier: Apache-2.0
// tests/cross/bf16_cross_test.cpp: all 65,536 BF16 patterns under a sweep of scales.
#include <cstdio>

#include "catch.h"
#include "driver.h"

namespace {

using golden::float_of;

float from_bf16(std::uint32_t pattern) { return float_of(pattern << 16); }

// Every pattern of one exponent field, both signs, in blocks whose first element is amax.
void add_binade(std::vector<cross::named_block>& list, std::uint32_t field, std::uint32_t amax) {
  std::vector<float> values;
  const auto flush = [&] {
    char name[64];
    std::snprintf(name, sizeof name, "exponent field %u, amax 0x%04x, block %zu", field, amax,
                  list.size());
    values.resize(golden::block_elements, 0.0F);
    list.push_back({name, values});
    values.clear();
  };
  for (std::uint32_t i = 0; i < 256; ++i) {
    if (values.empty()) values.push_back(from_bf16(amax));
    values.push_back(from_bf16((i & 128U) << 8 | field << 7 | (i & 127U)));
    if (values.size() == golden::block_elements) flush();
  }
  if (values.size() > 1) flush();
}

// amax is the largest pattern `distance` binades above the elements. Under floor that puts them at
// [4, 8) / 2^distance scales, under rceil at half of it.
std::vector<cross::named_block> all_patterns_below(std::uint32_t distance) {
  std::vector<cross::named_block> list;
  for (std::uint32_t field = 0; field < 255; ++field) {
    add_binade(list, field, std::min(field + distance, 254U) << 7 | 127U);
  }
  return list;
}

TEST_CASE("all_bf16_patterns_agree_under_a_sweep_of_scales") {
  for (std::uint32_t distance = 0; distance <= 5; ++distance) {
    const auto blocks = all_patterns_below(distance);
    for (const golden::scale_rule rule : cross::both_rules) {
      const auto message = cross::first_difference(
          blocks, {{cross::verb::codes, rule}, {cross::verb::quantize, rule}});
      INFO(message.value_or(""));
      REQUIRE_FALSE(message.has_value());
    }
  }
}

TEST_CASE("every_bf16_nan_and_infinity_makes_a_special_block") {
  std::vector<cross::named_block> blocks;
  add_binade(blocks, 255, 0x3f80);
  const auto message = cross::first_difference(
      blocks, {{cross::verb::codes, golden::scale_rule::floor}, {cross::verb::quantize}});
  INFO(message.value_or(""));
  CHECK_FALSE(message.has_value());
}

}  // namespace
