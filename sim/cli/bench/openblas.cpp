// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/openblas.cpp: OpenBLAS as a yardstick.
// Source: OpenBLAS' README, "Usage" (OPENBLAS_CORETYPE, OPENBLAS_NUM_THREADS); the values of CBLAS.
#include "sim/cli/bench/openblas.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "sim/cli/bench/memory_yardstick.h"

namespace sim::cli {
namespace {

constexpr int row_major = 101, not_transposed = 111;
constexpr int repetitions = 12;

/// By default, the library may not recognize a new processor and use kernels of an old one.
const char* best_core() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return "SkylakeX";
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell" : nullptr;
}

}  // namespace

openblas::openblas(sgemm_function sgemm, std::string core)
    : sgemm_(sgemm), core_(std::move(core)) {}

std::optional<openblas> openblas::load() {
  if (const char* core = best_core()) setenv("OPENBLAS_CORETYPE", core, 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  const auto sgemm = reinterpret_cast<sgemm_function>(dlsym(library, "cblas_sgemm"));
  const auto name = reinterpret_cast<char* (*)()>(dlsym(library, "openblas_get_corename"));
  if (sgemm == nullptr || name == nullptr) return {};
  return openblas(sgemm, name());
}

void openblas::multiply(int m, int n, int k, const float* a, const float* b, float* c) const {
  sgemm_(row_major, not_transposed, not_transposed, m, n, k, 1.0F, a, k, b, n, 0.0F, c, n);
}

double openblas::best_rate(int m, int n, int k) const {
  const auto floats = [](int rows, int columns) {
    return std::vector<float>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns),
                              0.5F);
  };
  const std::vector<float> a = floats(m, k), b = floats(k, n);
  std::vector<float> c = floats(m, n);
  double best = 0;
  for (int i = 0; i < repetitions; ++i) {
    const double seconds = seconds_of([&] { multiply(m, n, k, a.data(), b.data(), c.data()); });
    best = std::max(best, 2e-9 * m * n * k / seconds);
  }
  return best;
}

}  // namespace sim::cli
