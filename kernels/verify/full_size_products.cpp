// SPDX-License-Identifier: Apache-2.0
// kernels/verify/full_size_products.cpp: the timed products, compared. Has not run on its hardware.
#include "full_size_products.h"

#include "../bench/timed_product.h"
#include "case_kernels.h"
#include "kernel_names.h"
#include "mx/dot/models.h"
#include "products.h"

namespace mx::kernels {
namespace {

struct full_size_case {
  std::string_view model;
  exponents scales;
  gemm_kernel kernel;
};

/// mma itself is compared with the sample alone.
constexpr full_size_case full_sizes[] = {
    {"fp32.sequential", exponents::near, gemm_kernel::mma},
    {"fp32.sequential", exponents::near, gemm_kernel::wgmma},
    {"fp32.sequential", exponents::near, gemm_kernel::wgmma_e4m3},
    {"blackwell.mxf4", exponents::near, gemm_kernel::mma},
    {"blackwell.mxf4", exponents::near, gemm_kernel::wgmma},
    {"blackwell.mxf4", exponents::near, gemm_kernel::wgmma_e4m3},
    {"blackwell.mxf4", exponents::near, gemm_kernel::native},
    {"blackwell.mxf4", exponents::spread, gemm_kernel::mma},
    {"blackwell.mxf4", exponents::spread, gemm_kernel::native}};

std::string name_of(const full_size_case& one) {
  return "gemm." + std::string(one.model) + ".8192x8192x8192." +
         (one.scales == exponents::near ? "near." : "spread.") + name_in(kernel_names, one.kernel);
}

/// D of a kernel; empty if the device, or this program's code for it, lacks it.
std::optional<std::vector<std::uint32_t>> computed(timed_product& product, gemm_kernel kernel) {
  const gemm_request r = product.request_for(kernel);
  const status answer = gemm(r, nullptr);
  if (answer.error == launch_error::architecture && answer.code == 0) return {};
  expect_done(answer);
  expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::vector<std::uint32_t> d(static_cast<std::size_t>(product_size.m * product_size.n));
  expect_done(cudaMemcpy(d.data(), r.d, d.size() * sizeof d[0], cudaMemcpyDeviceToHost),
              "cudaMemcpy");
  return d;
}

constexpr std::int64_t sampled = 24;

/// The i-th sampled line: both ends, and one of every tile position between.
constexpr std::int64_t sampled_line(std::int64_t i) { return i * 8191 / (sampled - 1); }

/// The sampled lines of a factor, copied from the device.
lines_of_codes sampled_lines(const gemm_operand& of, int block) {
  const std::int64_t bytes = of.line_bytes, scales = product_size.k / block;
  lines_of_codes lines{of.storage, bytes,
                       std::vector<std::uint8_t>(static_cast<std::size_t>(sampled * bytes)),
                       std::vector<std::uint8_t>(static_cast<std::size_t>(sampled * scales))};
  const auto copy = [](std::uint8_t* to, const void* from, std::int64_t offset, std::int64_t size) {
    expect_done(cudaMemcpy(to, static_cast<const std::uint8_t*>(from) + offset,
                           static_cast<std::size_t>(size), cudaMemcpyDeviceToHost),
                "cudaMemcpy");
  };
  for (std::int64_t i = 0; i < sampled; ++i) {
    copy(lines.codes.data() + i * bytes, of.codes, sampled_line(i) * bytes, bytes);
    copy(lines.scales.data() + i * scales, of.scales, sampled_line(i) * scales, scales);
  }
  return lines;
}

/// The first sampled element at which D is not the core's.
std::string difference_from_core(const full_size_case& one, const gemm_request& r,
                                 const std::vector<std::uint32_t>& d) {
  const int block = r.plan.model.block;
  const product_case sample{name_of(one), r.plan, {sampled, sampled, product_size.k}};
  const std::vector<std::uint32_t> expected =
      product_of_core(sample, {sampled_lines(r.a, block), sampled_lines(r.b, block), {}});
  std::vector<std::uint32_t> found;
  for (std::int64_t m = 0; m < sampled; ++m) {
    for (std::int64_t n = 0; n < sampled; ++n) {
      found.push_back(
          d[static_cast<std::size_t>(sampled_line(m) * product_size.n + sampled_line(n))]);
    }
  }
  const std::string difference = difference_between(sample.shape, expected, found);
  return difference.empty() ? "" : "of the sampled lines, " + difference + " of the core";
}

case_result compared(const full_size_case& one) {
  expect_free(std::uint64_t{3} << 30);
  timed_product product({model_named(one.model)->model, block_formats::mxfp4, one.scales});
  const auto d = computed(product, one.kernel);
  if (!d) return {outcome::refused, ""};
  std::string difference = difference_from_core(one, product.request_for(gemm_kernel::core), *d);
  if (difference.empty() && one.kernel != gemm_kernel::mma) {
    const auto mma = computed(product, gemm_kernel::mma);
    if (mma) difference = difference_between(product_size, *mma, *d);
    if (!difference.empty()) difference += " of mma";
  }
  return {difference.empty() ? outcome::equal : outcome::different, difference};
}

}  // namespace

std::vector<device_layer::own_case> full_size_cases() {
  std::vector<device_layer::own_case> all;
  for (const full_size_case& one : full_sizes) {
    all.push_back({name_of(one), kernel_of(one.kernel), [one] { return compared(one); }});
  }
  return all;
}

}  // namespace mx::kernels
