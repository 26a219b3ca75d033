// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/names_test.cpp: mx/block/names.h: every name has its value.
#include "mx/block/names.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

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

template <class Value>
using said = std::vector<std::pair<std::string_view, Value>>;

/// The table maps these names to these values, in this order, and has no other rows.
template <class Table, class Value>
void expect_names(const Table& table, const said<Value>& expected) {
  REQUIRE(std::size(table) == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(std::string(expected[i].first));
    CHECK(table[i].name == expected[i].first);
    CHECK(table[i].value == expected[i].second);
  }
}

}  // namespace

TEST_CASE("every_name_is_said_once_and_can_be_typed") {
  expect_distinct_names(mx::element_format_table);
  expect_distinct_names(mx::scale_format_table);
  expect_distinct_names(mx::wide_format_table);
  expect_distinct_names(mx::scale_rule_table);
  expect_distinct_names(mx::rounding_table);
  expect_distinct_names(mx::byte_map_table);
  expect_distinct_names(mx::block_format_table);
  expect_distinct_names(mx::fallback_score_table);
}

TEST_CASE("names_of_roundings_are_those_of_the_enumerators") {
  // away_from_zero is a means of the rules, not a choice for elements.
  expect_names(mx::rounding_table,
               said<mx::rounding>{{"nearest-even", mx::rounding::ties_to_even},
                                  {"nearest-away", mx::rounding::ties_away},
                                  {"nearest-zero", mx::rounding::ties_toward_zero},
                                  {"toward-zero", mx::rounding::toward_zero},
                                  {"stochastic", mx::rounding::stochastic}});
  expect_names(mx::byte_map_table,
               said<mx::byte_map>{{"ptx", mx::byte_map::ptx}, {"te-soft", mx::byte_map::te_soft}});
  expect_names(mx::fallback_score_table,
               said<mx::fallback_score>{{"dead", mx::fallback_score::dead_energy},
                                        {"amax", mx::fallback_score::amax},
                                        {"crest", mx::fallback_score::crest}});
}

TEST_CASE("names_of_elements_and_scales_say_their_bits") {
  using namespace mx;
  using s = specials;
  expect_names(element_format_table, said<format>{{"e2m1", {2, 1, 1}},
                                                  {"e2m3", {2, 3, 1}},
                                                  {"e3m2", {3, 2, 3}},
                                                  {"e4m3", {4, 3, 7, s::top_code}},
                                                  {"e5m2", {5, 2, 15, s::ieee}},
                                                  {"int8", formats::int8},
                                                  {"e4m3fnuz", {4, 3, 8, s::fnuz}},
                                                  {"e5m2fnuz", {5, 2, 16, s::fnuz}}});
  expect_names(scale_format_table, said<format>{{"e8m0", formats::e8m(0)},
                                                {"ue4m3", formats::ue4m3},
                                                {"ue5m3", formats::ue5m3},
                                                {"fp32", formats::binary32},
                                                {"exact", formats::binary32}});
  for (const scale_name& entry : scale_format_table) {
    CHECK((entry.precision == scale_precision::exact) == (entry.name == "exact"));
  }
}

TEST_CASE("pinned_names_stand_for_the_formats_of_the_specifications") {
  using namespace mx;
  const auto under_e8m0 = [](const format& element) {
    return block_format{element, formats::e8m0, 1, 32};
  };
  const auto under_both = [](int rows) {
    return block_format{formats::e2m1,
                        formats::ue4m3,
                        rows,
                        16,
                        scale_precision::stored,
                        tensor_scaling::per_tensor};
  };
  expect_names(block_format_table,
               said<block_format>{{"mxfp4", under_e8m0(formats::e2m1)},
                                  {"mxfp6-e2m3", under_e8m0(formats::e2m3)},
                                  {"mxfp6-e3m2", under_e8m0(formats::e3m2)},
                                  {"mxfp8-e4m3", under_e8m0(formats::e4m3)},
                                  {"mxfp8-e5m2", under_e8m0(formats::e5m2)},
                                  {"mxint8", under_e8m0(formats::int8)},
                                  {"nvfp4", under_both(1)},
                                  {"nvfp4-2d", under_both(16)},
                                  {"fp8-1x128", {formats::e4m3, formats::binary32, 1, 128}},
                                  {"fp8-128x128", {formats::e4m3, formats::binary32, 128, 128}}});
}

TEST_CASE("the_default_rule_is_floor_for_powers_of_two_and_ideal_else") {
  using namespace mx;
  CHECK(default_rule(block_formats::mxfp4) == scale_rule::floor);
  CHECK(default_rule(block_formats::mxint8) == scale_rule::floor);
  CHECK(default_rule(block_formats::nvfp4) == scale_rule::ideal);
  CHECK(default_rule(block_formats::fp8_1x128) == scale_rule::ideal);
  CHECK(default_rule({formats::e2m1, formats::e8m(1)}) == scale_rule::ideal);
}
