// SPDX-License-Identifier: Apache-2.0
// kernels/record/devices.cu: instructions by architecture, and words through the device's memory.
#include "devices.h"

#include "device_array.h"
#include "word_kernels.h"

namespace mx::kernels {
namespace {

template <class Instruction>
void launch_mma(const device_words& words, int count) {
  mma_word_kernel<Instruction><<<count, 32>>>(words);
}

template <class Instruction>
void launch_wgmma(const device_words& words, int count) {
  wgmma_word_kernel<Instruction><<<count, wgmma_threads>>>(words);
}

void add_half_precision(std::vector<recorder>& list, const std::string& family) {
  list.push_back({family + ".mma.f16.f32", launch_mma<mma_f16_f32>});
  list.push_back({family + ".mma.f16.f16", launch_mma<mma_f16_f16>});
  list.push_back({family + ".mma.bf16.f32", launch_mma<mma_bf16_f32>});
  list.push_back({family + ".mma.tf32.f32", launch_mma<mma_tf32_f32>});
}

void add_fp8(std::vector<recorder>& list, const std::string& family) {
  list.push_back({family + ".mma.e4m3.f32", launch_mma<mma_e4m3_f32>});
  list.push_back({family + ".mma.e5m2.f32", launch_mma<mma_e5m2_f32>});
  list.push_back({family + ".mma.e4m3.f16", launch_mma<mma_e4m3_f16>});
  list.push_back({family + ".mma.e5m2.f16", launch_mma<mma_e5m2_f16>});
}

void add_wgmma(std::vector<recorder>& list) {
  list.push_back({"hopper.wgmma.f16.f32", launch_wgmma<wgmma_f16_f32>});
  list.push_back({"hopper.wgmma.f16.f16", launch_wgmma<wgmma_f16_f16>});
  list.push_back({"hopper.wgmma.bf16.f32", launch_wgmma<wgmma_bf16_f32>});
  list.push_back({"hopper.wgmma.tf32.f32", launch_wgmma<wgmma_tf32_f32>});
  list.push_back({"hopper.wgmma.e4m3.f32", launch_wgmma<wgmma_e4m3_f32>});
  list.push_back({"hopper.wgmma.e5m2.f32", launch_wgmma<wgmma_e5m2_f32>});
}

void add_block_scaled(std::vector<recorder>& list) {
  list.push_back({"blackwell.mxf4", launch_mma<mma_mxf4>});
  list.push_back({"blackwell.mxf4nvf4", launch_mma<mma_mxf4nvf4>});
  list.push_back({"blackwell.mxf8f6f4.e4m3.e4m3", launch_mma<mma_mxf8f6f4_e4m3>});
}

}  // namespace

std::vector<recorder> recorders_of(int compute_capability) {
  const int major = compute_capability / 10;
  std::string family = major == 8 ? "ampere" : (major == 9 ? "hopper" : "blackwell");
  if (compute_capability == 89) family = "ada";
  if (major == 12) family = "rtxblackwell";
  std::vector<recorder> list;
  if (major < 8) return list;
  add_half_precision(list, family);
  if (compute_capability >= 89) add_fp8(list, family);
  if (major == 9) add_wgmma(list);
  if (compute_capability == 120) add_block_scaled(list);
  return list;
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
