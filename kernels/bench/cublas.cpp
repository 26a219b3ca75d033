// SPDX-License-Identifier: Apache-2.0
// kernels/bench/cublas.cpp: cuBLAS as the yardstick of products.
// Source: cuBLAS' documentation, "cublasGemmEx" and "Data Layout"; the values of its enumerators.
#include "cublas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace mx::kernels {
namespace {

constexpr int as_it_is = 0, transposed = 1;
constexpr int bfloat16 = 14, sums_in_binary32 = 68, any_algorithm = -1;

template <class Function>
Function function_of(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

std::string version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace

cublas::cublas(cublas&& other) noexcept
    : gemm_(other.gemm_),
      destroy_(other.destroy_),
      handle_(std::exchange(other.handle_, nullptr)),
      name_(std::move(other.name_)) {}

cublas::~cublas() {
  // A library without this function gives no handle.
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
  if (handle_ != nullptr) destroy_(handle_);
}

// The library's matrices are column-major: it computes the transpose of D, which is that of B
// times that of A, and reads each of ours as transposed already.
void cublas::multiply(const gemm_shape& shape, const void* a, const void* b, second_factor order,
                      void* d) const {
  const int m = static_cast<int>(shape.m), n = static_cast<int>(shape.n);
  const int k = static_cast<int>(shape.k);
  const float one = 1, zero = 0;
  const bool lies_along_k = order == second_factor::lines_of_k;
  const int error = gemm_(handle_, lies_along_k ? transposed : as_it_is, as_it_is, n, m, k, &one, b,
                          bfloat16, lies_along_k ? k : n, a, bfloat16, k, &zero, d, bfloat16, n,
                          sums_in_binary32, any_algorithm);
  if (error != 0) throw std::runtime_error("cublasGemmEx gave error " + std::to_string(error));
}

cublas_or_absence cublas_of(const std::vector<std::string>& candidates) {
  std::string absence =
      "cuBLAS is missing: put the folder of libcublas.so.13 or .12 into LD_LIBRARY_PATH, or run "
      "./bootstrap --cuda-yardstick";
  for (const std::string& file : candidates) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    cublas found;
    const auto create = function_of<int (*)(void**)>(library, "cublasCreate_v2");
    const auto version = function_of<int (*)(void*, int*)>(library, "cublasGetVersion_v2");
    found.gemm_ = function_of<cublas::gemm_function>(library, "cublasGemmEx");
    found.destroy_ = function_of<int (*)(void*)>(library, "cublasDestroy_v2");
    if (create == nullptr || version == nullptr || found.gemm_ == nullptr ||
        found.destroy_ == nullptr) {
      absence = file + " is no cuBLAS";
      continue;
    }
    const int error = create(&found.handle_);
    if (error != 0) {
      found.handle_ = nullptr;
      absence = file + " does not start on this device (error " + std::to_string(error) + ")";
      continue;
    }
    int number = 0;
    version(found.handle_, &number);
    found.name_ = "cuBLAS " + version_text(number);
    return {std::move(found), {}};
  }
  return {std::nullopt, absence};
}

std::vector<std::string> cublas_candidates(const std::string& toolkit_libraries) {
  std::vector<std::string> folders{""};
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(std::string(home) + "/lib64/");
  folders.push_back(toolkit_libraries + "/");
  std::vector<std::string> candidates;
  for (const char* file : {"libcublas.so.13", "libcublas.so.12"}) {
    for (const std::string& folder : folders) candidates.push_back(folder + file);
  }
  return candidates;
}

}  // namespace mx::kernels
