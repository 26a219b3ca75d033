// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/variant_element_test.cpp: mx/presets/variant_element.h and the conversions of
// all presets, against the codes that public conversions gave for the same numbers.
#include <limits>

#include "catch.h"
#include "mx/presets/variants.h"

namespace {

using mx::element_conversion;

element_conversion of_element(std::string_view name) {
  const mx::variant_entry* entry = mx::variant_named(name);
  REQUIRE(entry != nullptr);
  if (entry->family == mx::variant_family::mx) return mx::mx_variant_table[entry->index].element;
  return mx::element_variant_table[entry->index].element;
}

int code_of(std::string_view name, float x) {
  const element_conversion c = of_element(name);
  if (c.method == mx::element_method::search) {
    return static_cast<int>(mx::searched_code(x, 0.5F));
  }
  return static_cast<int>(mx::converted(mx::formats::e2m1, c, x));
}

// In the order of a row below.
constexpr std::string_view columns[] = {"cuda.rn",
                                        "cuda.rz",
                                        "torchao.rceil",
                                        "triton.v0.up",
                                        "triton.v1.up",
                                        "triton.v2.up",
                                        "microxcaling.nearest",
                                        "microxcaling.even",
                                        "microxcaling.floor",
                                        "ggml.mxfp4",
                                        "te.reference",
                                        "mxdatagenerator"};

constexpr int no_code = -1;  // the simulator keeps a value without a code

struct row {
  std::uint32_t bits;
  int codes[12];
};

constexpr row rows[] = {
    {0x3E800000, {0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0}},  // 0.25
    {0x3E800001, {1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1}},
    {0x3E800002, {1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1}},
    {0x3E800003, {1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1}},
    {0x3E800004, {1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1}},
    {0x3F400000, {2, 1, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2}},  // 0.75
    {0x3FA00000, {2, 2, 2, 3, 2, 2, 3, 2, 2, 2, 2, 2}},  // 1.25
    {0x3FE00000, {4, 3, 4, 4, 4, 4, 4, 4, 3, 3, 4, 4}},  // 1.75
    {0x40200000, {4, 4, 4, 5, 4, 4, 5, 4, 4, 4, 4, 4}},  // 2.5
    {0x40600000, {6, 5, 6, 6, 6, 6, 6, 6, 5, 5, 6, 6}},  // 3.5
    {0x40A00000, {6, 6, 6, 7, 6, 6, 7, 6, 6, 6, 6, 6}},  // 5
    {0x40D00000, {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}},  // 6.5
    {0x40E00000, {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}},  // 7
    {0x41000000, {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}},  // 8
    {0x80000000, {8, 8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0}},  // -0
    {0xBDCCCCCD, {8, 8, 8, 8, 8, 8, 8, 8, 8, 0, 8, 8}},  // -0.1
    {0x7F800000, {7, 7, 7, 7, 7, 7, no_code, no_code, no_code, 0, 7, 7}},
    {0xFF800000, {15, 15, 15, 15, 15, 15, no_code, no_code, no_code, 0, 15, 15}},
    {0x7FC00000, {7, 7, 3, 7, 7, 7, no_code, no_code, no_code, 0, 0, 7}},
    {0xFFC00000, {7, 7, 11, 15, 15, 15, no_code, no_code, no_code, 0, 0, 15}}};

TEST_CASE("elements_of_e2m1_are_those_that_public_conversions_gave") {
  for (const row& r : rows) {
    for (std::size_t i = 0; i < std::size(columns); ++i) {
      CAPTURE(r.bits, columns[i]);
      if (r.codes[i] != no_code) REQUIRE(code_of(columns[i], mx::float_of(r.bits)) == r.codes[i]);
    }
  }
}

TEST_CASE("ml_dtypes_turns_the_sign_of_a_nan_and_keeps_that_of_zero") {
  REQUIRE(code_of("ml_dtypes", mx::float_of(0x7FC00000)) == 8);
  REQUIRE(code_of("ml_dtypes", mx::float_of(0xFFC00000)) == 0);
  REQUIRE(code_of("ml_dtypes", -0.0F) == 8);
  REQUIRE(code_of("ml_dtypes", -0.1F) == 8);
  REQUIRE(code_of("ml_dtypes", -std::numeric_limits<float>::infinity()) == 15);
}

TEST_CASE("a_sum_of_fp32_lifts_the_number_just_below_half_the_smallest_element") {
  const float below = 0x1.fffffep-3F;
  REQUIRE(code_of("microxcaling.nearest", below) == 1);
  REQUIRE(code_of("microxcaling.even", below) == 1);
  REQUIRE(code_of("microxcaling.floor", below) == 0);
  REQUIRE(code_of("cuda.rn", below) == 0);
  REQUIRE(code_of("microxcaling.nearest", 0x1.fffffcp-3F) == 0);
}

TEST_CASE("a_rounded_logarithm_coarsens_what_is_just_below_a_power_of_two") {
  const element_conversion floor = of_element("microxcaling.floor");
  REQUIRE(mx::converted(mx::formats::e4m3, floor, 0x1.fffffep+2F) == 0x4E);  // 7, not 7.5
  REQUIRE(mx::converted(mx::formats::e4m3, floor, 0x1.fffffep+1F) == 0x47);  // 3.75
  const element_conversion even = of_element("microxcaling.even");
  REQUIRE(mx::converted(mx::formats::e4m3, even, 0x1.fffffep+2F) == 0x50);  // 8 in both
}

TEST_CASE("nan_elements_of_fp8_are_all_ones_and_keep_the_sign_in_torch") {
  const element_conversion torch = of_element("torchao.floor"), ptx = of_element("te.mxfp8");
  for (const mx::format f : {mx::formats::e4m3, mx::formats::e5m2}) {
    REQUIRE(mx::converted(f, torch, mx::float_of(0xFFC00000)) == 0xFF);
    REQUIRE(mx::converted(f, ptx, mx::float_of(0xFFC00000)) == 0x7F);
    REQUIRE(mx::converted(f, torch, -std::numeric_limits<float>::infinity()) ==
            (0x80 | f.max_code()));
  }
  REQUIRE(mx::converted(mx::formats::e2m3, torch, mx::float_of(0xFFC00000)) == (0x20 | 0x0C));
  REQUIRE(mx::converted(mx::formats::e3m2, torch, mx::float_of(0x7FC00000)) == 0x0E);
}

TEST_CASE("the_fraction_of_a_nan_is_rounded_like_a_number_s_in_torchao_s_narrow_formats") {
  const element_conversion torch = of_element("torchao.floor");
  const float full = mx::float_of(0xFFFE1F08);
  REQUIRE(mx::converted(mx::formats::e3m2, torch, full) == (0x20 | 0x10));
  REQUIRE(mx::converted(mx::formats::e2m3, torch, full) == (0x20 | 0x10));
  REQUIRE(mx::converted(mx::formats::e2m1, torch, full) == (0x8 | 0x4));
  REQUIRE(mx::converted(mx::formats::e2m1, of_element("fouroversix.static-6"), full) == 3);
}

TEST_CASE("a_search_takes_the_first_of_two_equal_errors") {
  for (std::uint32_t code = 1; code < 8; ++code) {
    const float value = mx::to_binary32(mx::decode(mx::formats::e2m1, code));
    REQUIRE(mx::searched_code(value, 0.5F) == code);
    REQUIRE(mx::searched_code(-value, 0.5F) == (code | 8));
  }
  REQUIRE(mx::searched_code(-0.25F, 0.5F) == 0);
  REQUIRE(mx::searched_code(-0.75F, 0.5F) == 9);
  REQUIRE(mx::searched_code(1e30F, 0.5F) == 0);  // all errors are rounded to the same number
}

TEST_CASE("exact_conversions_without_special_wishes_are_the_core_s") {
  const element_conversion plain{};
  for (std::uint32_t bits = 0; bits < 0x7F800000; bits += 40009) {
    for (const mx::format f : {mx::formats::e2m1, mx::formats::e3m2, mx::formats::e4m3}) {
      const mx::unpacked x = mx::unpack(mx::float_of(bits | 0x80000000));
      REQUIRE(mx::converted(f, plain, mx::float_of(bits | 0x80000000)) ==
              mx::encode(f, x, mx::rounding::ties_to_even, mx::overflow::saturate));
    }
  }
}

TEST_CASE("numbers_far_above_the_range_of_INT8_saturate_in_conversions_by_sums_too") {
  const element_conversion c = of_element("microxcaling.nearest");
  REQUIRE(c.method == mx::element_method::fp32_sums);
  for (const float x :
       {1.9F, 2.0F, 3.9F, 4.0F, 0x1p23F, 0x1p57F, 0x1p58F, 0x1.8p81F, 0x1p104F, 0x1.8p127F}) {
    for (const float signed_x : {x, -x}) {
      INFO(signed_x);
      CHECK(mx::converted(mx::formats::int8, c, signed_x) ==
            mx::encode(mx::formats::int8, mx::unpack(signed_x), mx::rounding::ties_to_even,
                       mx::overflow::saturate));
    }
  }
}

}  // namespace
