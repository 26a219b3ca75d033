// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_corrected.cpp: products with a correction through device memory.
#include "device_array.h"
#include "device_products.h"
#include "expect_launched.h"

namespace mx::kernels {
namespace {

/// A factor on the device.
struct device_lines {
  explicit device_lines(const lines_of_codes& of)
      : codes(of.codes), scales(of.scales), storage(of.storage), line_bytes(of.line_bytes) {}

  [[nodiscard]] gemm_operand operand() const {
    return {codes.data(), storage, line_bytes, scales.data()};
  }

  device_bytes codes, scales;
  code_storage storage;
  std::int64_t line_bytes;
};

}  // namespace

std::vector<std::uint32_t> corrected_product_of_device(const corrected_case& one,
                                                       const corrected_input& input) {
  const device_lines a(input.a), b(input.b), rest(input.rest);
  const device_array<float> of_a(input.a_reciprocals), of_b(input.b_reciprocals);
  const device_array<std::uint32_t> d(static_cast<std::size_t>(one.shape.m * one.shape.n));
  const corrected_gemm_request request =
      corrected_request_of(one, input,
                           {a.operand(), b.operand(), rest.operand(), of_a.data(), of_b.data(),
                            reinterpret_cast<float*>(d.data())});
  expect_launched(gemm_corrected(request, nullptr));
  expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return values_of(d);
}

}  // namespace mx::kernels
