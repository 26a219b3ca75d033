// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/operand_format_test.cpp: the values of operands, and the exponents used
// for alignment.
#include "golden/reference/operand_format.h"
#include "catch.h"
#include "golden/reference/formats.h"

namespace {

namespace formats = golden::formats;
using golden::number_format;
using golden::number_kind;
using golden::operands_of;
using golden::power_of_two;
using golden::term;

TEST_CASE("every_code_reads_as_the_number_of_its_format") {
  for (const number_format* format : formats::elements()) {
    for (std::uint32_t code = 0; code < 1U << format->width(); ++code) {
      const golden::number expected = format->decode(code);
      const term found = operands_of(*format).read(code);
      REQUIRE(found.kind == expected.kind);
      if (found.kind == number_kind::nan) continue;
      REQUIRE(found.negative == expected.value.negative);
      if (found.kind == number_kind::infinite) continue;
      REQUIRE(rational_of(found.value) == expected.value.value());
    }
  }
}

TEST_CASE("subnormals_have_the_exponent_of_the_smallest_normal") {
  struct row {
    const number_format& format;
    int emin;
  };
  const row table[] = {
      {formats::e2m1(), 0},    {formats::e2m3(), 0},       {formats::e3m2(), -2},
      {formats::e4m3(), -6},   {formats::e5m2(), -14},     {formats::e4m3fnuz(), -7},
      {formats::fp16(), -14},  {formats::e5m2fnuz(), -15}, {formats::bf16(), -126},
      {formats::fp32(), -126}, {formats::ue4m3(), -6},
  };
  for (const row& expected : table) {
    INFO(expected.format.name());
    const golden::operand_format& operands = operands_of(expected.format);
    CHECK(operands.emin() == expected.emin);
    CHECK(operands.read(1).exponent == expected.emin);
    const std::uint32_t two = expected.format.last_not_above(2).value();
    CHECK(operands.read(two).exponent == 1);
    CHECK(operands.read(two + 1).exponent == 1);
    CHECK(operands.read(two - 1).exponent == 0);
  }
}

TEST_CASE("integers_have_one_exponent") {
  for (std::uint32_t code = 0; code < 256; ++code) {
    CHECK(operands_of(formats::int8()).read(code).exponent == 0);
  }
}

TEST_CASE("every_e8m0_scale_is_a_normal_power_of_two") {
  const golden::operand_format& scales = operands_of(formats::e8m(0));
  CHECK(scales.read(0).exponent == -127);
  CHECK(rational_of(scales.read(0).value) == power_of_two(-127));
  CHECK(scales.read(254).exponent == 127);
  CHECK(scales.read(255).kind == number_kind::nan);
}

TEST_CASE("the_highest_bit_of_ue4m3_is_ignored") {
  const golden::operand_format& scales = operands_of(formats::ue4m3());
  for (std::uint32_t code = 0; code < 128; ++code) {
    const term plain = scales.read(code);
    const term marked = scales.read(code + 128);
    REQUIRE(marked.kind == plain.kind);
    REQUIRE(!marked.negative);
    REQUIRE(rational_of(marked.value) == rational_of(plain.value));
  }
  CHECK(scales.read(0xff).kind == number_kind::nan);
  CHECK(scales.read(0x80).is_zero());
  CHECK(rational_of(scales.read(0x87).value) == 7 * power_of_two(-9));
}

TEST_CASE("tf32_is_fp32_without_13_bits") {
  const golden::operand_format& operands = operands_of(formats::tf32());
  CHECK(rational_of(operands.read(0x3f801fff).value) == 1);
  CHECK(rational_of(operands.read(0xbf802000).value) == -(1 + power_of_two(-10)));
  CHECK(operands.read(0x00001fff).is_zero());
  CHECK(rational_of(operands.read(0x00002000).value) == power_of_two(-136));
  CHECK(operands.read(0x00002000).exponent == -126);
  CHECK(operands.read(0x7f800000).kind == number_kind::infinite);
  CHECK(operands.read(0x7f801fff).kind == number_kind::infinite);
  CHECK(operands.read(0xff802000).kind == number_kind::nan);
}

TEST_CASE("bits_that_are_no_code_are_refused") {
  CHECK_THROWS_AS(operands_of(formats::e2m1()).read(16), std::out_of_range);
  CHECK_THROWS_AS(operands_of(formats::e4m3()).read(256), std::out_of_range);
  CHECK_THROWS_AS(operands_of(formats::ue4m3()).read(256), std::out_of_range);
  CHECK_THROWS_AS(operands_of(formats::fp16()).read(0x10000), std::out_of_range);
}

}  // namespace
