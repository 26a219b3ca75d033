// SPDX-License-Identifier: Apache-2.0
// mx/dot/gemm.h: a whole product: how its elements are combined from dot products, and their
// output.
// Source: DeepSeek-V3 (arXiv 2412.19437), 3.3.2 (sums promoted to FP32 every 128 of K); what
// kernels call split-K; BLAS' GEMM (alpha). Open choices: D-041 (where C enters, the order of
// roundings).
#pragma once
#include "mx/dot/dot.h"
#include "mx/number/fp32.h"

namespace mx {

/// A vector from element `first` on, which begins a block.
template <class Operand>
[[nodiscard]] MX_HD constexpr Operand beginning_at(const dot_model& model, Operand from,
                                                   std::int64_t first) noexcept {
  from.codes.first += first * from.codes.stride;
  if (model.block > 0 && from.scales.first != nullptr) {
    from.scales.first += first / model.block * from.scales.stride;
  }
  return from;
}

/// How the sums of the parts of K are combined.
///   ascending  ((p0 + p1) + p2) + ...
///   pairwise   adjacent ones are added, an odd one passes up
enum class split_order : std::uint8_t { ascending, pairwise };

/// Where C enters.
///   first_step  the sums begin with it, as in D = A B + C of a tensor core
///   epilogue    it is added last, in FP32, after alpha
enum class c_entry : std::uint8_t { first_step, epilogue };

/// What a product's sums are multiplied by: alpha, and the tensor scales of A and B.
struct sum_factors {
  float alpha = 1, a = 1, b = 1;
};

/// All of them in FP32: RNE32(alpha * RNE32(a * b)).
[[nodiscard]] MX_HD constexpr float combined(const sum_factors& f) noexcept {
  return fp32::multiply(f.alpha, fp32::multiply(f.a, f.b));
}

/// D = out(alpha (C + sum over k of a b)), or with C in the epilogue out(alpha sum + C).
///   promote  elements of K whose sum begins with +0 and is then added in FP32 (RNE); 0: none
///   split_k  number of parts of K, summed separately; the sums are added in FP32 (RNE)
///   alpha    times the tensor scales, if any; multiplied in FP32 (RNE) unless it is 1
///   output   of D: binary32, binary16 or bfloat16      output_rounding  without random bits
struct gemm_plan {
  static constexpr int most_parts = 1 << 16;

  dot_model model;
  int promote = 0;
  int split_k = 1;
  mx::split_order split_order = mx::split_order::ascending;
  mx::c_entry c_entry = mx::c_entry::first_step;
  float alpha = 1;
  format output = formats::binary32;
  rounding output_rounding = rounding::ties_to_even;
};

/// Why a plan is invalid.
enum class gemm_refusal : std::uint8_t {
  none,
  promote,   ///< 0 or a multiple of the block
  split_k,   ///< 1 to most_parts
  c_format,  ///< C in a format of its own, as one instruction has it, not a chain of them
  result,    ///< FP32 sums need a model whose result is FP32
  output,    ///< FP32, FP16 or BF16
  rounding,  ///< of the output: without random bits
};

[[nodiscard]] MX_HD constexpr gemm_refusal refusal_of(const gemm_plan& p) noexcept {
  const int block = p.model.block > 0 ? p.model.block : 1;
  if (p.promote < 0 || p.promote % block != 0) return gemm_refusal::promote;
  if (p.split_k < 1 || p.split_k > gemm_plan::most_parts) return gemm_refusal::split_k;
  if (p.model.sum.c_format != c_format::of_result) return gemm_refusal::c_format;
  const bool fp32 = p.model.sum.result == format{formats::binary32};
  if (!fp32 && (p.promote > 0 || p.split_k > 1)) return gemm_refusal::result;
  const bool known = p.output == format{formats::binary32} ||
                     p.output == format{formats::binary16} || p.output == format{formats::bfloat16};
  if (!known) return gemm_refusal::output;
  return p.output_rounding == rounding::stochastic ? gemm_refusal::rounding : gemm_refusal::none;
}

/// Elements of K in every part but the last: K over the parts, rounded up to whole pieces between
/// promotions; without promotion to whole blocks, as many as make 64 or more, a multiple of every
/// tensor core's steps.
[[nodiscard]] MX_HD constexpr std::int64_t part_size(const gemm_plan& p, std::int64_t k) noexcept {
  if (p.split_k == 1) return k;
  const int block = p.model.block > 0 ? p.model.block : 1;
  const std::int64_t grain =
      p.promote > 0 ? p.promote : (std::int64_t{64} + block - 1) / block * block;
  const std::int64_t even = (k + p.split_k - 1) / p.split_k;
  return (even + grain - 1) / grain * grain;
}

/// NaN as the model writes it: NVIDIA's with all bits set, or the format's own.
[[nodiscard]] MX_HD constexpr std::uint32_t nan_of(const dot_model& model,
                                                   const format& f) noexcept {
  const bool all_bits = model.sum.nan_code == (model.sum.result.sign_mask() - 1);
  return all_bits ? f.sign_mask() - 1 : f.nan_code();
}

/// RNE32(a + b) with the model's NaN.
[[nodiscard]] MX_HD constexpr float add_fp32(const dot_model& model, float a, float b) noexcept {
  const float sum = fp32::add(a, b);
  const bool nan = (bits_of(sum) & 0x7FFFFFFF) > formats::binary32.infinity_code();
  return nan ? float_of(nan_of(model, format{formats::binary32})) : sum;
}

/// The sum of a part over k in [begin, end), promoted as the plan specifies.
///   Sums  of one element, or of many at once
///   by    by.dot(first, count, c): the model's dot products of a range of K, starting from c;
///         by.added(a, b): add_fp32; by.zero(): +0
template <class Sums, class By>
[[nodiscard]] MX_HD constexpr Sums part_sum(const gemm_plan& p, std::int64_t begin,
                                            std::int64_t end, Sums start, const By& by) {
  if (p.promote == 0) return by.dot(begin, end - begin, static_cast<Sums&&>(start));
  for (std::int64_t first = begin; first < end; first += p.promote) {
    const std::int64_t count = end - first < p.promote ? end - first : p.promote;
    start = by.added(static_cast<Sums&&>(start), by.dot(first, count, by.zero()));
  }
  return start;
}

/// Sums of parts [first, last) in pairs: the largest power of two below their number, and the rest.
template <class Sums, class SumOf, class By>
[[nodiscard]] MX_HD constexpr Sums sum_of_pairs(std::int64_t first, std::int64_t last,
                                                const SumOf& sum_of, const By& by) {
  if (last - first == 1) return sum_of(first);
  std::int64_t left = 1;
  while (2 * left < last - first) left *= 2;
  return by.added(sum_of_pairs<Sums>(first, first + left, sum_of, by),
                  sum_of_pairs<Sums>(first + left, last, sum_of, by));
}

/// The sum of all parts.
///   start  initial value of the first part; the others begin with +0
template <class Sums, class By>
[[nodiscard]] MX_HD constexpr Sums sum_of_parts(const gemm_plan& p, std::int64_t k, Sums start,
                                                const By& by) {
  const std::int64_t size = part_size(p, k);
  const std::int64_t parts = k > 0 ? (k + size - 1) / size : 1;
  const auto sum_of = [&](std::int64_t part) {
    const std::int64_t begin = part * size, end = begin + size < k ? begin + size : k;
    return part_sum(p, begin, end, part == 0 ? static_cast<Sums&&>(start) : by.zero(), by);
  };
  if (parts > 1 && p.split_order == split_order::pairwise) {
    return sum_of_pairs<Sums>(0, parts, sum_of, by);
  }
  Sums sum = sum_of(0);
  for (std::int64_t part = 1; part < parts; ++part) {
    sum = by.added(static_cast<Sums&&>(sum), sum_of(part));
  }
  return sum;
}

/// Sums of one element, as bits.
template <class DotOf>
struct element_sums {
  const dot_model& model;
  const DotOf& dot;

  [[nodiscard]] MX_HD constexpr std::uint32_t added(std::uint32_t a,
                                                    std::uint32_t b) const noexcept {
    return bits_of(add_fp32(model, float_of(a), float_of(b)));
  }
  [[nodiscard]] static MX_HD constexpr std::uint32_t zero() noexcept { return 0; }
};

/// The sum of all parts of an element.
///   dot_of  dot_of(first, count, c): the model's dot product of a range of K, starting from c
template <class DotOf>
[[nodiscard]] MX_HD constexpr std::uint32_t gemm_sum(const gemm_plan& p, std::int64_t k,
                                                     std::uint32_t start,
                                                     const DotOf& dot_of) noexcept {
  return sum_of_parts(p, k, start, element_sums<DotOf>{p.model, dot_of});
}

/// The initial value of the sum.
[[nodiscard]] MX_HD constexpr std::uint32_t start_of(const gemm_plan& p, std::uint32_t c) noexcept {
  return p.c_entry == c_entry::first_step ? c : 0;
}

/// Whether D is the unmodified sum.
[[nodiscard]] MX_HD constexpr bool is_sum(const gemm_plan& p) noexcept {
  return p.alpha == 1 && p.c_entry == c_entry::first_step && p.model.sum.result == p.output;
}

/// D from the sum, in the bits of p.output.
///   sum, c    bits of p.model.sum.result
///   overflow  Inf; the largest number if a finite one is rounded toward zero
[[nodiscard]] MX_HD constexpr std::uint32_t finished(const gemm_plan& p, std::uint32_t sum,
                                                     std::uint32_t c) noexcept {
  const format& in = p.model.sum.result;
  if (is_sum(p)) return sum;
  float value = to_binary32(decode(in, sum));
  if (p.alpha != 1) value = fp32::multiply(p.alpha, value);
  if (p.c_entry == c_entry::epilogue) value = fp32::add(value, to_binary32(decode(in, c)));
  const unpacked exact = unpack(value);
  if (exact.kind == kind::nan) return nan_of(p.model, p.output);
  const bool saturates = p.output_rounding == rounding::toward_zero && exact.kind != kind::infinite;
  return encode(p.output, exact, p.output_rounding,
                saturates ? overflow::saturate : overflow::to_infinity);
}

/// An element of D from a line of A and one of B.
///   A, B  dot_operand      c  bits of p.model.sum.result
template <class A, class B>
[[nodiscard]] MX_HD constexpr std::uint32_t gemm_element(const gemm_plan& p, const A& a, const B& b,
                                                         int k, std::uint32_t c) noexcept {
  const auto dot_of = [&](std::int64_t first, std::int64_t count, std::uint32_t from) {
    return dot(p.model, beginning_at(p.model, a, first), beginning_at(p.model, b, first),
               static_cast<int>(count), from);
  };
  return finished(p, gemm_sum(p, k, start_of(p, c), dot_of), c);
}

}  // namespace mx
