// SPDX-License-Identifier: Apache-2.0
// kernels/bench/cublas.h: cuBLAS as the yardstick of products: loaded at run time, needed by
// nothing else.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mx/dot/bulk_gemm.h"

namespace mx::kernels {

/// How B lies in memory: (n, k) row-major, as codes do, or (k, n).
enum class second_factor : unsigned char { lines_of_k, lines_of_n };

class cublas {
 public:
  cublas(cublas&& other) noexcept;
  cublas(const cublas&) = delete;
  cublas& operator=(const cublas&) = delete;
  ~cublas();

  /// As the library tells it: "cuBLAS 13.1.0".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// D = A * B on the default stream, BF16 in the device's memory, sums in FP32; A (m, k) and
  /// D (m, n) row-major. Does not wait.
  ///   errors  std::runtime_error with the library's number
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

/// absence: why there is none, and how to mend it.
struct cublas_or_absence {
  std::optional<cublas> library;
  std::string absence;
};

/// The first of these files that loads and starts on the device in use.
[[nodiscard]] cublas_or_absence cublas_of(const std::vector<std::string>& candidates);

/// Where the loader looks, beside the toolkit that CUDA_HOME names, and in `toolkit_libraries`, the
/// folder of the one that compiled this; version 13 before 12.
[[nodiscard]] std::vector<std::string> cublas_candidates(const std::string& toolkit_libraries);

}  // namespace mx::kernels
