// SPDX-License-Identifier: Apache-2.0
// tests/kernels/bench/fake_device.cpp: the CUDA calls that measurement uses, and launchers that
// check their requests as the real ones do and compute nothing.
#include "fake_device.h"

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <cstring>
#include <map>

#include "cublas.h"
#include "device_bench.h"
#include "gemm/request.h"
#include "mx/kernels/decompose.h"
#include "mx/kernels/rotate.h"
#include "requests.h"

namespace {

std::map<void*, std::size_t>& allocations() {
  static std::map<void*, std::size_t> all;
  return all;
}

}  // namespace

fake_device::state& fake_device::now() {
  static state s;
  return s;
}

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = fake_device::now().devices;
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
const char* cudaGetErrorString(cudaError_t /*error*/) { return "CUDA's words"; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
  std::strcpy(properties->name, "a fake");
  properties->major = 12;
  properties->minor = 1;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = fake_device::now().driver;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 12080;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = fake_device::now().free_bytes;
  return cudaSuccess;
}

// Untouched memory takes none.
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  allocations()[*memory] = bytes;
  return *memory == MAP_FAILED ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  munmap(memory, allocations().at(memory));
  allocations().erase(memory);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice) std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/,
                            cudaMemcpyKind /*kind*/, cudaStream_t /*on*/) {
  fake_device::now().seconds += fake_device::copy_seconds;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = reinterpret_cast<cudaEvent_t>(new double(0));
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<double*>(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t /*on*/) {
  *reinterpret_cast<double*>(event) = fake_device::now().seconds;
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const double seconds = *reinterpret_cast<double*>(end) - *reinterpret_cast<double*>(begin);
  *milliseconds = static_cast<float>(1000 * seconds);
  return cudaSuccess;
}
}

namespace mx::kernels {
namespace {

status taken(const status& answer, double seconds) {
  if (answer.is_done()) {
    fake_device::now().seconds += seconds;
  } else if (answer.error != launch_error::format) {  // a kernel does not serve it
    fake_device::now().refused.push_back(sentence_of(answer));
  }
  return answer;
}

bool is_plain(const quantize_request& r) {
  return r.how.format() == block_formats::mxfp4 && r.how.rules.rounding == rounding::ties_to_even &&
         r.how.layout == scale_layout::linear && r.columns.codes == nullptr;
}

}  // namespace

status quantize(const quantize_request& r, stream /*on*/) {
  using namespace fake_device;
  const double plain = r.how.rules.rule == scale_rule::floor ? floor_seconds : rceil_seconds;
  return taken(checked(r), is_plain(r) ? plain : other_seconds);
}
status dequantize(const dequantize_request& r, stream /*on*/) {
  return taken(checked(r), fake_device::other_seconds);
}
status fake_quantize(const fake_quantize_request& r, stream /*on*/) {
  return taken(checked(r), fake_device::other_seconds);
}
status rotate_quantize(const rotate_quantize_request& r, stream /*on*/) {
  return taken(checked(r), fake_device::other_seconds);
}
status decompose(const decompose_request& r, stream /*on*/) {
  const double part = r.how.rules.rule == scale_rule::floor ? 1 : 0.5;
  return taken(checked(r), part * fake_device::decompose_seconds);
}
status gemm(const gemm_request& r, stream /*on*/) {
  if (r.kernel == fake_device::now().lacks) return {launch_error::architecture, "the kernel"};
  if (r.kernel == fake_device::now().unserved) return {launch_error::format, "the kernel"};
  const bool is_slow = r.kernel == gemm_kernel::dp4a;
  return taken(checked(r), is_slow ? fake_device::dp4a_seconds : fake_device::mma_seconds);
}

works read_passes(const device_bytes& /*from*/) {
  works passes;
  for (const double seconds : fake_device::read_seconds) {
    passes.push_back([seconds] { fake_device::now().seconds += seconds; });
  }
  return passes;
}

cublas::cublas(cublas&& other) noexcept : name_(other.name_) {}
cublas::~cublas() = default;

void cublas::multiply(const gemm_shape& /*shape*/, const void* /*a*/, const void* /*b*/,
                      second_factor order, void* /*d*/) const {
  using namespace fake_device;
  now().seconds += order == second_factor::lines_of_k ? blas_rows_seconds : blas_columns_seconds;
}

cublas_or_absence cublas_of(const std::vector<std::string>& /*candidates*/) {
  if (!fake_device::now().has_cublas) return {std::nullopt, "there is no cuBLAS"};
  cublas found;
  found.name_ = "cuBLAS 1.2.3";
  return {std::move(found), {}};
}

std::vector<std::string> cublas_candidates(const std::string& /*toolkit_libraries*/) { return {}; }

}  // namespace mx::kernels
