// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_backend.cpp: cases through the device's memory; events around launches.
#include "device_backend.h"

#include <algorithm>

#include "case_requests.h"
#include "device_array.h"
#include "stopwatch.h"

namespace mx::kernels {
namespace {

using device_bytes = device_array<std::uint8_t>;

void expect_launched(const status& answer) {
  if (!answer.is_done()) throw std::runtime_error(sentence_of(answer));
}

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

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

/// Memory of a matrix that is timed, and of a copy beside it.
struct timed_memory {
  device_bytes x, result, codes, scales, other_codes, other_scales;
};

/// As many rows of 8192 as fit.
std::int64_t rows_that_fit() {
  std::size_t free = 0, total = 0;
  expect_done(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const auto fitting = static_cast<std::int64_t>(free / 5 / 4 / 8192 / 64 * 64);
  return std::min<std::int64_t>(fitting, std::int64_t{1} << 17);
}

kernel_speed speed_of(const kernel_case& one, const timed_memory& memory, std::int64_t bytes) {
  case_memory at{memory.x.data(), memory.codes.data(), memory.scales.data(), nullptr, {}};
  if (one.what == operation::quantize) {
    at.results = {memory.codes.data(), memory.scales.data()};
    if (one.results == wanted::both) {
      at.results.insert(at.results.end(), {memory.other_codes.data(), memory.other_scales.data()});
    }
  } else {
    at.results = {memory.result.data()};
  }
  stopwatch watch;
  std::vector<double> kernel, copy;
  const auto half = static_cast<std::size_t>(bytes / 2);
  for (int run = 0; run < 12; ++run) {
    kernel.push_back(watch.seconds_of([&] { expect_launched(launch(one, at)); }));
    copy.push_back(watch.seconds_of([&] {
      expect_done(
          cudaMemcpyAsync(memory.result.data(), memory.x.data(), half, cudaMemcpyDeviceToDevice),
          "cudaMemcpyAsync");
    }));
  }
  kernel.erase(kernel.begin(), kernel.begin() + 2);  // the first runs load code and fill tables
  copy.erase(copy.begin(), copy.begin() + 2);
  const double gigabytes = static_cast<double>(bytes) * 1e-9;
  const double rate = gigabytes / median(kernel);
  const double copy_rate = 2e-9 * static_cast<double>(half) / median(copy);
  return {one.name, rate, copy_rate, rate / copy_rate};
}

/// Bytes that a case must read and write.
std::int64_t bytes_of_case(const kernel_case& one) {
  const std::int64_t elements = one.shape.rows * one.shape.columns;
  const auto values = elements * static_cast<std::int64_t>(bytes_of(one.type));
  const std::int64_t coded = elements / 2 + elements / 32;
  if (one.what == operation::fake_quantize) return 2 * values;
  return values + (one.results == wanted::both ? 2 : 1) * coded;
}

}  // namespace

void expect_device() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return;
  throw std::runtime_error(std::string("no CUDA device can be used: ") + cudaGetErrorString(error));
}

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

std::vector<kernel_speed> measured_speeds() {
  const matrix_shape shape{rows_that_fit(), 8192};
  const auto elements = static_cast<std::size_t>(shape.rows * shape.columns);
  const timed_memory memory{device_bytes(4 * elements), device_bytes(4 * elements),
                            device_bytes(elements / 2), device_bytes(elements / 32),
                            device_bytes(elements / 2), device_bytes(elements / 32)};
  expect_done(cudaMemset(memory.x.data(), 0x3F, 4 * elements), "cudaMemset");
  expect_done(cudaMemset(memory.scales.data(), 127, elements / 32), "cudaMemset");
  const quantization how{block_formats::mxfp4, scale_rule::rceil};
  const scale_layout linear = scale_layout::linear;
  std::vector<kernel_speed> speeds;
  for (const number_type type : {number_type::bf16, number_type::fp32}) {
    const std::string name = type == number_type::bf16 ? ".bf16" : ".fp32";
    const kernel_case cases[] = {
        {"quantize.mxfp4.rows" + name, operation::quantize, how, type, shape, linear},
        {"quantize.mxfp4.rows.128x4" + name, operation::quantize, how, type, shape,
         scale_layout::blocked_128x4},
        {"quantize.mxfp4.both" + name, operation::quantize, how, type, shape, linear, wanted::both},
        {"dequantize.mxfp4" + name, operation::dequantize, how, type, shape},
        {"fake_quantize.mxfp4" + name, operation::fake_quantize, how, type, shape}};
    for (const kernel_case& one : cases) {
      speeds.push_back(speed_of(one, memory, bytes_of_case(one)));
    }
  }
  return speeds;
}

}  // namespace mx::kernels
