// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/operand_test.cpp: mx/block/operand.h.
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "mx/block/corrected_quantizer.h"
#include "mx/block/names.h"
#include "mx/block/operand.h"

namespace {

using mx::component;
using mx::number;
using mx::operand_format;
using mx::scale_rule;
using mx::toggle;
using floats = std::vector<float>;

floats random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  floats x(count);
  for (float& v : x) {
    v = mx::float_of((random() & 0x807FFFFF) | (random() % 8 + 122) << 23);
    if (random() % 16 == 0) v = random() % 2 == 0 ? 0.0F : -0.0F;
  }
  return x;
}

floats applied(const operand_format& f, const floats& x) {
  floats out(x.size()), scratch(2 * x.size());
  mx::apply(f, x.data(), static_cast<int>(x.size()), out.data(), scratch.data());
  return out;
}

std::vector<std::uint32_t> bits(const floats& x) {
  std::vector<std::uint32_t> result;
  for (const float v : x) result.push_back(mx::bits_of(v));
  return result;
}

operand_format microscaled() {
  operand_format f;
  f.numbers = number::microscaled;
  return f;
}

floats part_of(const floats& x, std::ptrdiff_t first, std::ptrdiff_t last) {
  return {x.begin() + first, x.begin() + last};
}

TEST_CASE("fp32_leaves_every_bit_pattern_alone") {
  const floats x{mx::float_of(0x7F800001), -0.0F, mx::float_of(1), mx::float_of(0xFF800000)};
  CHECK(bits(applied({}, x)) == bits(x));
}

TEST_CASE("bf16_rounds_each_element_by_itself") {
  operand_format f;
  f.numbers = number::bf16;
  const floats x = random_values(37, 1);
  const floats y = applied(f, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(mx::bits_of(y[i]) == mx::bits_of(mx::rounded_to_bfloat16(x[i])));
  }
}

TEST_CASE("mxfp4_quantizes_block_by_block") {
  for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil}) {
    operand_format f = microscaled();
    f.rule = rule;
    const floats x = random_values(96, 2), y = applied(f, x);
    for (std::size_t first = 0; first < x.size(); first += 32) {
      const mx::mxfp4 block = mx::quantize(x.data() + first, rule);
      for (std::size_t i = 0; i < 32; ++i) {
        CHECK(mx::bits_of(y[first + i]) ==
              mx::bits_of(mx::dequantize(block.elements[i], block.scale)));
      }
    }
  }
}

/// What quantize_line makes of it: the same operand without toggles.
floats line_values(const operand_format& f, floats x) {
  const mx::quantization q{mx::block_formats::mxfp4, f.rule};
  mx::corrections c;
  c.macro_block = f.macro_block;
  c.macro_bits = f.macro_bits;
  c.fallback = f.fallback_alpha != 0 ? mx::fallback_mode::all : mx::fallback_mode::none;
  c.alpha = f.fallback_alpha;
  REQUIRE(mx::refusal_of(q, c) == mx::correction_refusal::none);
  const std::size_t count = x.size(), padded = (count + 31) / 32 * 32;
  x.resize(padded);
  std::vector<std::uint8_t> codes(padded), more_codes(padded);
  std::vector<std::uint32_t> scales(padded), more_scales(padded);
  std::vector<std::uint16_t> factors(padded), more_factors(padded);
  floats values(padded), scratch(padded);
  mx::quantize_line(q, c, x.data(), static_cast<int>(padded), mx::no_tensor_scale, {},
                    {codes.data(), scales.data(), factors.data()},
                    {more_codes.data(), more_scales.data(), more_factors.data()}, values.data(),
                    scratch.data());
  values.resize(count);
  return values;
}

TEST_CASE("a_macro_factor_and_toggles_accept_rules_by_what_their_scale_follows_from") {
  for (const auto& rule : mx::scale_rule_table) {
    operand_format plain = microscaled();
    plain.rule = rule.value;
    operand_format under_factor = plain, toggled = plain;
    under_factor.macro_block = 64;
    toggled.toggle = mx::toggle::injection;
    const bool accepted = mx::is_applicable(plain);
    const mx::scale_basis basis = mx::basis_of(rule.value);
    INFO(rule.name);
    CHECK(mx::is_applicable(under_factor) == (accepted && mx::follows_from_amax(rule.value)));
    CHECK(mx::is_applicable(toggled) == (accepted && basis != mx::scale_basis::deviation));
  }
}

TEST_CASE("an_operand_without_toggles_is_the_quantizer_of_its_rule_with_its_corrections") {
  std::size_t applicable = 0;
  for (const auto& rule : mx::scale_rule_table) {
    for (const int macro_block : {0, 64}) {
      for (const float alpha : {0.0F, 0.5F}) {
        operand_format f = microscaled();
        f.rule = rule.value;
        f.macro_block = macro_block;
        f.fallback_alpha = alpha;
        if (!mx::is_applicable(f)) continue;
        ++applicable;
        INFO("rule " << rule.name << ", macro block " << macro_block << ", alpha " << alpha);
        for (const std::size_t count : {1U, 20U, 33U, 45U, 61U, 96U}) {
          const floats x = random_values(count, 12);
          CHECK(bits(applied(f, x)) == bits(line_values(f, x)));
        }
      }
    }
  }
  CHECK(applicable > 0);
}

TEST_CASE("a_short_last_block_is_a_block_with_zeros_behind_it") {
  std::vector<operand_format> formats(4, microscaled());
  formats[1].toggle = toggle::injection;
  formats[1].parts = component::scale;
  formats[2].macro_block = 128;
  formats[3].fallback_alpha = 0.5F;
  for (const operand_format& f : formats) {
    for (const std::size_t count : {1U, 20U, 31U, 33U, 159U}) {
      floats padded = random_values(count, 3);
      const floats y = applied(f, padded);
      padded.resize((count + 31) / 32 * 32);
      const floats whole = applied(f, padded);
      CHECK(bits(y) == bits(part_of(whole, 0, static_cast<std::ptrdiff_t>(count))));
    }
  }
}

TEST_CASE("blocks_do_not_see_each_other_and_macro_blocks_neither") {
  operand_format plain = microscaled(), macro = microscaled();
  macro.macro_block = 64;
  const floats x = random_values(192, 4);
  for (const auto& [f, span] : {std::pair{plain, 32}, std::pair{macro, 64}}) {
    const floats whole = applied(f, x);
    for (int first = 0; first < 192; first += span) {
      CHECK(bits(applied(f, part_of(x, first, first + span))) ==
            bits(part_of(whole, first, first + span)));
    }
  }
}

TEST_CASE("the_factor_of_a_macro_block_comes_from_its_largest_element") {
  operand_format f = microscaled();
  f.macro_block = 128;
  floats x(128, 1.0F);
  x[100] = 4.0F;  // f = 1.5: the first block's amax is 1.5, its scale 2^-2
  const floats y = applied(f, x);
  CHECK(y[100] == 4.0F);
  CHECK(y[0] == 1.0F);
  f.macro_block = 0;
  CHECK(applied(f, x)[100] == 4.0F);
}

TEST_CASE("the_outlier_fallback_adds_the_quantized_residual") {
  operand_format plain = microscaled(), fallback = microscaled();
  fallback.fallback_alpha = 0.5F;
  for (const int macro_block : {0, 128}) {
    plain.macro_block = fallback.macro_block = macro_block;
    const floats x = random_values(160, 5), first = applied(plain, x);
    floats residual(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) residual[i] = x[i] - first[i];
    const floats second = applied(plain, residual), y = applied(fallback, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(mx::bits_of(y[i]) == mx::bits_of(std::fma(0.5F, second[i], first[i])));
    }
  }
}

TEST_CASE("the_whole_outlier_fallback_is_closer_than_the_plain_quantizer") {
  operand_format f = microscaled();
  const floats x = random_values(320, 6);
  const auto squared_error = [&](float alpha) {
    f.fallback_alpha = alpha;
    double sum = 0;
    const floats y = applied(f, x);
    for (std::size_t i = 0; i < x.size(); ++i) sum += std::pow(double{y[i]} - double{x[i]}, 2);
    return sum;
  };
  CHECK(squared_error(1.0F) < squared_error(0.5F));
  CHECK(squared_error(0.5F) < squared_error(0.0F));
}

TEST_CASE("a_block_with_a_nan_or_an_infinity_becomes_nan_whatever_is_toggled") {
  std::vector<operand_format> formats(5, microscaled());
  formats[1].toggle = toggle::injection;
  formats[1].parts = component::grid;
  formats[2].toggle = toggle::operation;
  formats[2].parts = component::scale;
  formats[3].macro_block = 128;
  formats[4].fallback_alpha = 0.5F;
  for (const std::uint32_t special : {0x7F800000U, 0xFF800000U, 0x7FA00000U}) {
    for (const operand_format& f : formats) {
      floats x = random_values(96, 7);
      x[40] = mx::float_of(special);
      const floats y = applied(f, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool in_block = i / 32 == 1;
        CHECK(std::isnan(y[i]) == in_block);
        if (in_block) CHECK(mx::bits_of(y[i]) == mx::nan_bits);
      }
    }
  }
}

TEST_CASE("a_toggle_with_all_parts_off_is_the_identity_on_every_bit_pattern") {
  for (const toggle t : {toggle::injection, toggle::operation}) {
    operand_format f = microscaled();
    f.toggle = t;
    f.parts = component::none;
    floats x = random_values(64, 8);
    x[3] = mx::float_of(0x7FA00001);
    x[5] = mx::float_of(0xFF800000);
    x[6] = mx::float_of(1);
    CHECK(bits(applied(f, x)) == bits(x));
  }
}

TEST_CASE("a_toggle_with_all_parts_on_is_the_plain_quantizer") {
  for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil}) {
    for (const toggle t : {toggle::injection, toggle::operation}) {
      operand_format plain = microscaled(), toggled = microscaled();
      plain.rule = toggled.rule = rule;
      toggled.toggle = t;
      const floats x = random_values(256, 9);
      CHECK(bits(applied(toggled, x)) == bits(applied(plain, x)));
    }
  }
}

TEST_CASE("zeros_keep_their_signs_in_every_format") {
  std::vector<operand_format> formats(4, microscaled());
  formats[1].macro_block = 64;
  formats[2].toggle = toggle::injection;
  formats[2].parts = component::scale | component::deadzone;
  formats[3].numbers = number::bf16;
  for (const operand_format& f : formats) {
    floats x = random_values(64, 10);
    x[0] = 0.0F;
    x[33] = -0.0F;
    const floats y = applied(f, x), zeros = applied(f, floats(64, -0.0F));
    CHECK(mx::bits_of(y[0]) == 0U);
    CHECK(mx::bits_of(y[33]) == 0x80000000U);
    CHECK(bits(zeros) == bits(floats(64, -0.0F)));
  }
}

TEST_CASE("in_and_out_may_be_the_same") {
  std::vector<operand_format> formats(3, microscaled());
  formats[1].macro_block = 128;
  formats[2].macro_block = 128;
  formats[2].fallback_alpha = 1.0F;
  for (const operand_format& f : formats) {
    floats x = random_values(150, 11), scratch(300);
    const floats expected = applied(f, x);
    mx::apply(f, x.data(), 150, x.data(), scratch.data());
    CHECK(bits(x) == bits(expected));
  }
}

}  // namespace
