// SPDX-License-Identifier: Apache-2.0
// tests/study/stored_bits_test.cpp: bits an element, by hand, and the table of a study's arms.
#include "sim/study/stored_bits.h"

#include "catch.h"
#include "mx/block/block_format.h"
#include "sim/report/report.h"
#include "sim/study/format_rules.h"
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

/// One layer with heads as wide as the model, keys of half its width, and a feed-forward part of
/// twice.
sim::study narrow_study() {
  sim::study s;
  s.policy.layers = 1;
  s.policy.width = s.policy.head_width = 32;
  s.policy.heads = 2;
  s.policy.kv_heads = 1;
  s.policy.hidden = 128;
  s.task.sequence = 32;
  return s;
}

TEST_CASE("a_macro_block_is_no_longer_than_its_line") {
  mx::operand f = coded(mx::block_formats::mxfp4);
  f.recipe.corrections.macro_block = 128;
  CHECK(sim::bits_an_element(f, 128) == 4.3125);
  CHECK(sim::bits_an_element(f, 64) == 4.375);
  CHECK(sim::bits_an_element(f, 32) == 4.5);
  sim::pass_format both{f, f};
  const sim::study s = narrow_study();
  const auto bits = [&](sim::pass p, sim::operand_role role) {
    return sim::bits_an_element(s, both, p, role);
  };
  using enum sim::operand_role;
  // X of q, k and v, of o, of gate and up, of down: 32, 64, 32 and 128 elements in lines of as
  // many.
  CHECK(bits(sim::pass::forward, data) == 4.25 + 4 * 8.0 / (32 + 64 + 32 + 128));
  // W: rows of 32 (q, k, v, gate, up), 64 (o) and 128 (down).
  CHECK(bits(sim::pass::forward, other) ==
        Approx(4.25 + 8.0 * (64 + 3 * 32 + 2 * 128 + 32) / (32 * (64 + 32 + 32 + 64 + 3 * 128))));
  // dY in rows of 64, 32, 32, 32, 128, 128 and 32; W in columns of as many.
  CHECK(bits(sim::pass::dgrad, data) == 4.25 + 7 * 8.0 / (64 + 32 + 32 + 32 + 128 + 128 + 32));
  CHECK(bits(sim::pass::wgrad, data) == 4.5);  // lines of 32 tokens
  both.sequences = 2;
  CHECK(bits(sim::pass::wgrad, other) == 4.375);
  both.source = sim::operand_source::forward;
  CHECK(bits(sim::pass::wgrad, other) == bits(sim::pass::forward, data));
}

TEST_CASE("exempt_linears_and_those_with_a_rule_have_their_own_bits") {
  const mx::operand mxfp4 = coded(mx::block_formats::mxfp4), bf16{mx::operand_numbers::bf16};
  const sim::study s = narrow_study();
  sim::pass_format both{mxfp4, mxfp4};
  const auto weights = [&] {
    return *sim::bits_an_element(s, both, sim::pass::forward, sim::operand_role::other);
  };
  CHECK(weights() == 4.25);
  both.exempt = {0, 0, 1, sim::layer_part::attention, bf16};
  CHECK(weights() == Approx((4.25 * 3 * 128 + 16 * (64 + 32 + 32 + 64)) / (3 * 128 + 192)));
  both.exempt = {};
  both.rules = {{".*down_proj",
                 {true, true, true, true},
                 {false, true},
                 bf16,
                 7,
                 sim::linears_named(".*down_proj", s.policy)}};
  CHECK(weights() == Approx((4.25 * (2 * 128 + 192) + 16 * 128) / (3 * 128 + 192)));
  CHECK(sim::bits_an_element(s, both, sim::pass::forward, sim::operand_role::data) == 4.25);
  both.rules.front().format.toggle = mx::toggle::injection;
  both.rules.front().format.numbers = mx::operand_numbers::coded;
  CHECK_FALSE(sim::bits_an_element(s, both, sim::pass::forward, sim::operand_role::other));
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
