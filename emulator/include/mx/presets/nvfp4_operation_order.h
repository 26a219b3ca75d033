// SPDX-License-Identifier: Apache-2.0
// mx/presets/nvfp4_operation_order.h: the FP32 operations, in order, by which kernels derive
// NVFP4's scale code and the multiplier of the elements from the amax of a tensor and of a block.
// Source: of each preset in mx/presets/nvfp4_variants.h. Instructions that are not exactly known
// are listed there.
#pragma once
#include "mx/number/fp32_device.h"
#include "mx/presets/ue4m3_ggml.h"

namespace mx {

/// The factor of the whole tensor; max is the largest element (6), bound the largest scale used.
///   none            1
///   encode          (max * bound) / amax
///   encode_capped   at most FLT_MAX; 1 if that is 0; NaN if amax is NaN
///   encode_guarded  at most FLT_MAX, which also replaces NaN; 1 if that is 0 or amax is 0
///   decode          amax / (max * bound)
///   decode_in_two   (amax / bound) / max, 1 if amax is 0
enum class tensor_factor : std::uint8_t {
  none,
  encode,
  encode_capped,
  encode_guarded,
  decode,
  decode_in_two
};

/// From a block's amax `a` and the tensor's factor `t` to the number encoded as the scale.
///   folded               a * (t * fl(1 / max))
///   folded_nonzero       the same, 0 where a is 0
///   reciprocal_first     t * (a * fl(1 / max))
///   divided_times        (a / max) * t
///   divided_over         (a / max) / t
///   divided_by_factor    (a / t) / max, 0 where t is 0
///   divided              a / max
enum class block_scale_order : std::uint8_t {
  folded,
  folded_nonzero,
  reciprocal_first,
  divided_times,
  divided_over,
  divided_by_factor,
  divided
};

/// Encoding of that number as a scale code.
///   saturating       nearest even, at most 448; NaN is 0x7F
///   nan_as_zero      saturating, but NaN is 0
///   nan_beyond       nearest even, 0x7F above 464
///   at_least_normal  saturating, at least 2^-6
///   at_least_one     saturating, code 1 instead of 0 unless the number is 0
///   ggml             ggml::ue4m3_code
enum class scale_encoding : std::uint8_t {
  saturating,
  nan_as_zero,
  nan_beyond,
  at_least_normal,
  at_least_one,
  ggml
};

/// From the decoded scale `s` and `t` to the multiplier of the elements.
///   reciprocal_of_encode  1 / (s * (1 / t))
///   reciprocal_of_decode  1 / (s * t)
///   reciprocal_over       (1 / t) / s
///   reciprocal            1 / s
///   bfloat16              RNE to BF16 of t / s, which is at most the largest BF16
///   divisor_of_decode     s * t, by which scaled_element::divided divides
enum class multiplier_order : std::uint8_t {
  reciprocal_of_encode,
  reciprocal_of_decode,
  reciprocal_over,
  reciprocal,
  bfloat16,
  divisor_of_decode
};

/// Multipliers that are replaced by FLT_MAX.
///   none     none      infinity  Inf      not_finite  Inf and NaN, as in fminf
enum class multiplier_limit : std::uint8_t { none, infinity, not_finite };

/// Treatment of the elements under a scale code of 0.
///   divided        the multiplier is the result of a division by zero
///   amax_decides   the same, but 0 if the block's amax is 0
///   amax_clears    the same as divided, but every element is +0 if the block's amax is 0
///   scale_decides  the multiplier is 0, a divisor Inf
///   as_one         the scale is replaced by 1
///   positive_zero  every element is +0
enum class underflowed_scale : std::uint8_t {
  divided,
  amax_decides,
  amax_clears,
  scale_decides,
  as_one,
  positive_zero
};

/// Headroom above the largest element, which stochastic rounding then never exceeds.
///   sixteen_seventeenths  max is multiplied by 16/17, in exact products
enum class headroom : std::uint8_t { none, sixteen_seventeenths };

struct nvfp4_order {
  tensor_factor tensor = tensor_factor::encode_guarded;
  block_scale_order block = block_scale_order::folded;
  scale_encoding scale = scale_encoding::saturating;
  multiplier_order multiplier = multiplier_order::reciprocal_of_encode;
  multiplier_limit limit = multiplier_limit::not_finite;
  underflowed_scale zero = underflowed_scale::divided;
  fp32::reciprocal_subnormals reciprocals = fp32::reciprocal_subnormals::kept;
  float max = 6.0F;      ///< target of the largest element
  float bound = 448.0F;  ///< scale of the largest block
  headroom room = headroom::none;
};

/// RNE32(max * bound) with its headroom, and without bound: RNE32(max).
[[nodiscard]] MX_HD constexpr float reach_of(const nvfp4_order& order, float bound) noexcept {
  const unpacked reach = multiplied(unpack(order.max), unpack(bound));
  if (order.room == headroom::none) return to_binary32(reach);
  return to_binary32(quotient(multiplied(reach, 16), unpacked::positive(17, 0)));
}

/// The tensor's factor.
///   amax  not negative; Inf and NaN pass through the operations like any number
[[nodiscard]] MX_HD constexpr float factor_of(const nvfp4_order& order, float amax) noexcept {
  const float product = reach_of(order, order.bound);
  const float encoded = fp32::divide(product, amax);
  const float capped = order.tensor == tensor_factor::encode_capped
                           ? fp32::at_most_unless_nan(encoded, fp32::largest)
                           : fp32::at_most(encoded, fp32::largest);
  const bool amax_is_zero = fp32::is_zero(amax);
  switch (order.tensor) {
    case tensor_factor::none:
      return 1.0F;
    case tensor_factor::encode:
      return encoded;
    case tensor_factor::encode_capped:
      return fp32::is_zero(capped) ? 1.0F : capped;
    case tensor_factor::encode_guarded:
      return fp32::is_zero(capped) || amax_is_zero ? 1.0F : capped;
    case tensor_factor::decode:
      return fp32::divide(amax, product);
    case tensor_factor::decode_in_two:
      break;
  }
  return amax_is_zero ? 1.0F : fp32::divide(fp32::divide(amax, order.bound), order.max);
}

/// The number encoded as a block's scale.
///   max  target of the block's largest element
template <class Arithmetic = fp32::exact_arithmetic>
[[nodiscard]] MX_HD constexpr float block_scale_of(const nvfp4_order& order, float amax,
                                                   float factor, float max) noexcept {
  const float inverse = Arithmetic::divide(1.0F, max);
  switch (order.block) {
    case block_scale_order::folded_nonzero:
      if (fp32::is_zero(amax)) return 0.0F;
      [[fallthrough]];
    case block_scale_order::folded:
      return Arithmetic::multiply(amax, Arithmetic::multiply(factor, inverse));
    case block_scale_order::reciprocal_first:
      return Arithmetic::multiply(factor, Arithmetic::multiply(amax, inverse));
    case block_scale_order::divided_times:
      return Arithmetic::multiply(Arithmetic::divide(amax, max), factor);
    case block_scale_order::divided_over:
      return Arithmetic::divide(Arithmetic::divide(amax, max), factor);
    case block_scale_order::divided_by_factor:
      if (fp32::is_zero(factor)) return 0.0F;
      return Arithmetic::divide(Arithmetic::divide(amax, factor), max);
    case block_scale_order::divided:
      break;
  }
  return Arithmetic::divide(amax, max);
}

/// The value of a scale code.
[[nodiscard]] MX_HD constexpr float scale_number(std::uint32_t code) noexcept {
  constexpr format f = formats::ue4m3;
  return to_binary32(decode(f, code));
}

/// Scale code of that number.
///   value  not negative
[[nodiscard]] MX_HD constexpr std::uint32_t encoded_scale(scale_encoding how,
                                                          float value) noexcept {
  constexpr format f = formats::ue4m3;
  if (how == scale_encoding::ggml) return ggml::ue4m3_code(value);
  if (how == scale_encoding::nan_as_zero && fp32::is_nan(value)) return 0;
  const overflow beyond =
      how == scale_encoding::nan_beyond ? overflow::to_infinity : overflow::saturate;
  const std::uint32_t code = encode(f, unpack(value), rounding::ties_to_even, beyond);
  if (how == scale_encoding::at_least_normal) return code < 0x08 ? 0x08 : code;
  const bool raised = how == scale_encoding::at_least_one && code == 0 && !fp32::is_zero(value);
  return raised ? 1 : code;
}

/// The multiplier of the elements under a scale.
template <class Arithmetic = fp32::exact_arithmetic>
[[nodiscard]] MX_HD constexpr float multiplier_under(const nvfp4_order& order, float scale,
                                                     float factor) noexcept {
  const auto inverse = [&order](float a) {
    return fp32::reciprocal<Arithmetic>(a, order.reciprocals);
  };
  float result = 0.0F;
  switch (order.multiplier) {
    case multiplier_order::reciprocal_of_encode:
      result = inverse(Arithmetic::multiply(scale, inverse(factor)));
      break;
    case multiplier_order::reciprocal_of_decode:
      result = inverse(Arithmetic::multiply(scale, factor));
      break;
    case multiplier_order::reciprocal_over:
      result = Arithmetic::divide(inverse(factor), scale);
      break;
    case multiplier_order::reciprocal:
      result = inverse(scale);
      break;
    case multiplier_order::bfloat16:
      result = fp32::at_most(Arithmetic::divide(factor, scale), 0x1.fep127F);
      return rounded_to_bfloat16(result);
    case multiplier_order::divisor_of_decode:
      result = Arithmetic::multiply(scale, factor);
      break;
  }
  if (order.limit == multiplier_limit::none) return result;
  return order.limit == multiplier_limit::infinity ? fp32::at_most_unless_nan(result, fp32::largest)
                                                   : fp32::at_most(result, fp32::largest);
}

/// The multiplier of the elements of a block.
///   amax  of the block
[[nodiscard]] MX_HD constexpr float multiplier_of(const nvfp4_order& order, std::uint32_t code,
                                                  float amax, float factor) noexcept {
  const bool zero = code == 0;
  const bool asks_amax =
      order.zero == underflowed_scale::amax_decides || order.zero == underflowed_scale::amax_clears;
  if ((asks_amax && fp32::is_zero(amax)) ||
      (zero && order.zero == underflowed_scale::scale_decides)) {
    return order.multiplier == multiplier_order::divisor_of_decode ? fp32::infinity(false) : 0.0F;
  }
  const bool one = zero && order.zero == underflowed_scale::as_one;
  return multiplier_under(order, one ? 1.0F : scale_number(code), factor);
}

static_assert(factor_of({}, 3.7F) == 2688.0F / 3.7F && factor_of({}, 0.0F) == 1.0F);
static_assert(reach_of({.room = headroom::sixteen_seventeenths}, 448.0F) == 0x1.3c3c3cp+11F);
static_assert(factor_of({}, 0x1p-140F) == fp32::largest);
static_assert(encoded_scale(scale_encoding::saturating, 1e9F) == 0x7E);
static_assert(encoded_scale(scale_encoding::nan_beyond, 464.0F) == 0x7E);
static_assert(encoded_scale(scale_encoding::nan_beyond, 465.0F) == 0x7F);
static_assert(encoded_scale(scale_encoding::at_least_normal, 0.0F) == 0x08);

}  // namespace mx
