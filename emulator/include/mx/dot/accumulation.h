// SPDX-License-Identifier: Apache-2.0
// mx/dot/accumulation.h: how products and C become one number, as a value: what is added at once,
// where scales enter, how terms are aligned and what is cut off, where it is rounded, what is
// special. A tensor core is a named value of it (mx/dot/models.h); no rule asks which one it is.
// Source: arXiv 2511.10909 (MMA-Sim: T-, ST-, GST-, TR-, GTR- and E-FDPA, FTZ-AddMul); arXiv
// 2512.07004 (MATLAB-tensor-core: the list of parameters). Open choices: D-030 to D-039, D-045.
#pragma once
#include <cstdint>

#include "mx/number/formats.h"
#include "mx/number/rounding.h"

namespace mx {

/// Where C takes part.
///   every_step  as one more term of every step, which is how steps are chained
///   after_span  in an addition to what the steps of a span gave, rounded like it
enum class addend : std::uint8_t { every_step, after_span };

/// The format of C.
///   of_result  `result`
///   binary16   FP16, at whose own field the first step reads its exponent
enum class c_format : std::uint8_t { of_result, binary16 };

/// How the steps of a span become one number, where C comes after it.
///   chained   each step adds to the one before, the first to +0
///   pairwise  adjacent results are added, an odd one passes up, until one is left
enum class joining : std::uint8_t { chained, pairwise };

/// Which k a step takes.
///   ascending       the next ones
///   pairs_of_four   of a span of two steps: the first takes k mod 4 in {0, 1}, the second {2, 3}
enum class step_order : std::uint8_t { ascending, pairs_of_four };

/// What a step does that reaches beyond K: adds products +0 * +0, or adds fewer.
enum class tail : std::uint8_t { zeros, shorter };

/// Which products of a step are aligned to each other: all, or even and odd k for themselves.
enum class parity : std::uint8_t { together, even_and_odd };

/// Where the scales of a block enter.
///   on_product  exponent and significand of every product; both count in its alignment
///   on_group    the exact sum of a group is multiplied; only the scales' exponents align it
///   on_operand  an element times its scale is rounded to FP32 first, as dequantization does
enum class scale_position : std::uint8_t { on_product, on_group, on_operand };

/// The exponent at which a factor is read.
///   own_field    that of its format; subnormals have that of the smallest normal
///   binary16     that of the same number in binary16, into which it was converted
///   normal_e2m1  own_field, but E2M1's 0.5 has its own, -1, as if E2M1 were converted (D-039)
enum class factor_exponent : std::uint8_t { own_field, binary16, normal_e2m1 };

/// The exponent at which factors of a format are read: own_field or binary16.
[[nodiscard]] MX_HD constexpr factor_exponent exponent_of_format(factor_exponent how,
                                                                 const format& f) noexcept {
  if (how != factor_exponent::normal_e2m1) return how;
  constexpr format e2m1 = formats::e2m1;  // device code has no objects of namespaces
  return f == e2m1 ? factor_exponent::binary16 : factor_exponent::own_field;
}

///   kept     gradual underflow
///   flushed  of inputs: subnormals and zeros become +0; of results: zero with the sign kept
enum class subnormals : std::uint8_t { kept, flushed };

/// What a finite product of 2^128 or more is.
enum class large_product : std::uint8_t { finite, infinite };

///   exact   nothing is cut off before the rounding (Kulisch)
///   window  terms are cut to fraction_bits below the largest exponent among them
enum class alignment : std::uint8_t { exact, window };

/// How a term is cut to the window.
enum class cut : std::uint8_t { toward_zero, down, ties_to_even };

/// What becomes of the bits that were cut off.
///   dropped  nothing
///   sticky   their OR is one bit below the sum's magnitude, unless the sum is zero
enum class lost_bits : std::uint8_t { dropped, sticky };

/// What a zero term does to the largest exponent (D-031).
///   each_zero  it is read at zero_exponent
///   floor      nothing, but the largest exponent is never below zero_exponent
///   ignored    nothing
enum class zero_term : std::uint8_t { each_zero, floor, ignored };

/// The sign of a zero result (D-030, D-045).
///   of_terms  a sum of zero is -0 only where every product and C are -0, whatever the scales; a
///             nonzero sum that rounds to zero keeps its sign
///   plus      +0
enum class zero_result : std::uint8_t { of_terms, plus };

/// What is done with a C far below the products, where C is added late.
enum class far_addend : std::uint8_t { cut, zero };

/// C added to the products' aligned sum in a stage of its own, every cut toward minus infinity.
///   dot_bits      of the products' sum below the larger exponent; 0: there is no such stage
///   addend_bits   of C
///   sum_bits      of their sum below its own exponent (or the smallest normal one), before the
///                 rounding
///   far           C more than addend_bits + 1 below: cut like every C (to zero or to minus one
///                 unit), or zero
struct late_addend {
  int dot_bits = 0;
  int addend_bits = 0;
  int sum_bits = 0;
  far_addend far = far_addend::cut;

  friend constexpr bool operator==(const late_addend&, const late_addend&) = default;
};

struct accumulation {
  // Steps.
  int fused = 16;  ///< products added at once; all_of_k, or one_block of scales
  mx::addend addend = mx::addend::every_step;
  int span = 0;  ///< products before C is added, where it comes after; 0: all of K
  mx::joining joining = mx::joining::chained;
  mx::step_order order = mx::step_order::ascending;
  mx::tail tail = mx::tail::zeros;

  // Terms.
  int group = 1;  ///< products summed exactly into one term
  mx::parity parity = mx::parity::together;
  mx::scale_position scales = mx::scale_position::on_product;
  mx::factor_exponent factors = mx::factor_exponent::own_field;
  subnormals inputs = subnormals::kept;
  mx::large_product large = mx::large_product::finite;

  // Alignment.
  mx::alignment alignment = mx::alignment::window;
  int fraction_bits = 25;  ///< of the window: bits below the largest exponent
  mx::cut cut = mx::cut::toward_zero;
  lost_bits lost = lost_bits::dropped;
  zero_term zeros = zero_term::each_zero;
  int zero_exponent = 0;
  late_addend late = {};

  // The result: a number of `output`, in the upper bits of a code of `result`.
  format result = formats::binary32;
  mx::c_format c_format = mx::c_format::of_result;
  format output = formats::binary32;
  mx::rounding rounding = mx::rounding::toward_zero;
  subnormals results = subnormals::kept;
  mx::zero_result zero_result = mx::zero_result::of_terms;
  std::uint32_t nan_code = 0x7FFFFFFF;

  static constexpr int all_of_k = 0;
  static constexpr int one_block = -1;  ///< one product where there are no scales

  friend constexpr bool operator==(const accumulation&, const accumulation&) = default;
};

/// The format of C.
[[nodiscard]] MX_HD constexpr format format_of_c(const accumulation& how) noexcept {
  return how.c_format == c_format::binary16 ? format{formats::binary16} : how.result;
}

/// Formats of the operands of a dot product, and how it is accumulated.
struct dot_model {
  format a = formats::binary16;
  format b = formats::binary16;
  int unread_bits = 0;  ///< low bits of an element's code that are not read (TF32 in 32 bits)
  format scale = formats::e8m0;
  int block = 0;  ///< elements that share a scale; 0: there are no scales
  accumulation sum = {};

  friend constexpr bool operator==(const dot_model&, const dot_model&) = default;
};

/// The same arithmetic for other operands.
[[nodiscard]] MX_HD constexpr dot_model with_formats(dot_model model, const format& a,
                                                     const format& b) noexcept {
  model.a = a;
  model.b = b;
  return model;
}
[[nodiscard]] MX_HD constexpr dot_model with_scales(dot_model model, const format& scale,
                                                    int block) noexcept {
  model.scale = scale;
  model.block = block;
  return model;
}
/// The same model with the other reading of zeros (D-031).
[[nodiscard]] MX_HD constexpr dot_model with_zeros(dot_model model, zero_term zeros,
                                                   int zero_exponent) noexcept {
  model.sum.zeros = zeros;
  model.sum.zero_exponent = zero_exponent;
  return model;
}

}  // namespace mx
