// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/number_format_test.cpp: the values of the codes of each format, from the
// tables of their specifications.
#include "catch.h"
#include "golden/reference/binary32.h"
#include "golden/reference/formats.h"

namespace {

namespace formats = golden::formats;
using golden::number_format;
using golden::number_kind;
using golden::power_of_two;
using golden::rational;

std::vector<const number_format*> all_formats() {
  std::vector<const number_format*> all = formats::elements();
  for (const number_format* more : {&formats::ue4m3(), &formats::ue5m3(), &formats::fp16(),
                                    &formats::bf16(), &formats::e8m(0), &formats::e8m(3)}) {
    all.push_back(more);
  }
  return all;
}

rational value_of(const number_format& format, std::uint32_t code) {
  const golden::number decoded = format.decode(code);
  REQUIRE(decoded.kind == number_kind::finite);
  return decoded.value.value();
}

number_kind kind_of(const number_format& format, std::uint32_t code) {
  return format.decode(code).kind;
}

TEST_CASE("element_formats_have_the_limits_of_the_specification") {
  struct row {
    const number_format& format;
    int width, emax;
    rational largest, smallest_normal, smallest;
  };
  const row table[] = {
      {formats::e2m1(), 4, 2, 6, 1, {1, 2}},
      {formats::e2m3(), 6, 2, {15, 2}, 1, {1, 8}},
      {formats::e3m2(), 6, 4, 28, {1, 4}, {1, 16}},
      {formats::e4m3(), 8, 8, 448, {1, 64}, {1, 512}},
      {formats::e5m2(), 8, 15, 57344, power_of_two(-14), power_of_two(-16)},
      {formats::int8(), 8, 0, {127, 64}, 1, {1, 64}},
      {formats::e4m3fnuz(), 8, 7, 240, {1, 128}, {1, 1024}},
      {formats::e5m2fnuz(), 8, 15, 57344, power_of_two(-15), power_of_two(-17)},
  };
  for (const row& expected : table) {
    const number_format& format = expected.format;
    INFO(format.name());
    CHECK(format.width() == expected.width);
    CHECK(format.emax() == expected.emax);
    CHECK(format.largest() == expected.largest);
    CHECK(format.magnitude(0) == 0);
    CHECK(format.magnitude(1) == expected.smallest);
    CHECK(format.magnitude(1U << format.fraction_bits()) == expected.smallest_normal);
  }
}

TEST_CASE("special_codes_of_elements_are_where_the_specification_puts_them") {
  CHECK(value_of(formats::e4m3(), 0x7e) == 448);
  CHECK(kind_of(formats::e4m3(), 0x7f) == number_kind::nan);
  CHECK(kind_of(formats::e4m3(), 0xff) == number_kind::nan);
  CHECK(kind_of(formats::e5m2(), 0x7c) == number_kind::infinite);
  CHECK(formats::e5m2().decode(0xfc).value.negative);
  for (const std::uint32_t nan : {0x7dU, 0x7eU, 0x7fU, 0xfdU, 0xfeU, 0xffU}) {
    CHECK(kind_of(formats::e5m2(), nan) == number_kind::nan);
  }
  CHECK(kind_of(formats::e4m3fnuz(), 0x80) == number_kind::nan);
  CHECK(kind_of(formats::e5m2fnuz(), 0x80) == number_kind::nan);
  CHECK(value_of(formats::e4m3fnuz(), 0xff) == -240);
  CHECK(value_of(formats::e5m2fnuz(), 0x7f) == 57344);
}

TEST_CASE("int8_counts_units_of_a_64th_in_twos_complement") {
  CHECK(value_of(formats::int8(), 0x40) == 1);
  CHECK(value_of(formats::int8(), 0xff) == rational(-1, 64));
  CHECK(value_of(formats::int8(), 0x81) == rational(-127, 64));
  CHECK(value_of(formats::int8(), 0x80) == -2);
  CHECK(formats::int8().with_sign(true, 127) == 0x81);
  CHECK(formats::int8().with_sign(true, 0) == 0);
}

TEST_CASE("a_negative_zero_has_a_code_only_where_the_format_has_one") {
  CHECK(formats::e2m1().with_sign(true, 0) == 8);
  CHECK(formats::e4m3().with_sign(true, 0) == 0x80);
  CHECK(formats::e4m3fnuz().with_sign(true, 0) == 0);
  CHECK(formats::e5m2fnuz().with_sign(true, 0) == 0);
  CHECK(formats::e4m3fnuz().with_sign(true, 1) == 0x81);
}

TEST_CASE("scale_formats_have_their_values_and_nans") {
  CHECK(formats::e8m(0).magnitude(0) == power_of_two(-127));
  CHECK(formats::e8m(0).magnitude(254) == power_of_two(127));
  CHECK(kind_of(formats::e8m(0), 255) == number_kind::nan);
  CHECK(formats::e8m(2).magnitude(0) == power_of_two(-127));
  CHECK(formats::e8m(2).magnitude(3) == rational(7, 4) * power_of_two(-127));
  CHECK(formats::e8m(2).magnitude(127 * 4 + 1) == rational(5, 4));
  CHECK(formats::e8m(2).nan_code() == 255 * 4);
  CHECK(kind_of(formats::e8m(2), 255 * 4 + 3) == number_kind::nan);
  CHECK(formats::e8m(16).largest() == (2 - power_of_two(-16)) * power_of_two(127));
  CHECK(formats::ue4m3().largest() == 448);
  CHECK(kind_of(formats::ue4m3(), 127) == number_kind::nan);
  CHECK(kind_of(formats::ue4m3(), 255) == number_kind::nan);
  CHECK(formats::ue4m3().decode(0xB8).value.magnitude == 1);
  CHECK(formats::ue4m3().magnitude(0x38) == 1);
  CHECK(formats::ue5m3().largest() == 114688);
  CHECK(formats::ue5m3().magnitude(1) == power_of_two(-17));
  CHECK(formats::ue5m3().magnitude(15 * 8) == 1);
  CHECK(kind_of(formats::ue5m3(), 255) == number_kind::nan);
  CHECK(formats::fp32().nan_code() == golden::canonical_nan);
  CHECK(formats::fp32().largest() == 0xffffff * power_of_two(104));
}

TEST_CASE("magnitudes_grow_with_their_codes_and_are_found_again") {
  for (const number_format* format : all_formats()) {
    INFO(format->name());
    for (std::uint32_t code = 0; code < format->magnitudes(); code += 1 + code / 300) {
      const rational magnitude = format->magnitude(code);
      if (code > 0) REQUIRE(format->magnitude(code - 1) < magnitude);
      REQUIRE(format->first_not_below(magnitude) == code);
      REQUIRE(format->last_not_above(magnitude) == code);
      const rational beside = magnitude + power_of_two(-200);
      REQUIRE(format->last_not_above(beside) == code);
      const bool last = code + 1 == format->magnitudes();
      REQUIRE(format->first_not_below(beside) == (last ? std::nullopt : std::optional(code + 1)));
    }
    CHECK(format->last_not_above(-1) == std::nullopt);
  }
}

TEST_CASE("a_number_and_its_sign_give_back_its_code") {
  for (const number_format* format : formats::elements()) {
    INFO(format->name());
    for (std::uint32_t code = 0; code < 1U << format->width(); ++code) {
      const golden::number x = format->decode(code);
      const bool never_written = format == &formats::int8() && code == 0x80;
      if (x.kind != number_kind::finite || never_written) continue;
      const std::uint32_t magnitude = format->last_not_above(x.value.magnitude).value();
      REQUIRE(format->with_sign(x.value.negative, magnitude) == code);
    }
  }
}

TEST_CASE("the_list_of_fp32_numbers_agrees_with_the_decoded_patterns") {
  for (std::uint32_t bits = 0; bits < 0x7f800000; bits += 0x000fedcb) {
    const golden::number positive = formats::fp32().decode(bits);
    REQUIRE(positive.value.magnitude == golden::value_of(golden::float_of(bits)).magnitude);
    REQUIRE(formats::fp32().decode(0x80000000 + bits).value.negative);
  }
  CHECK(kind_of(formats::fp32(), 0xff800000) == number_kind::infinite);
  CHECK(kind_of(formats::fp32(), 0x7f800001) == number_kind::nan);
}

}  // namespace
