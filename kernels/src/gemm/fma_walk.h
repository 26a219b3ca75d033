// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/fma_walk.h: the order in which gemm_fma traverses k: slices of 16, cut where a
// span of a correction or of a promotion ends, and repeated through a span with a second pass.
#pragma once
#include "mx/number/config.h"

namespace mx::kernels {

inline constexpr int fma_slice = 16;  // of k; starts at a multiple of it

/// The operation between the multiply-adds.
///   plain           none
///   promoted        sums of spans, which start with +0, are added
///   second_pass     as mx::dot_with_second_pass
///   macro_epilogue  as mx::dot_with_macro_epilogue
enum class fma_sums { plain, promoted, second_pass, macro_epilogue };

/// The factor on A's side of a step.
enum class fma_pass { values, rest };

/// A step is one slice, or the part of it within the span.
template <fma_sums S>
class fma_walk {
 public:
  ///   span  at least 1; all of k if sums are plain
  MX_HD constexpr fma_walk(int k, int span) noexcept : k_(k), span_(span), end_(end_of_span(0)) {}

  [[nodiscard]] MX_HD constexpr bool is_done() const noexcept {
    return (S == fma_sums::plain ? slice_ : first_) >= k_;
  }
  /// First k of the slice.
  [[nodiscard]] MX_HD constexpr int slice() const noexcept { return slice_; }
  /// The part [from, to) of the slice.
  [[nodiscard]] MX_HD constexpr int from() const noexcept {
    return S != fma_sums::plain && first_ > slice_ ? first_ - slice_ : 0;
  }
  [[nodiscard]] MX_HD constexpr int to() const noexcept {
    const int rest = (S == fma_sums::plain ? k_ : end_) - slice_;
    return rest < fma_slice ? rest : fma_slice;
  }
  [[nodiscard]] MX_HD constexpr fma_pass pass() const noexcept { return pass_; }
  [[nodiscard]] MX_HD constexpr bool ends_span() const noexcept {
    return end_ - slice_ <= fma_slice && !has_pass_ahead();
  }

  MX_HD constexpr void advance() noexcept {
    if (S == fma_sums::plain || end_ - slice_ > fma_slice) {
      slice_ += fma_slice;
      return;
    }
    const bool again = has_pass_ahead();
    pass_ = again ? fma_pass::rest : fma_pass::values;
    if (!again) {
      first_ = end_;
      end_ = end_of_span(first_);
    }
    slice_ = first_ / fma_slice * fma_slice;
  }

 private:
  [[nodiscard]] MX_HD constexpr bool has_pass_ahead() const noexcept {
    return S == fma_sums::second_pass && pass_ == fma_pass::values;
  }
  [[nodiscard]] MX_HD constexpr int end_of_span(int first) const noexcept {
    return k_ - first < span_ ? k_ : first + span_;
  }

  int k_, span_;
  int first_ = 0, end_;  ///< of the span
  int slice_ = 0;
  fma_pass pass_ = fma_pass::values;
};

}  // namespace mx::kernels
