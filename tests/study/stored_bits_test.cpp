// SPDX-License-Identifier: Apache-2.0
// tests/study/stored_bits_test.cpp: bits an element, by hand, and the table of a study's arms.
#include "sim/study/stored_bits.h"

#include "catch.h"
#include "mx/block/block_format.h"
#include "sim/report/report.h"
#include "sim/study/study_file.h"
#include "text_file.h"

namespace {

mx::operand coded(const mx::block_format& f) {
  mx::operand result{mx::operand_numbers::coded};
  result.recipe.rules.format = f;
  return result;
}

TEST_CASE("numbers_without_blocks_take_their_width") {
  CHECK(sim::bits_an_element(mx::operand{}) == 32);
  CHECK(sim::bits_an_element(mx::operand{mx::operand_numbers::bf16}) == 16);
}

TEST_CASE("scales_factors_and_residuals_add_to_the_codes") {
  mx::operand f = coded(mx::block_formats::mxfp4);
  CHECK(sim::bits_an_element(f) == 4.25);
  CHECK(sim::bits_an_element(coded(mx::block_formats::nvfp4)) == 4.5);
  CHECK(sim::bits_an_element(coded(mx::block_formats::mxfp6_e2m3)) == 6.25);
  CHECK(sim::bits_an_element(coded(mx::block_formats::fp8_1x128)) == 8.25);
  f.recipe.corrections.macro_block = 128;
  CHECK(sim::bits_an_element(f) == 4.3125);
  f.recipe.corrections.macro_bits = 9;  // two bytes a factor
  CHECK(sim::bits_an_element(f) == 4.375);
  f.recipe.corrections.fallback = mx::fallback_mode::all;
  CHECK(sim::bits_an_element(f) == 8.75);
}

TEST_CASE("parts_of_an_error_are_no_stored_format") {
  mx::operand f = coded(mx::block_formats::mxfp4);
  f.toggle = mx::toggle::injection;
  CHECK_FALSE(sim::bits_an_element(f).has_value());
}

TEST_CASE("the_page_has_the_bits_of_every_arm") {
  const std::string table =
      sim::cost_section({sim::read_study(default_study()), "0", sim::metrics({})});
  const auto has = [&](const std::string& row) { return table.find(row) != std::string::npos; };
  INFO(table);
  CHECK(has("<th>mbs, aqn+mbs</th><td data-head=\"rollout\">4.3125</td>"));
  CHECK(has(
      "<th>mxfp4-rollout</th><td data-head=\"rollout\">4.25</td><td data-head=\"forward\">32<"));
  CHECK(
      has("<th>inj-s, inj-d, inj-g, inj-sd, inj-sg, inj-dg, op-sd, op-sg</th>"
          "<td data-head=\"rollout\">\u2013</td>"));
}

}  // namespace
