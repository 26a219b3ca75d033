// SPDX-License-Identifier: Apache-2.0
// kernels/record/devices.cu: instructions by architecture, and words through device memory.
#include "devices.h"

#include "conversion_instructions.h"
#include "device_array.h"
#include "launch.h"
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
  std::vector<std::uint32_t> a, b, scale_a, scale_b, c;
  std::vector<int> begin{0}, scale_begin{0};
  for (const golden::words::word_section& section : words.sections) {
    for (const golden::words::dot_word& word : section.words) {
      a.insert(a.end(), word.a.begin(), word.a.end());
      b.insert(b.end(), word.b.begin(), word.b.end());
      scale_a.insert(scale_a.end(), word.scale_a.begin(), word.scale_a.end());
      scale_b.insert(scale_b.end(), word.scale_b.begin(), word.scale_b.end());
      c.push_back(word.c);
      begin.push_back(static_cast<int>(a.size()));
      scale_begin.push_back(static_cast<int>(scale_a.size()));
    }
  }
  const device_array of_a(a), of_b(b), of_scale_a(scale_a), of_scale_b(scale_b), of_c(c), of_d(c);
  const device_array of_begin(begin), of_scale_begin(scale_begin);
  by.launch({of_a.data(), of_b.data(), of_scale_a.data(), of_scale_b.data(), of_c.data(),
             of_begin.data(), of_scale_begin.data(), of_d.data()},
            static_cast<int>(c.size()));
  expect_done(cudaGetLastError(), "launch");
  expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::vector<std::uint32_t> results = values_of(of_d);
  // FP16 results come in pairs, the other one of a column of zeros.
  if (by.model.ends_with(".f16")) {
    for (std::uint32_t& d : results) d &= 0xFFFF;
  }
  return results;
}

}  // namespace mx::kernels
