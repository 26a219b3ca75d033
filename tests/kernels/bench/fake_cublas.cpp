// SPDX-License-Identifier: Apache-2.0
// tests/kernels/bench/fake_cublas.cpp: stand-in for cuBLAS: BF16 matrices in CPU memory,
// column-major as the library's, multiplied one by one.
#include <bit>
#include <cstdint>
#include <cstdlib>

namespace {

int handles = 0;

float value_of(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

std::uint16_t bits_of(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}

/// A matrix as the library sees it: column after column, or its transpose.
struct matrix {
  const void* memory;
  int line, transposed;

  [[nodiscard]] float at(int row, int column) const {
    const int place = transposed != 0 ? row * line + column : column * line + row;
    return value_of(static_cast<const std::uint16_t*>(memory)[place]);
  }
};

}  // namespace

extern "C" {

int fake_cublas_handles() { return handles; }

int cublasCreate_v2(void** handle) {
  if (std::getenv("FAKE_CUBLAS_FAILS") != nullptr) return 1;
  *handle = &handles;
  ++handles;
  return 0;
}

int cublasDestroy_v2(void* /*handle*/) {
  --handles;
  return 0;
}

int cublasGetVersion_v2(void* /*handle*/, int* version) {
  *version = 130207;
  return 0;
}

int cublasGemmEx(void* handle, int of_first, int of_second, int m, int n, int k, const void* alpha,
                 const void* first, int first_type, int first_line, const void* second,
                 int second_type, int second_line, const void* beta, void* d, int d_type,
                 int d_line, int compute_type, int algorithm) {
  constexpr int bfloat16 = 14, sums_in_binary32 = 68;
  const bool is_asked_well =
      handle == &handles && first_type == bfloat16 && second_type == bfloat16 &&
      d_type == bfloat16 && compute_type == sums_in_binary32 && algorithm == -1 &&
      *static_cast<const float*>(alpha) == 1 && *static_cast<const float*>(beta) == 0;
  if (!is_asked_well || k == 0) return 7;
  const matrix a{first, first_line, of_first}, b{second, second_line, of_second};
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += a.at(row, i) * b.at(i, column);
      static_cast<std::uint16_t*>(d)[column * d_line + row] = bits_of(sum);
    }
  }
  return 0;
}
}
