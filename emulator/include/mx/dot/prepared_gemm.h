// SPDX-License-Identifier: Apache-2.0
// mx/dot/prepared_gemm.h: products of many A's with one B that is laid out once, with an alpha for
// each row and each column. Equal to mx::gemm (mx/dot/bulk_gemm.h) bit for bit.
#pragma once
#include <memory>

#include "mx/dot/bulk_gemm.h"

namespace mx {

/// B of products under a plan, laid out for any number of A's under the instruction set and the dot
/// instruction of its construction.
class prepared_factor {
 public:
  /// Copies B's codes and scales.
  ///   b       as in gemm
  ///   errors  throws std::invalid_argument as gemm does for a plan, n, k and B
  prepared_factor(const gemm_plan& plan, std::int64_t n, std::int64_t k, const gemm_operand& b);
  prepared_factor(prepared_factor&&) noexcept;
  prepared_factor& operator=(prepared_factor&&) noexcept;
  ~prepared_factor();

  [[nodiscard]] std::int64_t n() const noexcept;
  [[nodiscard]] std::int64_t k() const noexcept;

 private:
  friend void gemm(std::int64_t m, const gemm_operand& a, const prepared_factor& b,
                   const struct gemm_alphas& alphas, const std::uint32_t* c, std::uint32_t* d);
  class layout;
  std::unique_ptr<const layout> layout_;
};

/// The alpha of D(i, j) as RNE32(rows[i] * columns[j]), such as the product of two tensors' scales.
///   rows  m      columns  n      any FP32 numbers; null: all 1
struct gemm_alphas {
  const float* rows = nullptr;
  const float* columns = nullptr;
};

/// Computes D of the plan with which B was prepared.
///   alphas  if both are null, the plan's alpha is that of every element; otherwise it must be 1
///   c, d    as in gemm
///   errors  throws std::invalid_argument for a negative m, a null pointer, codes wider than their
///           storage, alphas beside a plan's alpha that is not 1
/// Products of less than 2^25 multiplications run on the calling thread if the model has kernels.
void gemm(std::int64_t m, const gemm_operand& a, const prepared_factor& b,
          const gemm_alphas& alphas, const std::uint32_t* c, std::uint32_t* d);

}  // namespace mx
