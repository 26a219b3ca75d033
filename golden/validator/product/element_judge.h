// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/element_judge.h: one element of a kernel's D against the bound of a
// class.
#pragma once
#include <cstdint>
#include <optional>
#include <tuple>

#include "bound.h"
#include "exact_figure.h"

namespace golden::validator {

/// An element beyond its bound, not yet formatted.
///   special  D is Inf or NaN where a finite number is required, or the reverse
struct breach {
  std::int64_t row = 0, column = 0;
  std::uint32_t found = 0;
  bool special = false;
  mx::wide_fixed error, exact;
  int shift = 0;
  error_ratio ratio;

  [[nodiscard]] bool precedes(const breach& other) const {
    return std::tie(row, column) < std::tie(other.row, other.column);
  }
  [[nodiscard]] bool is_worse_than(const breach& other) const {
    if (special != other.special) return special;
    const bool worse = !special && ratio.is_worse_than(other.ratio);
    const bool better = !special && other.ratio.is_worse_than(ratio);
    return worse || (!better && precedes(other));
  }
};

/// Result of a part of D.
struct tally {
  std::uint64_t exceeded = 0, without_bound = 0;
  std::optional<breach> first, worst;

  void add(const breach& b) {
    if (!first || b.precedes(*first)) first = b;
    if (!worst || b.is_worse_than(*worst)) worst = b;
  }
  void add(const tally& other) {
    exceeded += other.exceeded;
    without_bound += other.without_bound;
    if (other.first) add(*other.first);
    if (other.worst) add(*other.worst);
  }
};

/// Judges elements of a product of some K under a plan.
class element_judge {
 public:
  element_judge(const mx::gemm_plan& plan, std::int64_t k);

  /// Adds the result of element `at`, whose place and code are set.
  void judge(const product_terms& terms, const mx::unpacked& c, breach at, tally& all) const;

 private:
  [[nodiscard]] bool has_special(const mx::operand_kinds& kinds, const mx::unpacked& c) const;
  [[nodiscard]] bool saturates() const;
  [[nodiscard]] bool is_largest(std::uint32_t code) const;
  [[nodiscard]] bool is_extreme(const mx::unpacked& d, std::uint32_t code) const;
  [[nodiscard]] bool agrees(const mx::unpacked& sum, const mx::unpacked& d,
                            std::uint32_t code) const;
  [[nodiscard]] bool is_beyond(const product_terms& terms, const mx::unpacked& c,
                               const mx::unpacked& d, const upper_bound& bound, breach& at) const;

  const mx::gemm_plan& plan_;
  std::int64_t k_;
  // alpha = (-1)^negative * factor * 2^shift
  std::uint32_t factor_ = 0;
  int shift_ = 0;
  bool negative_ = false;
};

}  // namespace golden::validator
