// SPDX-License-Identifier: Apache-2.0
// mx/presets/nvfp4_variant.h: an NVFP4 quantizer, as a value: its operation order, its conversion
// of scaled elements, its choice between candidates. The presets are in mx/presets/nvfp4_presets.h.
// Source: of each preset there.
#pragma once
#include "mx/presets/nvfp4_operation_order.h"
#include "mx/presets/variant_element.h"

namespace mx {

/// Effect of a NaN among the elements on the amax of a block.
///   ignored            none; a block of NaN alone has amax 0
///   ignored_if_beside  the same, but a block of NaN alone has amax NaN
///   propagated         the amax
enum class nan_in_amax : std::uint8_t { ignored, ignored_if_beside, propagated };

/// From an element `x` and the multiplier `m` to the number that is rounded; unused if elements are
/// searched.
///   multiplied      x * m
///   plus_zero       fma(x, m, +0): a product of zero loses its sign
///   factor_divided  (x / t) * m, with the tensor's factor t
///   divided         x / m
///   then_factor     (x * m) * (1 / t)
enum class scaled_element : std::uint8_t {
  multiplied,
  plus_zero,
  factor_divided,
  divided,
  then_factor
};

/// Code if the number to be rounded is NaN.
///   converted  that of the element conversion
///   two        +2: a fraction of at least 0x600000 is treated as a number
enum class scaled_nan : std::uint8_t { converted, two };

/// Criterion between mapping the largest element to 6 and to 4.
///   none        a single candidate
///   squares     the smaller sum of squared differences      magnitudes  of their magnitudes
///   largest     the smaller largest magnitude
enum class candidate_norm : std::uint8_t { none, squares, magnitudes, largest };

/// The difference between the decoded value (element q, scale s) and x, each operation rounded; A
/// is the tensor's amax and t its factor.
///   decoded   ((q * s) * A) / (max * bound) - x
///   rescaled  (q * s) * d - x, with the decoding factor d
///   encoded   q * s - x * t, q * s exact
///   fused     fma(q, -(s * t), x)
enum class candidate_difference : std::uint8_t { decoded, rescaled, encoded, fused };

/// The candidate that maps to 4: the number for 6 times 1.5, or a division by 4 of its own.
enum class four_scale : std::uint8_t { one_and_a_half, divided };

struct nvfp4_search {
  candidate_norm norm = candidate_norm::none;
  candidate_difference difference = candidate_difference::decoded;
  four_scale four = four_scale::one_and_a_half;
};

/// Decoding of a code; A is the tensor's amax.
///   amax_folded  q * ((s * A) * fl(1 / (max * bound)))
///   amax_divided ((q * s) * A) / (max * bound)
///   scale_first  q * (s * d), with the decoding factor d
///   scale_last   (q * s) * d
///   ggml         (2 q) * ggml::half_of_ue4m3, zeros positive
enum class decode_order : std::uint8_t { amax_folded, amax_divided, scale_first, scale_last, ggml };

struct nvfp4_variant {
  variant about;
  nvfp4_order order = {};
  nan_in_amax nan_amax = nan_in_amax::ignored;
  scaled_element product = scaled_element::multiplied;
  element_conversion element = {};
  mx::scaled_nan scaled_nan = mx::scaled_nan::converted;
  nvfp4_search search = {};
  decode_order decoding = decode_order::scale_first;
  int rows = 1;  ///< of a block of 16 columns

  [[nodiscard]] MX_HD constexpr int size() const noexcept { return 16 * rows; }
};

/// Values shared by the blocks of a tensor, or of a row if the format scales rows.
struct nvfp4_tensor {
  float amax = 0.0F;
  float factor = 1.0F;  ///< as defined by nvfp4_order::tensor
};

/// Callers of kernels that receive the factor as an argument may compute it differently.
[[nodiscard]] MX_HD constexpr nvfp4_tensor tensor_of(const nvfp4_variant& v, float amax) noexcept {
  return {amax, factor_of(v.order, amax)};
}

/// The final factor of decoded values.
[[nodiscard]] MX_HD constexpr float decoding_factor(const nvfp4_variant& v,
                                                    const nvfp4_tensor& tensor) noexcept {
  const bool decodes = v.order.tensor == tensor_factor::none ||
                       v.order.tensor == tensor_factor::decode ||
                       v.order.tensor == tensor_factor::decode_in_two;
  return decodes ? tensor.factor : fp32::divide(1.0F, tensor.factor);
}

/// Largest magnitude of a block or a tensor.
[[nodiscard]] MX_HD constexpr float amax_of(const nvfp4_variant& v, const float* x,
                                            std::int64_t count) noexcept {
  std::uint32_t numbers = 0, nans = 0;
  bool only_nans = count > 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t bits = bits_of(fp32::magnitude(x[i]));
    const bool nan = fp32::is_nan(x[i]);
    only_nans = only_nans && nan;
    std::uint32_t& largest = nan ? nans : numbers;
    if (bits > largest) largest = bits;
  }
  const bool counts = v.nan_amax == nan_in_amax::propagated ||
                      (v.nan_amax == nan_in_amax::ignored_if_beside && only_nans);
  return counts && nans != 0 ? fp32::nan : float_of(numbers);
}

/// The value of an element code.
[[nodiscard]] MX_HD constexpr float element_number(std::uint32_t code) noexcept {
  constexpr format f = formats::e2m1;
  return to_binary32(decode(f, code));
}

/// A candidate scale of a block.
struct nvfp4_candidate {
  std::uint32_t scale = 0;
  float multiplier = 0.0F;
};

/// Whether every element is +0 under a candidate. A multiplier of 0 beside the scale 0 is that of
/// an amax of 0: 1 / (0 * d) is none.
[[nodiscard]] MX_HD constexpr bool clears(const nvfp4_order& order,
                                          const nvfp4_candidate& candidate) noexcept {
  if (candidate.scale != 0) return false;
  return order.zero == underflowed_scale::positive_zero ||
         (order.zero == underflowed_scale::amax_clears && candidate.multiplier == 0);
}

/// The number that is rounded. A NaN keeps its sign in products, as quiet NaNs do.
[[nodiscard]] MX_HD constexpr float scaled_by(const nvfp4_variant& v, float x, float multiplier,
                                              const nvfp4_tensor& tensor) noexcept {
  if (fp32::is_nan(x)) return x;
  switch (v.product) {
    case scaled_element::plus_zero:
      return fp32::fused_multiply_add(x, multiplier, 0.0F);
    case scaled_element::factor_divided:
      return fp32::multiply(fp32::divide(x, tensor.factor), multiplier);
    case scaled_element::divided:
      return fp32::divide(x, multiplier);
    case scaled_element::then_factor:
      return fp32::multiply(fp32::multiply(x, multiplier), fp32::divide(1.0F, tensor.factor));
    case scaled_element::multiplied:
      break;
  }
  return fp32::multiply(x, multiplier);
}

/// Code of an element under a candidate.
[[nodiscard]] MX_HD constexpr std::uint32_t element_code(const nvfp4_variant& v, float x,
                                                         const nvfp4_candidate& candidate,
                                                         const nvfp4_tensor& tensor) noexcept {
  if (v.element.method == element_method::search) {
    return searched_code(x, ggml::half_of_ue4m3(candidate.scale));
  }
  if (clears(v.order, candidate)) return 0;
  const float scaled = scaled_by(v, x, candidate.multiplier, tensor);
  if (v.scaled_nan == scaled_nan::two && fp32::is_nan(scaled)) return 4;  // the code of 2
  constexpr format element = formats::e2m1;
  return converted(element, v.element, scaled);
}

/// The same for a stochastic preset, as in PTX: away from zero if the first 8 truncated bits plus
/// the random ones carry.
///   random  8 bits
[[nodiscard]] MX_HD constexpr std::uint32_t element_code(const nvfp4_variant& v, float x,
                                                         const nvfp4_candidate& candidate,
                                                         const nvfp4_tensor& tensor,
                                                         std::uint32_t random) noexcept {
  if (clears(v.order, candidate)) return 0;
  const float scaled = scaled_by(v, x, candidate.multiplier, tensor);
  constexpr format element = formats::e2m1;
  return encode(element, unpack(scaled), rounder(8, random), overflow::saturate);
}

}  // namespace mx
