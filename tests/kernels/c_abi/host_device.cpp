// SPDX-License-Identifier: Apache-2.0
// tests/kernels/c_abi/host_device.cpp: launchers by the kernels' bodies, and memory of the host.
#include "host_device.h"

#include <cstring>

#include "golden/bindings/cuda/device_calls.h"
#include "tests/kernels/grid/host_gemm.h"

namespace kernels_test {

host_device& device() {
  static host_device one;
  return one;
}

namespace {

template <class Launch>
mx::kernels::status launched(mx::kernels::stream on, const Launch& launch) {
  device().stream = on;
  ++device().launches;
  return device().fails.is_done() ? launch().status : device().fails;
}

}  // namespace
}  // namespace kernels_test

namespace mx::kernels {

status quantize(const quantize_request& request, stream on) {
  return kernels_test::launched(on, [&] { return kernels_test::quantize(request); });
}
status dequantize(const dequantize_request& request, stream on) {
  return kernels_test::launched(on, [&] { return kernels_test::dequantize(request); });
}
status decompose(const decompose_request& request, stream on) {
  return kernels_test::launched(on, [&] { return kernels_test::decompose(request); });
}
status gemm(const gemm_request& request, stream on) {
  return kernels_test::launched(on, [&] { return kernels_test::gemm(request); });
}
status gemm_batched(const gemm_batched_request& request, stream on) {
  return kernels_test::launched(on, [&] { return kernels_test::gemm_batched(request); });
}
status gemm_grouped(const gemm_grouped_request& request, stream on) {
  return kernels_test::launched(on, [&] { return kernels_test::gemm_grouped(request); });
}

}  // namespace mx::kernels

namespace bindings::cuda {

std::string missing_part() { return kernels_test::device().missing; }

std::string architectures() { return "the kernels are compiled for 90a, and the device is 80"; }

void clear_bytes(void* data, std::uint64_t bytes, mx::kernels::stream on) {
  kernels_test::device().stream = on;
  kernels_test::device().cleared += bytes;
  std::memset(data, 0, bytes);
}

void fetch_bytes(void* to, const void* from, std::uint64_t bytes, mx::kernels::stream on) {
  kernels_test::device().stream = on;
  std::memcpy(to, from, bytes);
}

}  // namespace bindings::cuda
