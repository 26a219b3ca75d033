// SPDX-License-Identifier: Apache-2.0
// tests/cross/block_cross_test.cpp: golden and the other backends on edge cases, special and random
// blocks.
#include "catch.h"
#include "driver.h"
#include "mx/block/block.h"
#include "twins.h"

namespace {

void expect_agreement(const std::vector<cross::named_block>& blocks) {
  for (const golden::scale_rule rule : cross::both_rules) {
    const auto message = cross::first_difference(blocks, cross::block_operations(rule));
    INFO(message.value_or(""));
    CHECK_FALSE(message.has_value());
  }
  const auto message = cross::first_difference_of_parts(blocks);
  INFO(message.value_or(""));
  CHECK_FALSE(message.has_value());
}

/// Nothing is toggled under `quest`: mx::compare takes scales of the other rules alone.
std::vector<cross::operation> operations_under(const cross::rule_twins& rule) {
  if (rule.core == mx::scale_rule::quest) return {{cross::verb::quantize, rule.reference}};
  return cross::few_block_operations(rule.reference);
}

void expect_agreement_of_every_rule(const std::vector<cross::named_block>& blocks) {
  for (const cross::rule_twins& rule : cross::rules()) {
    if (mx::refusal_of({mx::block_formats::mxfp4, rule.core}) != mx::refusal::none) continue;
    const auto message = cross::first_difference(blocks, operations_under(rule));
    INFO(message.value_or(""));
    CHECK_FALSE(message.has_value());
  }
}

TEST_CASE("every_code_under_every_scale_byte_stands_for_the_same_bits") {
  for (unsigned scale = 0; scale < 256; ++scale) {
    for (unsigned code = 0; code < 16; ++code) {
      const auto byte = static_cast<std::uint8_t>(scale);
      const auto element = static_cast<std::uint8_t>(code);
      INFO("scale byte " << scale << ", code " << code);
      REQUIRE(golden::bits_of(golden::dequantize({byte, {element}})[0]) ==
              mx::bits_of(mx::dequantize(mx::e2m1{element}, mx::e8m0{byte})));
    }
  }
}

TEST_CASE("edges_of_scales_and_codes_agree") { expect_agreement(cross::edge_blocks()); }

TEST_CASE("zeros_subnormals_and_special_blocks_agree") {
  expect_agreement(cross::special_blocks());
}

TEST_CASE("operands_under_every_rule_agree_on_edges_of_scales_and_codes") {
  expect_agreement_of_every_rule(cross::edge_blocks());
}

TEST_CASE("operands_under_every_rule_agree_on_zeros_subnormals_and_special_blocks") {
  expect_agreement_of_every_rule(cross::special_blocks());
}

TEST_CASE("operands_under_every_rule_agree_on_random_blocks") {
  expect_agreement_of_every_rule(cross::random_blocks(20));
}

TEST_CASE("random_blocks_agree") { expect_agreement(cross::random_blocks(200)); }

}  // namespace
