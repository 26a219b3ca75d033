// SPDX-License-Identifier: Apache-2.0
// tests/cross/dot_cross_test.cpp: dot products of every model, golden against core and whole
// products.
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "catch.h"
#include "dot_driver.h"

namespace {

void expect_agreement(const std::vector<cross::dot_twins>& models, int count) {
  for (const cross::dot_twins& model : models) {
    const auto message = cross::first_difference(model, count);
    INFO(message.value_or(""));
    CHECK_FALSE(message.has_value());
  }
}

TEST_CASE("every_model_has_a_twin") {
  CHECK(cross::models_without_twin().empty());
  CHECK(cross::device_dots().size() > 100);
  CHECK(cross::generic_dots().size() > 90);
}

TEST_CASE("dot_products_of_devices_agree") { expect_agreement(cross::device_dots(), 30); }
TEST_CASE("dot_products_of_any_formats_agree") { expect_agreement(cross::generic_dots(), 15); }

TEST_CASE("many_dot_products_of_devices_agree", "[.][nightly]") {
  expect_agreement(cross::device_dots(), 500);
}
TEST_CASE("many_dot_products_of_any_formats_agree", "[.][nightly]") {
  expect_agreement(cross::generic_dots(), 250);
}

}  // namespace
