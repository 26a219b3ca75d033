// SPDX-License-Identifier: Apache-2.0
// tests/kernels/bench/cublas_test.cpp: cuBLAS, the yardstick of products, is found or its absence
// is reported; it computes the same product as our kernels.
#include "cublas.h"

#include <dlfcn.h>

#include <bit>
#include <cstdlib>

#include "catch.h"

using namespace mx::kernels;

namespace {

constexpr mx::gemm_shape shape{3, 5, 4};

std::uint16_t bits_of(int value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
}

int value_a(std::int64_t m, std::int64_t k) { return static_cast<int>(m * 2 + k) - 3; }
int value_b(std::int64_t n, std::int64_t k) { return static_cast<int>(k * 3 - n); }

std::vector<std::uint16_t> product(const cublas& blas, second_factor order) {
  std::vector<std::uint16_t> a(12), b(20), d(15);
  for (std::int64_t k = 0; k < shape.k; ++k) {
    for (std::int64_t m = 0; m < shape.m; ++m) {
      a[static_cast<std::size_t>(m * shape.k + k)] = bits_of(value_a(m, k));
    }
    for (std::int64_t n = 0; n < shape.n; ++n) {
      const std::int64_t at =
          order == second_factor::lines_of_k ? n * shape.k + k : k * shape.n + n;
      b[static_cast<std::size_t>(at)] = bits_of(value_b(n, k));
    }
  }
  blas.multiply(shape, a.data(), b.data(), order, d.data());
  return d;
}

int handles_in_use() {
  void* library = dlopen(MX_FAKE_CUBLAS, RTLD_NOW | RTLD_LOCAL);
  const int count = reinterpret_cast<int (*)()>(dlsym(library, "fake_cublas_handles"))();
  dlclose(library);
  return count;
}

}  // namespace

TEST_CASE("both_orders_of_b_give_the_product_of_rows_and_columns") {
  const cublas_or_absence found = cublas_of({"no_such_library.so", MX_FAKE_CUBLAS});
  REQUIRE(found.library);
  CHECK(found.library->name() == "cuBLAS 13.2.7");
  std::vector<std::uint16_t> expected;
  for (std::int64_t m = 0; m < shape.m; ++m) {
    for (std::int64_t n = 0; n < shape.n; ++n) {
      int sum = 0;
      for (std::int64_t k = 0; k < shape.k; ++k) sum += value_a(m, k) * value_b(n, k);
      expected.push_back(bits_of(sum));
    }
  }
  CHECK(product(*found.library, second_factor::lines_of_k) == expected);
  CHECK(product(*found.library, second_factor::lines_of_n) == expected);
}

TEST_CASE("a_handle_lives_as_long_as_its_owner") {
  {
    cublas_or_absence found = cublas_of({MX_FAKE_CUBLAS});
    const cublas moved(std::move(*found.library));
    CHECK(handles_in_use() == 1);
  }
  CHECK(handles_in_use() == 0);
}

TEST_CASE("the_library_s_refusal_of_a_product_is_an_error_with_its_number") {
  const cublas_or_absence found = cublas_of({MX_FAKE_CUBLAS});
  std::uint16_t d = 0;
  std::string message;
  try {
    found.library->multiply({1, 1, 0}, &d, &d, second_factor::lines_of_k, &d);
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  CHECK(message == "cublasGemmEx gave error 7");
}

TEST_CASE("what_is_missing_is_told") {
  const cublas_or_absence none = cublas_of({"no_such_library.so"});
  CHECK_FALSE(none.library);
  CHECK(none.absence.find("./bootstrap --cuda-yardstick") != std::string::npos);
  CHECK(cublas_of({"libm.so.6"}).absence == "libm.so.6 is no cuBLAS");
  setenv("FAKE_CUBLAS_FAILS", "1", 1);
  const cublas_or_absence stopped = cublas_of({MX_FAKE_CUBLAS});
  unsetenv("FAKE_CUBLAS_FAILS");
  CHECK_FALSE(stopped.library);
  CHECK(stopped.absence.find("does not start on this device (error 1)") != std::string::npos);
  CHECK(handles_in_use() == 0);
}

TEST_CASE("libraries_are_looked_for_by_name_then_beside_toolkits_and_13_before_12") {
  setenv("CUDA_HOME", "/opt/tools", 1);
  const std::vector<std::string> named = cublas_candidates("/opt/compiled/lib");
  unsetenv("CUDA_HOME");
  CHECK(named == std::vector<std::string>{"libcublas.so.13", "/opt/tools/lib64/libcublas.so.13",
                                          "/opt/compiled/lib/libcublas.so.13", "libcublas.so.12",
                                          "/opt/tools/lib64/libcublas.so.12",
                                          "/opt/compiled/lib/libcublas.so.12"});
  CHECK(cublas_candidates("/opt/compiled/lib").size() == 4);
}
