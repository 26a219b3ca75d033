// SPDX-License-Identifier: Apache-2.0
// kernels/bench/timed_product.h: operands of a timed product, and the same numbers for
// cuBLAS. Has not run on its hardware.
#pragma once
#include <deque>

#include "cublas.h"
#include "device_bench.h"
#include "mx/kernels/gemm.h"

namespace mx::kernels {

inline constexpr gemm_shape product_size{8192, 8192, 8192};
inline constexpr double product_operations = 2.0 * 8192 * 8192 * 8192;

/// Scales as N(0, 1) produces them, or with exponents uniform in [-8, 8].
enum class exponents : unsigned char { near, spread };

///   format  of both factors: MXFP4, or NVFP4 with tensor scale 1; the latter with near
///           exponents only
struct product_kind {
  dot_model model;
  block_format format;
  exponents scales;
};

/// Lines along k of N(0, 1) in codes, and their values in BF16, which represents them exactly.
class timed_factor {
 public:
  timed_factor(const product_kind& kind, unsigned seed);

  [[nodiscard]] gemm_operand operand() const;
  [[nodiscard]] const void* values() const { return values_.data(); }

 private:
  device_bytes codes_, scales_, values_;
};

class timed_product {
 public:
  explicit timed_product(const product_kind& kind);

  /// Allocates what the kernel requires; it lives as long as this object.
  [[nodiscard]] gemm_request request_for(gemm_kernel kernel);

  /// Whether a kernel other than the core one supports it.
  [[nodiscard]] bool has_fast_kernel() const { return gemm_workspace_bytes(request_) > 0; }

  /// cuBLAS' product of the same numbers.
  ///   blas  must outlive the returned function
  [[nodiscard]] std::function<void()> blas_work(const cublas& blas, second_factor order) const;

 private:
  timed_factor a_, b_;
  device_array<float> d_;
  std::deque<device_bytes> workspaces_;
  gemm_request request_;
};

}  // namespace mx::kernels
