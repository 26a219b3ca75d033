// SPDX-License-Identifier: Apache-2.0
// tests/oracle/cuda_headers_test.cpp: elements of mx/number/element.h against the host path of
// CUDA's headers, which NVIDIA wrote to equal its conversion instructions.
#include <ios>

#include "catch.h"
#include "cuda_elements.h"
#include "float_patterns.h"
#include "mx/number/element.h"

namespace {

using mx::format;
using mx::overflow;
using mx::rounding;
using oracle::cuda_element;
using oracle::cuda_elements;

std::uint32_t code_of(const format& f, float x, rounding mode, overflow beyond) {
  return mx::encode(f, mx::unpack(x), mode, beyond);
}

bool is_nan(std::uint32_t bits) { return (bits & 0x7FFFFFFF) > 0x7F800000; }

/// Compares one of the headers' functions with the core on every pattern that is not NaN.
void require_equal(const cuda_element& element, std::uint32_t (*header)(float), rounding mode,
                   overflow beyond) {
  const auto bits = oracle::disagreeing_pattern([&](std::uint32_t pattern) {
    const float x = mx::float_of(pattern);
    return is_nan(pattern) || header(x) == code_of(element.format, x, mode, beyond);
  });
  if (!bits) return;
  const float x = mx::float_of(*bits);
  FAIL(element.name << ": FP32 0x" << std::hex << *bits << " gives code 0x"
                    << code_of(element.format, x, mode, beyond) << ", the header has 0x"
                    << header(x));
}

TEST_CASE("nearest_even_elements_that_saturate_equal_the_headers") {
  for (const cuda_element& element : cuda_elements) {
    require_equal(element, element.nearest, rounding::ties_to_even, overflow::saturate);
  }
}

TEST_CASE("elements_cut_off_toward_zero_equal_the_headers") {
  for (const cuda_element& element : cuda_elements) {
    if (element.toward_zero == nullptr) continue;
    require_equal(element, element.toward_zero, rounding::toward_zero, overflow::saturate);
  }
}

TEST_CASE("elements_that_overflow_to_infinity_or_nan_equal_the_headers") {
  for (const cuda_element& element : cuda_elements) {
    if (element.unsaturated == nullptr) continue;
    require_equal(element, element.unsaturated, rounding::ties_to_even, overflow::to_infinity);
  }
}

TEST_CASE("elements_of_every_bfloat16_and_binary16_equal_the_headers") {
  for (const cuda_element& element : cuda_elements) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const auto narrow = static_cast<std::uint16_t>(bits);
      const mx::unpacked bfloat = mx::decode(mx::formats::bfloat16, bits);
      const mx::unpacked half = mx::decode(mx::formats::binary16, bits);
      const auto code = [&](const mx::unpacked& x) {
        if (x.kind == mx::kind::nan) return element.nan;
        return mx::encode(element.format, x, rounding::ties_to_even, overflow::saturate);
      };
      if (element.of_bfloat(narrow) != code(bfloat) || element.of_half(narrow) != code(half)) {
        FAIL(element.name << ": bits 0x" << std::hex << bits << " as bfloat16 or binary16");
      }
    }
  }
  SUCCEED("all are equal");
}

// The sign and the payload of a NaN are dropped. Formats without NaN get their largest magnitude,
// as the core does; E5M2 gets all ones, while the core writes the quiet NaN without a payload.
TEST_CASE("every_nan_becomes_the_one_code_that_the_headers_document") {
  for (const cuda_element& element : cuda_elements) {
    // Sign and fraction of every NaN; the fraction 0 is Inf.
    const auto found = oracle::first_disagreement(1U << 24, [&](std::uint64_t index) {
      const auto fields = static_cast<std::uint32_t>(index);
      const std::uint32_t pattern = fields >> 23 << 31 | 0x7F800000 | (fields & 0x7FFFFF);
      return !is_nan(pattern) || element.nearest(mx::float_of(pattern)) == element.nan;
    });
    CAPTURE(element.name);
    REQUIRE_FALSE(found);
    const std::uint32_t ours = code_of(element.format, mx::float_of(mx::nan_bits),
                                       rounding::ties_to_even, overflow::saturate);
    REQUIRE(ours == (element.format == mx::formats::e5m2 ? 0x7E : element.nan));
    const mx::kind kind = mx::decode(element.format, element.nan).kind;
    REQUIRE(kind == (element.format.has_nan() ? mx::kind::nan : mx::kind::finite));
  }
}

// binary16 holds the values of all these formats exactly. The headers drop the sign of a NaN.
TEST_CASE("every_code_stands_for_the_value_that_the_headers_give_it") {
  for (const cuda_element& element : cuda_elements) {
    for (std::uint32_t code = 0; code < 1U << element.format.width(); ++code) {
      CAPTURE(element.name, code);
      const std::uint32_t half = element.to_half(static_cast<std::uint8_t>(code));
      const mx::unpacked value = mx::decode(element.format, code);
      const std::uint32_t canonical = 0x7FFF;
      const std::uint32_t expected =
          value.kind == mx::kind::nan ? canonical
                                      : mx::encode(mx::formats::binary16, value,
                                                   rounding::ties_to_even, overflow::to_infinity);
      REQUIRE(half == expected);
    }
  }
}

}  // namespace
