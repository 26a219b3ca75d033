// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_output.h: rows of sums on their way to D, and into the levels of a tree.
#pragma once
#include <cstddef>
#include <cstdint>

#include "mx/dot/gemm.h"

namespace mx {

/// D of a row of FP32 sums; equals mx::finished of a plan whose output is FP32 and whose alpha is
/// RNE32(alpha * alphas[j]), C excluded.
///   alphas  null: all 1      nan  of the plan's model      d  may be sums
void finish_row(const float* sums, float alpha, const float* alphas, std::uint32_t nan,
                std::int64_t count, float* d);

/// Carries a row of one leaf's D into the levels of a tree by mx::add_fp32.
///   at  of the row in each level
void carry_row(const float* d, std::int64_t leaf, float* const* levels, std::ptrdiff_t at,
               std::uint32_t nan, std::int64_t count);

/// D of a product and what becomes of its sums before: row-major, n columns.
class gemm_output {
 public:
  ///   row_alphas, column_alphas  null: all 1; both null: the plan's alpha
  gemm_output(const gemm_plan& plan, std::int64_t n, const float* row_alphas,
              const float* column_alphas, const std::uint32_t* c, std::uint32_t* d)
      : plan_(plan), n_(n), row_alphas_(row_alphas), column_alphas_(column_alphas), c_(c), d_(d) {}

  /// Initial values of the sums from element (i, j) on; null: +0.
  [[nodiscard]] const std::uint32_t* starts(std::int64_t i, std::int64_t j) const {
    return c_ != nullptr && plan_.c_entry == c_entry::first_step ? c_ + i * n_ + j : nullptr;
  }
  /// Stores the elements (i, j) to (i, j + count - 1).
  void store(std::int64_t i, std::int64_t j, std::int64_t count, const std::uint32_t* sums) const;

 private:
  void store_each(std::int64_t i, std::int64_t j, std::int64_t count,
                  const std::uint32_t* sums) const;

  const gemm_plan& plan_;
  std::int64_t n_;
  const float *row_alphas_, *column_alphas_;
  const std::uint32_t* c_;
  std::uint32_t* d_;
};

}  // namespace mx
