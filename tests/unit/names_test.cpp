// SPDX-License-Identifier: Apache-2.0
#include "mx/names.h"

#include <set>
#include <string>

#include "catch.h"

namespace {

template <class Table>
void expect_distinct_names(const Table& table) {
  std::set<std::string> names;
  for (const auto& entry : table) {
    CAPTURE(std::string(entry.name));
    CHECK(names.insert(std::string(entry.name)).second);
    CHECK_FALSE(entry.name.empty());
    CHECK_FALSE(entry.sentence.empty());
    CHECK(entry.name.find_first_of(" :+,@") == std::string_view::npos);
  }
}

template <class Table, class Value>
std::string name_of(const Table& table, const Value& value) {
  std::string found;
  for (const auto& entry : table) {
    if (entry.value == value) found = std::string(entry.name);
  }
  return found;
}

}  // namespace

TEST_CASE("every_name_is_said_once_and_can_be_typed") {
  expect_distinct_names(mx::element_format_table);
  expect_distinct_names(mx::scale_format_table);
  expect_distinct_names(mx::scale_rule_table);
  expect_distinct_names(mx::rounding_table);
  expect_distinct_names(mx::byte_map_table);
  expect_distinct_names(mx::block_format_table);
  expect_distinct_names(mx::fallback_score_table);
}

TEST_CASE("every_scale_rule_and_rounding_but_the_directed_one_has_a_name") {
  CHECK(std::size(mx::scale_rule_table) ==
        static_cast<std::size_t>(mx::scale_rule::four_over_six_abs_max) + 1);
  CHECK(name_of(mx::scale_rule_table, mx::scale_rule::overflow_aware) == "overflow-aware");
  CHECK(name_of(mx::scale_rule_table, mx::scale_rule::four_over_six_mae) == "4over6-mae");
  CHECK(name_of(mx::rounding_table, mx::rounding::ties_toward_zero) == "nearest-zero");
  CHECK(name_of(mx::rounding_table, mx::rounding::away_from_zero).empty());
}

TEST_CASE("pinned_names_stand_for_the_formats_of_the_specifications") {
  using namespace mx;
  const auto named_format = [](std::string_view name) {
    for (const auto& entry : block_format_table) {
      if (entry.name == name) return entry.value;
    }
    return block_format{formats::binary32};
  };
  for (const auto& [name, element] :
       {std::pair{"mxfp4", formats::e2m1}, std::pair{"mxfp6-e2m3", formats::e2m3},
        std::pair{"mxfp6-e3m2", formats::e3m2}, std::pair{"mxfp8-e4m3", formats::e4m3},
        std::pair{"mxfp8-e5m2", formats::e5m2}, std::pair{"mxint8", formats::int8}}) {
    CHECK(named_format(name) == block_format{element, formats::e8m0, 1, 32});
  }
  CHECK(named_format("nvfp4") == block_format{formats::e2m1, formats::ue4m3, 1, 16,
                                              scale_precision::stored, tensor_scaling::per_tensor});
  CHECK(named_format("fp8-128x128") == block_format{formats::e4m3, formats::binary32, 128, 128});
}

TEST_CASE("the_default_rule_is_floor_for_powers_of_two_and_ideal_else") {
  using namespace mx;
  CHECK(default_rule(block_formats::mxfp4) == scale_rule::floor);
  CHECK(default_rule(block_formats::mxint8) == scale_rule::floor);
  CHECK(default_rule(block_formats::nvfp4) == scale_rule::ideal);
  CHECK(default_rule(block_formats::fp8_1x128) == scale_rule::ideal);
  CHECK(default_rule({formats::e2m1, formats::e8m(1)}) == scale_rule::ideal);
}
