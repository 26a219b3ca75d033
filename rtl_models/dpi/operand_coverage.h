// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/operand_coverage.h: coverage of the operands of dot products: the class of an
// element, its sign and its scale; the class of C; the origin of a NaN.
#pragma once
#include <span>

#include "mx/dot/accumulation.h"
#include "rtl_models/dpi/coverage_bins.h"

namespace hardware {

/// Operands of d = c + sum over k of a[k] * b[k].
///   a, b              a code for each k
///   scale_a, scale_b  one for each block; empty if the model has no scales
struct dot_sample {
  std::span<const std::uint32_t> a, b, scale_a, scale_b;
  std::uint32_t c = 0;
};

/// Points a, b and c, and `special`:
///   a, b     {zero, subnormal, normal, max} x {positive, negative} x {scale_<code>, scale_other},
///            for the smallest two scales, 1 and its neighbours, and the last two codes; an element
///            counts once. Formats with NaN or Inf have these classes too
///   c        {zero, subnormal, normal, max, nan, infinity} x {positive, negative}
///   special  of a dot product: a NaN scale, one over zeros alone, and if formats have Inf a NaN
///            produced by infinities
class operand_coverage {
 public:
  operand_coverage(const mx::dot_model& model, coverage_bins& bins);

  ///   result  bits of d
  void sample(const dot_sample& words, std::uint32_t result, coverage_bins& bins) const;

 private:
  struct element_point {
    mx::format of;
    int first;
  };
  [[nodiscard]] element_point add_elements(const std::string& name, const mx::format& of,
                                           coverage_bins& bins) const;
  [[nodiscard]] std::vector<std::string> scale_labels() const;
  [[nodiscard]] int scale_index(std::span<const std::uint32_t> scales, std::size_t k) const;
  void sample_elements(const element_point& point, std::span<const std::uint32_t> codes,
                       std::span<const std::uint32_t> scales, coverage_bins& bins) const;
  void sample_special(const dot_sample& words, std::uint32_t result, coverage_bins& bins) const;
  [[nodiscard]] bool is_zero_block(const dot_sample& words, std::size_t block) const;

  mx::dot_model model_;
  std::vector<std::uint32_t> named_scales_;
  element_point a_, b_;
  int c_, special_;
};

}  // namespace hardware
