// SPDX-License-Identifier: Apache-2.0
// golden/validator/mutants/scale.cpp: blocks with a wrong scale.
#include <algorithm>
#include <array>
#include <cmath>

#include "mutant.h"

namespace golden::validator {
namespace {

/// The scale nearest to 2^Exponent times as much; NaN stays, the ends saturate.
template <int Exponent>
std::uint8_t multiplied(const mx::format& f, std::uint8_t code) {
  if (f.has_nan() && code == f.nan_code()) return code;
  return static_cast<std::uint8_t>(mx::encode(f,
                                              mx::decode(f, code).scaled_by_power_of_two(Exponent),
                                              mx::rounding::ties_to_even, mx::overflow::saturate));
}

/// The exponent field one higher, which is more than twice a subnormal scale.
std::uint8_t with_next_exponent(const mx::format& f, std::uint8_t code) {
  if (f.has_nan() && code == f.nan_code()) return code;
  return static_cast<std::uint8_t>(
      std::min(code + (std::uint32_t{1} << f.fraction_bits), f.max_code()));
}

template <std::uint64_t N, std::uint8_t (*Change)(const mx::format&, std::uint8_t)>
void change_one_in(coded_rows& t) {
  for (std::uint64_t i = 0; i < t.scales.size(); ++i) {
    if (is_one_in(N, i, t.scales.size())) t.scales[i] = Change(t.rules.format.scale, t.scales[i]);
  }
}

void choose_by_another_rule(coded_rows& t) {
  mx::quantization rules = t.rules;
  const bool rceil = rules.rule == mx::scale_rule::rceil;
  rules.rule = rceil ? mx::scale_rule::floor : mx::scale_rule::rceil;
  if (mx::refusal_of(rules) == mx::refusal::none) quantize_as(t, rules, t.x);
}

void take_amax_of_positive_numbers(coded_rows& t) {
  std::vector<float> x = t.x;
  for (float& value : x) value = value < 0 ? 0.0F : value;
  quantize_under_scales_of(t, x);
}

void take_amax_of_half_a_block(coded_rows& t) {
  std::vector<float> x = t.x;
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    const bool second = i % t.length % t.block() >= t.block() / 2;
    if (second && std::isfinite(x[i])) x[i] = 0;
  }
  quantize_under_scales_of(t, x);
}

void change_one_scale(coded_rows& t) {
  if (t.scales.empty()) return;
  std::uint8_t& scale = t.scales[t.scales.size() / 2];
  scale = scale == 0 ? 1 : static_cast<std::uint8_t>(scale - 1);
}

void change_tensor_scale(coded_rows& t) {
  if (!t.rules.format.has_tensor_scale()) return;
  t.tensor_scale = mx::float_of(mx::bits_of(t.tensor_scale) + 1);
}

/// Result of a kernel that never stores the number, or divides by zero on the way to it.
template <std::uint32_t Bits>
void store_no_tensor_scale(coded_rows& t) {
  if (t.rules.format.has_tensor_scale()) t.tensor_scale = mx::float_of(Bits);
}

constexpr std::array scale_table{
    mutant{"other-scale-rule", "rceil where another rule was asked for, floor where rceil was",
           choose_by_another_rule},
    mutant{"scale-x2-0.1%", "the scales of 0.1 % of the blocks are twice as large",
           change_one_in<1000, multiplied<1>>},
    mutant{"scale-x2-1%", "the scales of 1 % of the blocks are twice as large",
           change_one_in<100, multiplied<1>>},
    mutant{"scale-/2-2%", "the scales of 2 % of the blocks are half as large",
           change_one_in<50, multiplied<-1>>},
    mutant{"scale-off-by-one", "every stored exponent is one too large",
           change_one_in<1, with_next_exponent>},
    mutant{"one-scale", "one scale code in the middle is one too small", change_one_scale},
    mutant{"amax-of-positive", "amax is the largest number instead of the largest magnitude",
           take_amax_of_positive_numbers},
    mutant{"amax-of-half", "amax leaves out the second half of each block",
           take_amax_of_half_a_block},
    mutant{"tensor-scale", "the tensor scale is one FP32 step too large", change_tensor_scale},
    mutant{"tensor-scale-zero", "the tensor scale is 0, as memory is before it is written",
           store_no_tensor_scale<0>},
    mutant{"tensor-scale-inf", "the tensor scale is Inf", store_no_tensor_scale<0x7F800000>},
    mutant{"tensor-scale-nan", "the tensor scale is NaN", store_no_tensor_scale<0x7FC00000>},
    mutant{"tensor-scale-unset", "the tensor scale is left at 1, codes and scales are right",
           store_no_tensor_scale<0x3F800000>}};

}  // namespace

std::span<const mutant> scale_mutants() { return scale_table; }

}  // namespace golden::validator
