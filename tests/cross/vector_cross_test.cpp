// SPDX-License-Identifier: Apache-2.0
// tests/cross/vector_cross_test.cpp: macro blocks and outlier fallback over mixed vectors.
#include "catch.h"
#include "driver.h"

namespace {

void expect_agreement(const std::vector<cross::named_block>& blocks) {
  for (const golden::scale_rule rule : cross::both_rules) {
    const auto message =
        cross::first_difference(cross::vectors_of(blocks), cross::vector_operations(rule));
    INFO(message.value_or(""));
    CHECK_FALSE(message.has_value());
  }
}

TEST_CASE("corrections_of_edge_blocks_agree") { expect_agreement(cross::edge_blocks()); }
TEST_CASE("corrections_of_special_blocks_agree") { expect_agreement(cross::special_blocks()); }
TEST_CASE("corrections_of_random_blocks_agree") { expect_agreement(cross::random_blocks(100)); }

}  // namespace
