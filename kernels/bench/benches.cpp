// SPDX-License-Identifier: Apache-2.0
// kernels/bench/benches.cpp: maps measures to benches, and checks the device. Has not run on its
// hardware.
#include "benches.h"

#include <random>

#include "../src/cuda_version.h"
#include "device_bench.h"

namespace mx::kernels {
namespace {

constexpr std::int64_t drawn_elements = std::int64_t{1} << 22;

/// BF16 values are the upper half of FP32's bits.
std::vector<std::uint8_t> bytes_of_values(number_type type, const std::vector<float>& values) {
  const std::size_t size = bytes_of(type), skipped = 4 - size;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(values.size() * size);
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (std::size_t b = skipped; b < 4; ++b) {
      bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
    }
  }
  return bytes;
}

/// Fills memory by repeating its first `filled` bytes.
void repeat_first(const device_bytes& memory, std::size_t filled) {
  for (; filled < memory.size(); filled *= 2) {
    expect_done(cudaMemcpy(memory.data() + filled, memory.data(), filled, cudaMemcpyDeviceToDevice),
                "cudaMemcpy");
  }
}

}  // namespace

device_bytes normal_values(number_type type, std::int64_t elements, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(drawn_elements);
  for (float& value : values) value = normal(random);
  const std::vector<std::uint8_t> bytes = bytes_of_values(type, values);
  device_bytes memory(static_cast<std::size_t>(elements) * bytes_of(type));
  copy_to_device(memory.data(), bytes.data(), bytes.size());
  repeat_first(memory, bytes.size());
  return memory;
}

std::string device_absence() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return {};
  static_cast<void>(cudaGetLastError());
  int driver = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  const char* why = error == cudaSuccess ? "there is none" : cudaGetErrorString(error);
  return std::string("no CUDA device can be used: ") +
         (driver == 0 ? "there is no NVIDIA driver" : why);
}

device_in_use device_in_use_now() {
  cudaDeviceProp properties{};
  int device = 0, driver = 0, runtime = 0;
  expect_done(cudaGetDevice(&device), "cudaGetDevice");
  expect_done(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  expect_done(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  expect_done(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  return {properties.name,
          std::to_string(properties.major) + "." + std::to_string(properties.minor),
          version_text(driver), version_text(runtime)};
}

std::vector<figure> figures_of(std::string_view name) {
  const std::string absence = device_absence();
  if (!absence.empty()) throw not_measurable(absence);
  if (name == "cuda.quantize.mxfp4") return quantize_figures(name, number_type::bf16);
  if (name == "cuda.quantize.mxfp4.fp32") return quantize_figures(name, number_type::fp32);
  if (name == "cuda.decompose.mxfp4") return decompose_figures(name);
  return product_figures(name);
}

}  // namespace mx::kernels
