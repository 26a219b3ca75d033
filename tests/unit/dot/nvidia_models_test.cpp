// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/nvidia_models_test.cpp: mx/dot/nvidia_models.h, mx/dot/blackwell_models.h: tensor
// cores without block scales against the published parameters, in rational numbers.
#include "mx/dot/nvidia_models.h"

#include "catch.h"
#include "model_words.h"
#include "mx/dot/dot.h"
#include "mx/dot/gemm.h"
#include "mx/dot/mixed_models.h"
#include "published_models.h"
#include "slow_dot.h"

namespace tests {
namespace {

void compare_window(const std::string& name, const mx::format& f, const slow::window_row& row) {
  const mx::dot_model& model = model_of(name);
  const int unread = f == mx::formats::tf32 ? 13 : 0;
  for (int word = 0; word < 60; ++word) {
    const auto k = static_cast<std::size_t>(2 * row.fused);
    const codes a = random_codes(f, k, unread), b = random_codes(f, k, unread);
    const std::uint32_t c = random_code(row.result, 0);
    const auto x = slow::numbers_of(f, a, unread), y = slow::numbers_of(f, b, unread);
    std::uint32_t wanted = slow::window_step(row, x, y, 0, c);
    CAPTURE(name, word);
    check_bits(row.result, mx::dot(model, a.data(), b.data(), row.fused, c), wanted);
    if (mx::decode(row.result, wanted).is_special()) continue;
    wanted = slow::window_step(row, x, y, static_cast<std::size_t>(row.fused), wanted);
    check_bits(row.result, mx::dot(model, a.data(), b.data(), static_cast<int>(k), c), wanted);
  }
}

TEST_CASE("nvidia_models_without_scales_follow_the_published_table") {
  for (const published_row& r : rows) {
    const std::string name = std::string(r.models) + "." + r.input;
    compare_window(name + ".f32", r.format,
                   {r.fused, r.fraction_bits, r.zero_f32, binary32, r.e8m13 ? e8m13 : binary32,
                    mx::rounding::toward_zero});
    if (r.zero_f16 == 0) continue;
    compare_window(
        name + ".f16", r.format,
        {r.fused, r.fraction_bits, r.zero_f16, binary16, binary16, mx::rounding::ties_to_even});
  }
}

/// C in FP16 at its own exponent field; a second step begins with an FP32 number.
TEST_CASE("c_in_fp16_is_read_at_its_own_exponent_and_chained_in_fp32") {
  REQUIRE(mx::any_model_named("volta.mma.f16.f32_c16") != nullptr);
  const mx::dot_model& model = mx::any_model_named("volta.mma.f16.f32_c16")->model;
  const slow::window_row row{4, 23, -131, binary32, binary32, mx::rounding::toward_zero};
  CHECK(model.sum.zero_exponent == row.zero_exponent);
  for (int word = 0; word < 300; ++word) {
    const codes a = random_codes(binary16, 8), b = random_codes(binary16, 8);
    const std::uint32_t c = random_code(binary16, 0);
    const auto x = slow::numbers_of(binary16, a), y = slow::numbers_of(binary16, b);
    slow::window_terms terms;
    for (std::size_t i = 0; i < 4; ++i) {
      terms.add(x[i].value * y[i].value, x[i].exponent + y[i].exponent, row.zero_exponent);
    }
    const number addend = slow::number_of(binary16, c);
    terms.add(addend.value, addend.exponent, row.zero_exponent);
    const std::uint32_t first = slow::rounded_result(row, terms.sum(row.fraction_bits));
    CAPTURE(word);
    check_bits(binary32, mx::dot(model, a.data(), b.data(), 4, c), first);
    if (mx::decode(binary32, first).is_special()) continue;
    check_bits(binary32, mx::dot(model, a.data(), b.data(), 8, c),
               slow::window_step(row, x, y, 4, first));
  }
  const codes one = {0x0002}, least = {0x0001};  // 2^-23 * 2^-24 beside the subnormal 2^-24
  CHECK(mx::dot(model, one.data(), least.data(), 1, 0x0001U) == 0x33800000);
  CHECK(mx::dot(model, one.data(), least.data(), 0, 0x8001U) == 0xB3800000);
  CHECK(mx::refusal_of({.model = model}) == mx::gemm_refusal::c_format);
}

/// 2^-149 less the last bit of the window that zeros set is below 2^-149; half of that bit is lost.
void check_zero_exponent_to_f32(const mx::dot_model& model, const published_row& r) {
  const auto power = [&](int exponent) {
    return static_cast<std::uint32_t>(r.format.bias + exponent)
           << (r.format.fraction_bits + model.unread_bits);
  };
  const std::uint32_t minus = r.format.sign_mask() << model.unread_bits;
  const int last = r.zero_f32 - r.fraction_bits;
  for (const bool kept : {true, false}) {
    const codes a = {power(-100), minus | power(-100)};
    const codes b = {power(-49), power(100 + last - (kept ? 0 : 1))};
    CHECK(mx::dot(model, a.data(), b.data(), 2, 0U) == (kept ? 0U : 1U));
  }
}

/// 2^-25 and the last bit of the window that zeros set are above a tie; half of that bit is lost.
void check_zero_exponent_to_f16(const mx::dot_model& model, const published_row& r) {
  const int last = r.zero_f16 - r.fraction_bits;
  for (const bool kept : {true, false}) {
    const codes a = {0x1400, 0x0001};  // 2^-10, 2^-24
    const codes b = {0x0200, 1U << (48 + last - (kept ? 0 : 1))};
    CHECK(mx::dot(model, a.data(), b.data(), 2, 0U) == (kept ? 1U : 0U));
  }
}

TEST_CASE("exponents_of_zeros_show_at_the_last_bit_of_the_window") {
  int checked = 0;
  for (const published_row& r : rows) {
    const std::string name = std::string(r.models) + "." + r.input;
    CAPTURE(name);
    if (r.format.exponent_bits == 8) {
      check_zero_exponent_to_f32(model_of(name + ".f32"), r);
      ++checked;
    } else if (r.format == binary16) {
      check_zero_exponent_to_f16(model_of(name + ".f16"), r);
      ++checked;
    }
  }
  CHECK(checked == 23);
}

/// Sums of products of FP16 do not show it, but tables and circuits carry it.
TEST_CASE("exponents_of_zeros_are_the_published_ones") {
  for (const published_row& r : rows) {
    const std::string name = std::string(r.models) + "." + r.input;
    CAPTURE(name);
    CHECK(model_of(name + ".f32").sum.zero_exponent == r.zero_f32);
    if (r.zero_f16 != 0) CHECK(model_of(name + ".f16").sum.zero_exponent == r.zero_f16);
  }
}

/// 2^-25 and 2^-45: zeros at -20 and 24 bits end the window at 2^-44, zeros at -21 and 25 bits at
/// 2^-46.
TEST_CASE("a_product_below_the_window_that_zeros_set_is_lost_before_hopper") {
  const codes a = {0x0C00, 0x0002, 0, 0, 0, 0, 0, 0}, b = {0x0800, 0x0004, 0, 0, 0, 0, 0, 0};
  for (const char* name :
       {"volta.mma.f16.f16", "turing.mma.f16.f16", "ampere.mma.f16.f16", "ada.mma.f16.f16"}) {
    CAPTURE(name);
    CHECK(mx::dot(model_of(name), a.data(), b.data(), 8, 0U) == 0);
  }
  for (const char* name : {"hopper.mma.f16.f16", "hopper.wgmma.f16.f16", "blackwell.mma.f16.f16",
                           "blackwell.tcgen05.f16.f16", "rtxblackwell.mma.f16.f16"}) {
    CAPTURE(name);
    CHECK(mx::dot(model_of(name), a.data(), b.data(), 8, 0U) == 1);
  }
}

/// FP8 by two steps of FP16, and C at the end.
void compare_emulated(const std::string& name, const mx::format& f, const slow::window_row& row) {
  const mx::dot_model& model = model_of(name);
  for (int word = 0; word < 100; ++word) {
    const codes a = random_codes(f, 32), b = random_codes(f, 32);
    std::vector<number> x[2], y[2];
    for (std::size_t k = 0; k < 32; ++k) {
      const auto as_binary16 = [&f](std::uint32_t code) {
        const number n = slow::number_of(f, code);
        return slow::number_of(binary16,
                               slow::rounded(binary16, n.value, mx::rounding::ties_to_even));
      };
      x[k / 2 % 2].push_back(as_binary16(a[k]));
      y[k / 2 % 2].push_back(as_binary16(b[k]));
    }
    const std::uint32_t first = slow::window_step(row, x[0], y[0], 0, 0);
    if (mx::decode(row.result, first).is_special()) continue;
    const std::uint32_t second = slow::window_step(row, x[1], y[1], 0, first);
    if (mx::decode(row.result, second).is_special()) continue;
    const std::uint32_t c = random_code(row.result, 0);
    const golden::rational sum =
        slow::number_of(row.result, second).value + slow::number_of(row.result, c).value;
    CAPTURE(name, word);
    check_bits(row.result, mx::dot(model, a.data(), b.data(), 32, c),
               slow::rounded(row.result, sum, mx::rounding::ties_to_even));
  }
}

TEST_CASE("fp8_without_an_instruction_is_two_steps_of_fp16_and_one_addition") {
  for (const auto& [name, f] : emulated_inputs) {
    compare_emulated(name + ".f32", f,
                     {16, 25, -133, binary32, binary32, mx::rounding::toward_zero});
    CHECK(model_of(name + ".f32").sum.zero_exponent == -133);
    compare_emulated(name + ".f16", f,
                     {16, 25, -21, binary16, binary16, mx::rounding::ties_to_even});
  }
}

}  // namespace
}  // namespace tests
