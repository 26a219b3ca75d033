// SPDX-License-Identifier: Apache-2.0
// kernels/record/devices.cu: instructions by architecture, and words through device memory.
#include "devices.h"

#include "conversion_instructions.h"
#include "device_array.h"
#include "launch.h"
#include "sent_words.h"
#include "tensor_instructions.h"
#include "word_kernels.h"

namespace mx::kernels {
namespace {

template <class Instruction>
void launch_mma(const device_words& words, int count) {
  mma_word_kernel<Instruction><<<count, mma_word_threads>>>(words);
}

template <class Instruction>
void launch_wgmma(const device_words& words, int count) {
  wgmma_word_kernel<Instruction><<<count, wgmma_word_threads>>>(words);
}

template <class Instruction>
void launch_tensor(const device_words& words, int count) {
  tensor_word_kernel<Instruction><<<count, tensor_word_threads>>>(words);
}

template <class Instruction>
void launch_conversion(const device_words& words, int count) {
  const int blocks = (count + conversion_threads - 1) / conversion_threads;
  conversion_word_kernel<Instruction><<<blocks, conversion_threads>>>(words, count);
}

template <class Kernel>
const void* address_of(Kernel* kernel) {
  return reinterpret_cast<const void*>(kernel);
}

template <class Instruction>
recorder mma_recorder(const std::string& prefix) {
  return {prefix + Instruction::name, launch_mma<Instruction>,
          address_of(mma_word_kernel<Instruction>), mma_word_threads};
}

template <class Instruction>
recorder wgmma_recorder(const std::string& prefix) {
  return {prefix + Instruction::name, launch_wgmma<Instruction>,
          address_of(wgmma_word_kernel<Instruction>), wgmma_word_threads};
}

template <class Instruction>
recorder tensor_recorder() {
  return {Instruction::name, launch_tensor<Instruction>,
          address_of(tensor_word_kernel<Instruction>), tensor_word_threads};
}

template <class Instruction>
recorder conversion_recorder() {
  return {Instruction::name, launch_conversion<Instruction>,
          address_of(conversion_word_kernel<Instruction>), conversion_threads};
}

/// For models whose name includes the family.
template <class... Instructions>
void add_mma(std::vector<recorder>& list, const std::string& family) {
  (list.push_back(mma_recorder<Instructions>(family + ".")), ...);
}

template <class... Instructions>
void add_scaled(std::vector<recorder>& list, instructions<Instructions...>) {
  (list.push_back(mma_recorder<Instructions>("")), ...);
}

template <class... Instructions>
void add_wgmma(std::vector<recorder>& list, const std::string& family) {
  (list.push_back(wgmma_recorder<Instructions>(family + ".")), ...);
}

template <class... Instructions>
void add_tensor(std::vector<recorder>& list) {
  (list.push_back(tensor_recorder<Instructions>()), ...);
}

void add_hopper(std::vector<recorder>& list) {
  add_wgmma<wgmma_f16_f32, wgmma_f16_f16, wgmma_bf16_f32, wgmma_tf32_f32, wgmma_e4m3_f32,
            wgmma_e4m3_f16, wgmma_e5m2_f32, wgmma_e5m2_f16>(list, "hopper");
  list.push_back(wgmma_recorder<wgmma_s8_s32>(""));
}

void add_blackwell(std::vector<recorder>& list) {
  add_tensor<tensor_f16_f32, tensor_bf16_f32, tensor_tf32_f32, tensor_e4m3_f32, tensor_e5m2_f32,
             tensor_mxf8f6f4_e4m3, tensor_mxf8f6f4_e5m2, tensor_mxf4, tensor_mxf4nvf4>(list);
}

void add_rtx_blackwell(std::vector<recorder>& list) {
  add_mma<mma_e2m1_f32, mma_e2m1_f16, mma_e2m3_f32, mma_e2m3_f16, mma_e3m2_f32, mma_e3m2_f16>(
      list, "rtxblackwell");
  add_scaled(list, instructions<mma_mxf4, mma_mxf4nvf4>{});
  add_scaled(list, mma_mxf8f6f4_e2m1{});
  add_scaled(list, mma_mxf8f6f4_e2m3{});
  add_scaled(list, mma_mxf8f6f4_e3m2{});
  add_scaled(list, mma_mxf8f6f4_e4m3{});
  add_scaled(list, mma_mxf8f6f4_e5m2{});
}

void add_conversions(std::vector<recorder>& list, int major) {
  if (major < 10) return;
  list.push_back(conversion_recorder<convert_to_nearest>());
  if (major == 10) list.push_back(conversion_recorder<convert_randomly>());
}

std::string family_of(int compute_capability) {
  const int major = compute_capability / 10;
  if (compute_capability == 89) return "ada";
  if (major == 12) return "rtxblackwell";
  return major == 8 ? "ampere" : (major == 9 ? "hopper" : "blackwell");
}

}  // namespace

std::vector<recorder> recorders_of(int compute_capability) {
  std::vector<recorder> list;
  if (compute_capability < 80) return list;
  const std::string family = family_of(compute_capability);
  list.push_back(mma_recorder<mma_s8_s32>(""));
  add_mma<mma_f16_f32, mma_f16_f16, mma_bf16_f32, mma_tf32_f32>(list, family);
  if (compute_capability >= 89) {
    add_mma<mma_e4m3_f32, mma_e4m3_f16, mma_e5m2_f32, mma_e5m2_f16>(list, family);
  }
  const int major = compute_capability / 10;
  if (major == 9) add_hopper(list);
  if (major == 10 || major == 11) add_blackwell(list);
  if (major == 12) add_rtx_blackwell(list);
  add_conversions(list, major);
  return list;
}

bool has_code(const recorder& by) {
  return compiled_for(by.kernel, by.model.c_str(), by.threads).is_done();
}

std::vector<std::uint32_t> recorded_words(const recorder& by,
                                          const golden::words::word_file& words) {
  const sent_words sent(words);
  const device_array a(sent.a), b(sent.b), scale_a(sent.scale_a), scale_b(sent.scale_b);
  const device_array c(sent.c), d(sent.c);
  const device_array begin(sent.begin), scale_begin(sent.scale_begin);
  by.launch({a.data(), b.data(), scale_a.data(), scale_b.data(), c.data(), begin.data(),
             scale_begin.data(), d.data()},
            static_cast<int>(sent.c.size()));
  expect_done(cudaGetLastError(), "launch");
  expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return sent.results(values_of(d));
}

}  // namespace mx::kernels
