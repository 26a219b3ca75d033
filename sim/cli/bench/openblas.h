// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/openblas.h: OpenBLAS as a yardstick: loaded at run time, one thread, the best core.
#pragma once
#include <optional>
#include <string>

namespace sim::cli {

class openblas {
 public:
  /// Loads the library once for the whole process; no value where it is not installed.
  [[nodiscard]] static std::optional<openblas> load();

  /// The kernels in use, by the library's name.
  [[nodiscard]] const std::string& core() const noexcept { return core_; }

  /// C = A * B, row-major: A is m x k, B is k x n.
  void multiply(int m, int n, int k, const float* a, const float* b, float* c) const;

  /// Best rate of several products of this shape, in 10^9 operations a second of the calling
  /// thread's CPU time; two for each multiply-add.
  [[nodiscard]] double best_rate(int m, int n, int k) const;

 private:
  using sgemm_function = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                                  float alpha, const float* a, int lda, const float* b, int ldb,
                                  float beta, float* c, int ldc);
  openblas(sgemm_function sgemm, std::string core);

  sgemm_function sgemm_;
  std::string core_;
};

}  // namespace sim::cli
