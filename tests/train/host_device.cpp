// SPDX-License-Identifier: Apache-2.0
// tests/train/host_device.cpp: see host_device.h.
#include "host_device.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "sim/device/device_calls.h"
#include "sim/device/device_products.h"
#include "tests/kernels/grid/host_gemm.h"
#include "tests/kernels/grid/host_launch.h"
#include "tests/kernels/grid/host_values.h"

namespace test {
namespace {

int devices = 1;
std::size_t most_pitch = cuda_most_pitch;

}  // namespace

device_counts& counts_of_device() {
  static device_counts counts;
  return counts;
}

void set_device_count(int count) { devices = count; }
void set_most_pitch(std::size_t bytes) { most_pitch = bytes; }

}  // namespace test

namespace sim {

int device_count() { return test::devices; }

mx::kernels::stream new_stream() {
  ++test::counts_of_device().streams;
  return nullptr;
}
void end_stream(mx::kernels::stream /*all are one*/) noexcept {
  --test::counts_of_device().streams;
}

/// Filled, so that memory that is read before it is written is seen.
void* new_device_memory(std::size_t bytes) {
  ++test::counts_of_device().memory;
  void* made = ::operator new(bytes);
  std::memset(made, 0xA5, bytes);
  return made;
}
void free_device_memory(void* memory) noexcept {
  if (memory == nullptr) return;
  --test::counts_of_device().memory;
  ::operator delete(memory);
}

void copy_to_device(void* to, const void* from, std::size_t bytes,
                    mx::kernels::stream /*at once*/) {
  std::memcpy(to, from, bytes);
}
/// Refuses what cudaMemcpy2DAsync does.
void copy_lines_to_device(void* to, const void* from, std::size_t stride, std::size_t lines,
                          std::size_t bytes_a_line, mx::kernels::stream /*at once*/) {
  if (std::max(stride, bytes_a_line) > test::most_pitch || bytes_a_line > stride) {
    throw device_error("cudaMemcpy2DAsync: invalid pitch argument");
  }
  for (std::size_t i = 0; i < lines; ++i) {
    std::memcpy(static_cast<char*>(to) + i * bytes_a_line,
                static_cast<const char*>(from) + i * stride, bytes_a_line);
  }
}
void copy_to_host(void* to, const void* from, std::size_t bytes, mx::kernels::stream /*at once*/) {
  std::memcpy(to, from, bytes);
}
void wait_for(mx::kernels::stream /*nothing is under way*/) {}

}  // namespace sim

namespace mx::kernels {

status multiply(const value_product_request& r, stream /*at once*/) {
  test::counts_of_device().value_rows += r.rows;
  return kernels_test::multiply(r);
}
status add_leaves(const value_leaves_request& r, stream /*at once*/) {
  test::counts_of_device().value_leaves += r.count * r.m;
  return kernels_test::add_leaves(r);
}
status add_products(const product_leaves_request& r, stream /*at once*/) {
  return kernels_test::add_products(r);
}
status gemm(const gemm_request& r, stream /*at once*/) {
  test::counts_of_device().code_rows += r.shape.m;
  return kernels_test::gemm(r).status;
}
status gemm_grouped(const gemm_grouped_request& r, stream /*at once*/) {
  for (std::int64_t i = 0; i < r.count; ++i) {
    test::counts_of_device().code_leaves += r.groups[i].shape.m;
  }
  return kernels_test::gemm_grouped(r).status;
}

status quantize(const quantize_request& r, stream /*at once*/) {
  test::counts_of_device().quantized_rows += r.shape.rows;
  return kernels_test::quantize(r).status;
}
status fake_quantize(const fake_quantize_request& r, stream /*at once*/) {
  test::counts_of_device().quantized_rows += r.shape.rows;
  return kernels_test::fake_quantize(r).status;
}

}  // namespace mx::kernels
