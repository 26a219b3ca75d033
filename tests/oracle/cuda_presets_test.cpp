// SPDX-License-Identifier: Apache-2.0
// tests/oracle/cuda_presets_test.cpp: the presets named after CUDA against the host path of its
// headers, NaN and Inf included.
#include <ios>
#include <string_view>

#include "catch.h"
#include "cuda_elements.h"
#include "float_patterns.h"
#include "mx/presets/element_variants.h"

namespace {

using oracle::cuda_element;
using oracle::cuda_elements;

const mx::element_conversion& element_preset(std::string_view name) {
  for (const mx::element_variant& v : mx::element_variant_table) {
    if (v.about.name == name) return v.element;
  }
  FAIL("there is no element preset " << name);
  return mx::element_variant_table.front().element;
}

const mx::e8m0_conversion& scale_preset(std::string_view name) {
  for (const mx::e8m0_conversion& c : mx::e8m0_conversions::table) {
    if (c.name == name) return c;
  }
  FAIL("there is no scale preset " << name);
  return mx::e8m0_conversions::table.front();
}

/// Both are functions of an FP32 number; the message names the first at which they differ.
template <class Ours, class Theirs>
void require_equal(std::string_view what, const Ours& ours, const Theirs& theirs) {
  const auto bits = oracle::disagreeing_pattern([&](std::uint32_t pattern) {
    return ours(mx::float_of(pattern)) == theirs(mx::float_of(pattern));
  });
  if (!bits) return;
  const float x = mx::float_of(*bits);
  FAIL(what << ": FP32 0x" << std::hex << *bits << " gives 0x" << ours(x) << ", the header has 0x"
            << theirs(x));
}

void require_equal(const cuda_element& element, std::string_view preset,
                   std::uint32_t (*header)(float)) {
  const mx::element_conversion& conversion = element_preset(preset);
  const auto ours = [&](float x) { return mx::converted(element.format, conversion, x); };
  require_equal(element.name, ours, header);
}

TEST_CASE("the_preset_of_rounding_to_nearest_is_the_headers_conversion") {
  for (const cuda_element& element : cuda_elements) {
    require_equal(element, "cuda.rn", element.nearest);
  }
}

TEST_CASE("the_preset_of_rounding_toward_zero_is_the_headers_conversion") {
  for (const cuda_element& element : cuda_elements) {
    if (element.toward_zero != nullptr) require_equal(element, "cuda.rz", element.toward_zero);
  }
}

TEST_CASE("the_presets_of_scales_are_the_headers_conversions") {
  const auto check = [](std::string_view name, __nv_saturation_t saturation, cudaRoundMode mode) {
    const mx::e8m0_conversion& conversion = scale_preset(name);
    require_equal(
        name, [&](float x) -> std::uint32_t { return mx::convert(conversion, x); },
        [&](float x) -> std::uint32_t { return __nv_cvt_float_to_e8m0(x, saturation, mode); });
  };
  check("cuda.down", __NV_SATFINITE, cudaRoundZero);
  check("cuda.up", __NV_SATFINITE, cudaRoundPosInf);
  check("cuda.up-nosat", __NV_NOSAT, cudaRoundPosInf);
}

}  // namespace
