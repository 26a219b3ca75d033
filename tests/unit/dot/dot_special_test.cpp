// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/dot_special_test.cpp: mx/dot/dot.h: results for NaN, Inf, zeros, subnormals and
// the ends of scales under every model.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "catch.h"
#include "dot_run.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"
#include "mx/number/fp32.h"

namespace {

using tests::code_of;
using tests::codes;
using tests::is_device;
using tests::model_of;
using tests::one;
using tests::run;
using tests::stored;
using tests::value_of;

bool is_nvidia(const mx::named_model& entry) {
  return is_device(entry) && entry.name.substr(0, 4) != "cdna";
}

TEST_CASE("nan_anywhere_is_the_one_nan_of_the_model") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    CAPTURE(entry.name);
    const std::uint32_t nan = m.sum.nan_code;
    if (is_nvidia(entry)) CHECK(nan == (m.sum.result.width() == 16 ? 0x7FFF : 0x7FFFFFFF));
    const codes a(32, one(m, m.a)), b(32, one(m, m.b));
    const std::uint32_t c_nan = m.sum.result.nan_code() | m.sum.result.sign_mask();
    CHECK(run(m, a, b, c_nan) == nan);
    if (!m.a.has_nan()) continue;
    codes with_nan = a;
    with_nan[5] = m.a.nan_code() << m.unread_bits;
    CHECK(run(m, with_nan, b, 0) == nan);
    codes zeros = b;
    zeros[5] = 0;
    CHECK(run(m, with_nan, zeros, 0) == nan);
  }
}

TEST_CASE("inf_times_zero_and_inf_minus_inf_are_nan_and_inf_passes_through") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    const mx::format& out = m.sum.result;
    const std::uint32_t inf = out.infinity_code(), minus_inf = inf | out.sign_mask();
    CAPTURE(entry.name);
    const codes a(32, one(m, m.a)), b(32, one(m, m.b));
    CHECK(run(m, a, b, inf) == inf);
    CHECK(run(m, a, b, minus_inf) == minus_inf);
    if (m.a.specials != mx::specials::ieee) continue;
    codes with_inf = a;
    with_inf[3] = (m.a.infinity_code() | m.a.sign_mask()) << m.unread_bits;
    CHECK(run(m, with_inf, b, 0) == minus_inf);
    CHECK(run(m, with_inf, b, inf) == m.sum.nan_code);
    with_inf[9] = m.a.infinity_code() << m.unread_bits;
    CHECK(run(m, with_inf, b, 0) == m.sum.nan_code);
    with_inf[9] = a[9];
    codes with_zero = b;
    with_zero[3] = 0;
    CHECK(run(m, with_inf, with_zero, 0) == m.sum.nan_code);
  }
}

/// 1 - 1 under a scale of 2^40 and 1 under one of 1: the window of 2^40 ends at 2^5.
TEST_CASE("a_group_that_cancels_keeps_its_scales_exponent_and_one_of_zeros_does_not") {
  const mx::dot_model& m = model_of("blackwell.mxf4");
  codes a(64), b(64, code_of(m.a, 1));
  a[0] = code_of(m.a, 1);
  a[1] = code_of(m.a, -1);
  a[32] = code_of(m.a, 1);
  CHECK(run(m, a, b, 0, {167, 127}, {127, 127}) == 0);
  a[0] = a[1] = 0;
  CHECK(value_of(m, run(m, a, b, 0, {167, 127}, {127, 127})) == 1.0F);
}

TEST_CASE("a_nan_scale_decides_even_over_zeros_and_inf") {
  for (const std::string_view name :
       {"blackwell.mxf4", "blackwell.mxf4nvf4", "blackwell.mxf8f6f4.e4m3.e4m3", "exact.rne",
        "fp32.fma", "fp32.sequential", "fp32.pairwise"}) {
    const mx::dot_model& m = model_of(name);
    const auto count = static_cast<std::size_t>(64 / m.block);
    const codes zeros(64), ones(64, code_of(m.a, 1));
    const codes good(count, m.scale.width() == 8 ? 127 : 0x38);
    CAPTURE(name);
    for (std::size_t at = 0; at < count; ++at) {
      codes bad = good;
      bad[at] = m.scale.nan_code();
      CHECK(run(m, zeros, zeros, 0, bad, good) == m.sum.nan_code);
      CHECK(run(m, zeros, zeros, 0, good, bad) == m.sum.nan_code);
      CHECK(run(m, ones, ones, 0x7F800000, good, bad) == m.sum.nan_code);
    }
  }
}

TEST_CASE("bit_7_of_a_ue4m3_scale_is_not_read") {
  const mx::dot_model& m = model_of("blackwell.mxf4nvf4");
  const codes ones(64, code_of(m.a, 1));
  for (std::uint32_t scale = 0; scale < 128; ++scale) {
    const codes low(4, scale), high(4, scale | 0x80), unit(4, 0x38);
    CHECK(run(m, ones, ones, 0, low, unit) == run(m, ones, ones, 0, high, unit));
  }
  CHECK(run(m, ones, ones, 0, codes(4, 0xFF), codes(4, 0x38)) == m.sum.nan_code);
  // 2^-9, the smallest subnormal: 64 products of one.
  CHECK(value_of(m, run(m, ones, ones, 0, codes(4, 1), codes(4, 0x38))) == 0.125F);
}

TEST_CASE("scale_bytes_0_and_254_are_powers_of_two_like_all_others") {
  const mx::dot_model& m = model_of("blackwell.mxf4");
  const codes ones(64, code_of(m.a, 1));
  CHECK(value_of(m, run(m, ones, ones, 0, {0, 0}, {254, 254})) == 64.0F);
  CHECK(value_of(m, run(m, ones, ones, 0, {254, 254}, {127, 127})) == mx::fp32::infinity(false));
  CHECK(value_of(m, run(m, ones, ones, 0, {0, 0}, {121, 121})) == 0x1p-127F);  // a subnormal
  CHECK(run(m, ones, ones, 0, {0, 0}, {0, 0}) == 0);
}

TEST_CASE("overflow_is_inf_under_rounding_toward_zero_too") {
  const mx::dot_model& bf16 = model_of("ampere.mma.bf16.f32");
  const codes large(8, code_of(bf16.a, 0x1p127)), two(8, code_of(bf16.a, -1));
  CHECK(run(bf16, large, two, 0) == 0xFF800000);
  const codes largest = {code_of(bf16.a, 0x1.fep127)}, unit = {code_of(bf16.a, 1)};
  // Below 2^128 truncated bits do not overflow.
  CHECK(run(bf16, largest, unit, mx::bits_of(0x1.fffffep119F)) == 0x7F7FFFFF);
  const mx::dot_model& f16 = model_of("ampere.mma.f16.f16");
  CHECK(run(f16, codes(8, 0x7BFF), codes(8, 0x3C00), 0) == 0x7C00);
}

TEST_CASE("subnormals_are_read_and_written") {
  const mx::dot_model& f16 = model_of("hopper.mma.f16.f32");
  CHECK(value_of(f16, run(f16, {1}, {0x3C00}, 0)) == 0x1p-24F);
  CHECK(run(f16, {0}, {0}, 1U) == 1U);
  const mx::dot_model& bf16 = model_of("hopper.mma.bf16.f32");
  const codes tiny = {code_of(bf16.a, 0x1p-100)}, small = {code_of(bf16.a, 0x1p-49)};
  CHECK(run(bf16, tiny, small, 0) == 1U);  // 2^-149
}

TEST_CASE("zero_results_of_nvidia_are_plus_zero") {
  int models = 0;
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    CHECK((m.sum.zero_result == mx::zero_result::plus) == is_nvidia(entry));
    if (!is_nvidia(entry)) continue;
    CAPTURE(entry.name);
    ++models;
    const std::uint32_t minus_zero = m.sum.result.sign_mask();
    const codes ones(64, one(m, m.b)), zeros(64, m.a.sign_mask() << m.unread_bits);
    CHECK(run(m, zeros, ones, minus_zero) == 0);
    CHECK(run(m, codes(64), ones, minus_zero) == 0);
    CHECK(run(m, {zeros[0]}, {ones[0]}, minus_zero) == 0);
    // The same number subtracted from itself, and next to it.
    const std::uint32_t one_in_c = code_of(m.sum.result, 1);
    const codes minus_one = {stored(m, m.a, -1)};
    CHECK(run(m, minus_one, {ones[0]}, one_in_c) == 0);
    CHECK(run(m, minus_one, {ones[0]}, one_in_c | minus_zero) == code_of(m.sum.result, -2));
  }
  CHECK(models == 96);
}

/// Minus 2^exponent as one product, under scales of powers of two, if any.
std::uint32_t minus_power(const mx::dot_model& m, int exponent, std::uint32_t c) {
  const int of_a = exponent / 2, of_b = exponent - of_a;
  if (m.block == 0) {
    return run(m, {stored(m, m.a, -std::ldexp(1.0, of_a))}, {stored(m, m.b, std::ldexp(1.0, of_b))},
               c);
  }
  const auto scale = [&](int power) { return codes{static_cast<std::uint32_t>(127 + power)}; };
  return run(m, {code_of(m.a, -1)}, {code_of(m.b, 1)}, c, scale(of_a), scale(of_b));
}

/// A fourth of the smallest result, and C = -0.
TEST_CASE("a_negative_sum_that_rounds_to_zero_is_plus_zero_on_nvidia_and_minus_zero_elsewhere") {
  int plus = 0, minus = 0;
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    const int rest = m.sum.result.emin() - m.sum.result.fraction_bits - 2;
    const bool reaches =
        m.block > 0 ? m.scale == mx::formats::e8m0 : mx::lowest_product_exponent(m) <= rest;
    if (!reaches || m.sum.inputs == mx::subnormals::flushed) continue;
    CAPTURE(entry.name);
    const std::uint32_t c = m.sum.result.sign_mask();
    CHECK(minus_power(m, rest, c) == (is_nvidia(entry) ? 0 : c));
    if (m.sum.results == mx::subnormals::kept) CHECK(minus_power(m, rest + 3, c) > c);
    ++(is_nvidia(entry) ? plus : minus);
  }
  CHECK(plus > 40);
  CHECK(minus > 10);
}

TEST_CASE("a_zero_sum_is_minus_zero_only_where_every_term_is_except_on_nvidia") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    if (!m.a.has_negative_zero() || is_nvidia(entry)) continue;
    CAPTURE(entry.name);
    const std::uint32_t minus_zero = m.sum.result.sign_mask();
    const bool never = m.sum.inputs == mx::subnormals::flushed ||  // C becomes +0
                       (m.sum.addend == mx::addend::after_span &&  // a chain that begins at +0
                        m.sum.joining == mx::joining::chained);
    const codes zeros(64, m.a.sign_mask() << m.unread_bits), ones(64, one(m, m.b));
    // A step of a device is padded with +0, a definition takes fewer products.
    const bool filled_up =
        entry.operands == mx::operands::of_model || m.sum.tail == mx::tail::zeros;
    CHECK(mx::dot(m, zeros.data(), ones.data(), 1, minus_zero) ==
          (never || filled_up ? 0 : minus_zero));
    codes mixed = zeros;
    mixed[63] = 0;
    CHECK(run(m, zeros, ones, minus_zero) == (never ? 0 : minus_zero));
    CHECK(run(m, zeros, ones, 0) == 0);
    CHECK(run(m, mixed, ones, minus_zero) == 0);
    const codes minus_ones(64, stored(m, m.a, -1));
    codes alternating = minus_ones;
    for (std::size_t i = 0; i < 64; i += 2) alternating[i] = stored(m, m.a, 1);
    CHECK(run(m, alternating, ones, minus_zero) == 0);
  }
}

TEST_CASE("a_zero_scale_does_not_make_a_term_minus_zero") {
  const mx::dot_model m = mx::with_scales(model_of("exact.rne"), mx::formats::ue4m3, 16);
  const codes minus(64, code_of(m.a, -1)), minus_zeros(64, 8), ones(64, code_of(m.a, 1));
  const codes zero(4, 0), unit(4, 0x38);
  CHECK(run(m, minus, ones, 0x80000000, zero, unit) == 0);
  CHECK(run(m, minus_zeros, ones, 0x80000000, zero, unit) == 0x80000000);
}

}  // namespace
