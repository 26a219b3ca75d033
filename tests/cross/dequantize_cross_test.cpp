// SPDX-License-Identifier: Apache-2.0
// tests/cross/dequantize_cross_test.cpp: every code under every scale code, with and without a
// tensor scale.
#include "catch.h"
#include "twins.h"

namespace {

using cross::format_twins;

/// Number of codes; for UE4M3 all bytes, although bit 7 is not read.
std::uint32_t codes_in(const format_twins& f) {
  return f.name == "ue4m3" ? 256 : std::uint32_t{1} << f.reference->width();
}

// Scales that no rule chooses but that other files may contain.
constexpr std::uint32_t unusual_fp32[] = {0x7f800000, 0xff800000, 0x7f800001, 0xffc00000,
                                          0x80000000, 0x80000001, 0xbf800000, 0xc0490fdb,
                                          0xff7fffff, 0x80800000};

// All finite ones of a format of 8 bits, else a dozen; the NaN that is written; for FP32 also
// negative ones and Inf.
std::vector<std::uint32_t> scale_codes(const format_twins& scale, std::uint32_t most) {
  const std::uint32_t finite = scale.reference->magnitudes();
  std::vector<std::uint32_t> list;
  const std::uint32_t step = finite < most ? 1 : finite / 11;
  for (std::uint32_t code = 0; code < finite; code += step) list.push_back(code);
  list.push_back(finite - 1);
  list.push_back(scale.reference->nan_code());
  if (scale.name == "fp32")
    list.insert(list.end(), std::begin(unusual_fp32), std::end(unusual_fp32));
  return list;
}

std::vector<golden::number> all_numbers(const format_twins& f) {
  std::vector<golden::number> list;
  for (std::uint32_t code = 0; code < codes_in(f); ++code) {
    list.push_back(f.reference->decode(code));
  }
  return list;
}

void expect_agreement(const format_twins& element, const format_twins& scale, float tensor) {
  const std::vector<golden::number> elements = all_numbers(element);
  mx::block_format format{element.core, scale.core};
  if (tensor != 1.0F) format.tensor = mx::tensor_scaling::per_tensor;
  const mx::unpacked above = tensor == 1.0F ? mx::no_tensor_scale : mx::unpack(tensor);
  const golden::number exact_above = golden::formats::fp32().decode(golden::bits_of(tensor));
  for (const std::uint32_t scale_code : scale_codes(scale, tensor == 1.0F ? 256 : 99)) {
    const golden::number factor = scale.reference->decode(scale_code);
    for (std::uint32_t code = 0; code < codes_in(element); ++code) {
      const float expected = golden::dequantized(elements[code], factor, exact_above);
      INFO(element.name << " code " << code << ", " << scale.name << " code " << scale_code
                        << ", tensor scale " << tensor);
      REQUIRE(mx::bits_of(mx::dequantize_element(format, code, scale_code, above)) ==
              golden::bits_of(expected));
    }
  }
}

TEST_CASE("every_element_code_under_the_scale_codes_stands_for_the_same_bits") {
  for (const format_twins& element : cross::element_formats()) {
    for (const format_twins& scale : cross::scale_formats()) {
      expect_agreement(element, scale, 1.0F);
    }
  }
}

TEST_CASE("every_element_code_under_a_tensor_scale_stands_for_the_same_bits") {
  for (const format_twins& element : cross::element_formats()) {
    for (const format_twins& scale : cross::scale_formats()) {
      if (scale.name != "ue4m3" && scale.name != "e8m8") continue;
      expect_agreement(element, scale, 0x1.c71c72p-12F);
      expect_agreement(element, scale, 0x1.555556p-133F);
    }
  }
}

TEST_CASE("a_tensor_scale_with_a_sign_or_without_a_value_stands_for_the_same_bits") {
  for (const format_twins& element : cross::element_formats()) {
    for (const format_twins& scale : cross::scale_formats()) {
      if (scale.name != "ue4m3" && scale.name != "e8m0") continue;
      for (const std::uint32_t bits : unusual_fp32) {
        expect_agreement(element, scale, mx::float_of(bits));
      }
    }
  }
}

TEST_CASE("an_unrounded_scale_dequantizes_with_one_rounding_of_the_exact_product") {
  for (const format_twins& element : cross::element_formats()) {
    const mx::block_format format{element.core, mx::formats::e8m0, 1, 32,
                                  mx::scale_precision::exact};
    for (const float amax : {1.0F, 0x1.fffffep+127F, 0x1.234568p-3F, 0x1p-149F, 0x1.8p-126F}) {
      const mx::scale_ratio scale = mx::exact_ratio(format, mx::unpack(amax));
      const golden::number factor{
          golden::number_kind::finite,
          {false, golden::value_of(amax).magnitude / element.reference->largest()}};
      for (std::uint32_t code = 0; code < codes_in(element); ++code) {
        INFO(element.name << " code " << code << ", amax " << amax);
        REQUIRE(mx::bits_of(mx::dequantize_element(format, code, scale)) ==
                golden::bits_of(golden::dequantized(element.reference->decode(code), factor, 1)));
      }
    }
  }
}

TEST_CASE("every_code_of_every_format_stands_for_the_same_number") {
  std::vector<format_twins> all = cross::element_formats();
  for (const format_twins& scale : cross::scale_formats()) {
    if (scale.name != "fp32") all.push_back(scale);
  }
  all.push_back({"fp16", mx::formats::binary16, &golden::formats::fp16()});
  all.push_back({"bf16", mx::formats::bfloat16, &golden::formats::bf16()});
  for (const format_twins& f : all) {
    for (std::uint32_t code = 0; code<codes_in(f); code += codes_in(f)> 65536 ? 97 : 1) {
      const golden::number expected = f.reference->decode(code);
      const mx::unpacked found = mx::decode(f.core, code);
      INFO(f.name << " code " << code);
      REQUIRE((found.kind == mx::kind::nan) == (expected.kind == golden::number_kind::nan));
      REQUIRE((found.kind == mx::kind::infinite) ==
              (expected.kind == golden::number_kind::infinite));
      if (found.kind == mx::kind::nan) continue;
      REQUIRE(found.negative == expected.value.negative);
      if (found.is_special()) continue;
      REQUIRE(cross::magnitude_of(found) == expected.value.magnitude);
    }
  }
}

}  // namespace
