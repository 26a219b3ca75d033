// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_backend.cpp: cases through device memory.
#include "device_backend.h"

#include "case_requests.h"
#include "device_array.h"
#include "expect_launched.h"

namespace mx::kernels {
namespace {

status launch(const kernel_case& one, const case_memory& at) {
  switch (one.what) {
    case operation::quantize:
      return quantize(quantize_request_of(one, at), nullptr);
    case operation::dequantize:
      return dequantize(dequantize_request_of(one, at), nullptr);
    case operation::fake_quantize:
      return fake_quantize(fake_quantize_request_of(one, at), nullptr);
    case operation::rotate_quantize:
      return rotate_quantize(rotate_request_of(one, at), nullptr);
    case operation::decompose:
      return decompose(decompose_request_of(one, at), nullptr);
  }
  return {};
}

}  // namespace

std::vector<named_bytes> results_of_device(const kernel_case& one, const case_input& input) {
  std::vector<named_bytes> results = empty_results(one);
  const device_bytes x(input.x), codes(input.codes), scales(input.scales);
  const device_array<float> tensor_scale(std::vector<float>{input.tensor_scale});
  std::vector<device_bytes> arrays;
  for (const named_bytes& result : results) arrays.emplace_back(result.bytes);
  case_memory at{x.data(), codes.data(), scales.data(), tensor_scale.data(), {}};
  for (const device_bytes& array : arrays) at.results.push_back(array.data());
  expect_launched(launch(one, at));
  expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (std::size_t k = 0; k < results.size(); ++k) results[k].bytes = values_of(arrays[k]);
  return results;
}

}  // namespace mx::kernels
