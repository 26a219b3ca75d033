// SPDX-License-Identifier: Apache-2.0
// kernels/bench/cublas.h: cuBLAS as the yardstick of products: loaded at run time, required by
// nothing else.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mx/dot/bulk_gemm.h"

namespace mx::kernels {

/// Storage of B: (n, k) row-major, as codes are, or (k, n).
enum class second_factor : unsigned char { lines_of_k, lines_of_n };

class cublas {
 public:
  cublas(cublas&& other) noexcept;
  cublas(const cublas&) = delete;
  cublas& operator=(const cublas&) = delete;
  ~cublas();

  /// As the library reports it: "cuBLAS 13.1.0".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// D = A * B on the default stream, BF16 in device memory, sums in FP32; A (m, k) and
  /// D (m, n) row-major. Does not wait.
  ///   errors  std::runtime_error with the library's error number
  void multiply(const gemm_shape& shape, const void* a, const void* b, second_factor order,
                void* d) const;

 private:
  friend struct cublas_or_absence cublas_of(const std::vector<std::string>& candidates);
  cublas() = default;

  using gemm_function = int (*)(void* handle, int of_first, int of_second, int m, int n, int k,
                                const void* alpha, const void* first, int first_type,
                                int first_line, const void* second, int second_type,
                                int second_line, const void* beta, void* d, int d_type, int d_line,
                                int compute_type, int algorithm);
  gemm_function gemm_ = nullptr;
  int (*destroy_)(void* handle) = nullptr;
  void* handle_ = nullptr;
  std::string name_;
};

/// absence: why it is missing, and the remedy.
struct cublas_or_absence {
  std::optional<cublas> library;
  std::string absence;
};

/// The first of these files that loads and initializes on the current device.
[[nodiscard]] cublas_or_absence cublas_of(const std::vector<std::string>& candidates);

/// Files in the loader's path, in the toolkit named by CUDA_HOME, and in `toolkit_libraries`, the
/// library folder of the compiling toolkit; version 13 before 12.
[[nodiscard]] std::vector<std::string> cublas_candidates(const std::string& toolkit_libraries);

}  // namespace mx::kernels
