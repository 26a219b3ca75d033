// SPDX-License-Identifier: Apache-2.0
// mx/dot/dot.h: d = c + sum over k of a[k] * b[k] under a model of a tensor core, bit by bit: the
// one dot-product-add of which every architecture is a value (mx/dot/models.h).
// Source: arXiv 2511.10909; arXiv 2512.07004. Open choices: D-030 to D-039, D-045. Sparse products
// and the scaled ones of CDNA4 have no model here.
#pragma once
#include "mx/dot/steps.h"

namespace mx {

/// The bits of d.
///   k         any; the last step is filled up as the model specifies
///   c         bits of a number of format_of_c(model.sum)
///   returns   bits of a number of model.sum.result; if k is 0, c itself, or rounded where C has
///             another format
///   observer  notified of every step (mx/dot/record.h)
template <class CodeA, class CodeB, class Scale, class Observer>
[[nodiscard]] MX_HD constexpr std::uint32_t dot_observed(const dot_model& model,
                                                         const dot_operand<CodeA, Scale>& a,
                                                         const dot_operand<CodeB, Scale>& b, int k,
                                                         std::uint32_t c,
                                                         Observer& observer) noexcept {
  using steps = dot_steps<dot_operand<CodeA, Scale>, dot_operand<CodeB, Scale>, Observer>;
  return steps(model, a, b, k, observer).plus(c);
}

template <class CodeA, class CodeB, class Scale>
[[nodiscard]] MX_HD constexpr std::uint32_t dot(const dot_model& model,
                                                const dot_operand<CodeA, Scale>& a,
                                                const dot_operand<CodeB, Scale>& b, int k,
                                                std::uint32_t c) noexcept {
  no_observer none;
  return dot_observed(model, a, b, k, c, none);
}

/// The same over adjacent codes.
///   scale_a, scale_b  one for every block of the model; null: all scales are 1
template <class CodeA, class CodeB, class Scale = std::uint8_t>
[[nodiscard]] MX_HD constexpr std::uint32_t dot(const dot_model& model, const CodeA* a,
                                                const CodeB* b, int k, std::uint32_t c,
                                                const Scale* scale_a = nullptr,
                                                const Scale* scale_b = nullptr) noexcept {
  return dot(model, dot_operand<CodeA, Scale>{{a}, {scale_a}},
             dot_operand<CodeB, Scale>{{b}, {scale_b}}, k, c);
}

/// The same for a compile-time model, the only form in which device code can name one.
template <dot_model M, class CodeA, class CodeB, class Scale = std::uint8_t>
[[nodiscard]] MX_HD constexpr std::uint32_t dot(const CodeA* a, const CodeB* b, int k,
                                                std::uint32_t c, const Scale* scale_a = nullptr,
                                                const Scale* scale_b = nullptr) noexcept {
  return dot(M, a, b, k, c, scale_a, scale_b);
}

}  // namespace mx
