// SPDX-License-Identifier: Apache-2.0
// tests/rtl/product_test.cpp: the Verilated mx_product and mx_scale against mx::product_of at every
// pair of codes.
#include "mx/dot/product.h"
#include "Vmx_product_e2m1.h"
#include "Vmx_product_e2m3.h"
#include "Vmx_product_e3m2.h"
#include "Vmx_product_e4m3.h"
#include "Vmx_product_e4m3_e5m2.h"
#include "Vmx_product_e5m2.h"
#include "Vmx_scale_e8m0.h"
#include "Vmx_scale_e8m3.h"
#include "Vmx_scale_ue4m3.h"
#include "catch.h"
#include "mx/number/formats.h"

namespace {

namespace formats = mx::formats;

/// The outputs of a module.
struct outputs {
  bool negative, nan, infinite;
  std::uint64_t significand;
  int exponent;  ///< used for alignment of the product
};

template <class Module>
outputs outputs_of(const Module& top, const mx::format& a, const mx::format& b) {
  if constexpr (requires { top.negative_o; }) {
    return {top.negative_o != 0, top.nan_o != 0, top.infinite_o != 0, top.significand_o,
            static_cast<int>(top.exponent_o) + a.emin() + b.emin()};
  } else {
    const int wrapped = top.exponent_o;  // 12 bits with a sign
    return {false, top.nan_o != 0, false, top.significand_o,
            wrapped >= 2048 ? wrapped - 4096 : wrapped};
  }
}

bool equal(const outputs& got, const mx::factor& wanted, int unit) {
  const mx::unpacked& value = wanted.value;
  if (got.nan != (value.kind == mx::kind::nan)) return false;
  if (got.nan) return true;
  if (got.infinite != (value.kind == mx::kind::infinite)) return false;
  if (got.negative != value.negative) return false;
  if (got.infinite) return true;
  const auto read = mx::unpacked::finite(got.negative, got.significand, got.exponent + unit);
  if (mx::compare_magnitudes(read, value) != 0) return false;
  return value.is_zero() || got.exponent == wanted.exponent;
}

/// Pairs of codes at which the module differs, out of all of them.
template <class Module>
int differences(const mx::format& a, const mx::format& b) {
  Module top;
  const int unit = -a.fraction_bits - b.fraction_bits;
  int count = 0;
  for (std::uint32_t code_a = 0; code_a < 1U << a.width(); ++code_a) {
    const mx::factor left = mx::factor_of(a, code_a);
    for (std::uint32_t code_b = 0; code_b < 1U << b.width(); ++code_b) {
      top.a_i = code_a;
      top.b_i = code_b;
      top.eval();
      const mx::factor wanted = mx::product_of(left, mx::factor_of(b, code_b));
      count += equal(outputs_of(top, a, b), wanted, unit) ? 0 : 1;
    }
  }
  return count;
}

TEST_CASE("every_product_of_two_elements_is_exact") {
  CHECK(differences<Vmx_product_e2m1>(formats::e2m1, formats::e2m1) == 0);
  CHECK(differences<Vmx_product_e2m3>(formats::e2m3, formats::e2m3) == 0);
  CHECK(differences<Vmx_product_e3m2>(formats::e3m2, formats::e3m2) == 0);
  CHECK(differences<Vmx_product_e4m3>(formats::e4m3, formats::e4m3) == 0);
  CHECK(differences<Vmx_product_e5m2>(formats::e5m2, formats::e5m2) == 0);
  CHECK(differences<Vmx_product_e4m3_e5m2>(formats::e4m3, formats::e5m2) == 0);
}

TEST_CASE("every_product_of_two_scales_is_exact") {
  CHECK(differences<Vmx_scale_e8m0>(formats::e8m0, formats::e8m0) == 0);
  CHECK(differences<Vmx_scale_e8m3>(formats::e8m(3), formats::e8m(3)) == 0);
  CHECK(differences<Vmx_scale_ue4m3>(formats::ue4m3, formats::ue4m3) == 0);
}

}  // namespace
