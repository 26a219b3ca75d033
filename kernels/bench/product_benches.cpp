// SPDX-License-Identifier: Apache-2.0
// kernels/bench/product_benches.cpp: products beside those of cuBLAS on the same numbers in BF16.
// Has not run on its hardware.
#include <algorithm>

#include "../verify/kernel_names.h"
#include "mx/dot/models.h"
#include "timed_product.h"

namespace mx::kernels {
namespace {

/// A timed kernel, or the sentence with which its launcher refuses the device.
struct tried_kernel {
  std::string name;
  std::function<void()> launch;
  std::string refusal;
};

/// Adds nothing if the kernel does not support the product.
void add_tried(timed_product& product, const std::string& name, gemm_kernel kernel,
               std::vector<tried_kernel>& all) {
  const gemm_request r = product.request_for(kernel);
  const status answer = gemm(r, nullptr);
  if (answer.error == launch_error::format) return;
  if (lacks_device(answer)) {
    all.push_back({name, {}, sentence_of(answer)});
    return;
  }
  expect_done(answer);
  expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  all.push_back({name, [r] { expect_done(gemm(r, nullptr)); }, {}});
}

/// Whether a kernel leaves nearly every sum to the core, which would take minutes: so do those of
/// warpgroups where scales are spread.
bool is_left_to_core(gemm_kernel kernel, exponents scales) {
  const bool warpgroups = kernel == gemm_kernel::wgmma || kernel == gemm_kernel::wgmma_e4m3;
  return kernel == gemm_kernel::core || (scales == exponents::spread && warpgroups);
}

/// The chosen kernel, and each of the others that supports the product by itself.
std::vector<tried_kernel> kernels_of(timed_product& product, exponents scales,
                                     const std::string& name, const std::string& extra) {
  std::vector<tried_kernel> all;
  add_tried(product, name, gemm_kernel::best, all);
  for (const auto& [kernel, own] : kernel_names) {
    if (kernel == gemm_kernel::best || is_left_to_core(kernel, scales)) continue;
    add_tried(product, extra + "." + std::string(own), kernel, all);
  }
  return all;
}

/// The yardstick's name and rate, or why it has none.
struct blas_rate {
  std::string name;
  std::optional<double> tera_operations;
};

/// Rate of the first timed products, which are the yardstick's if it is available.
blas_rate rate_of(const cublas_or_absence& blas, const std::vector<double>& seconds) {
  if (!blas.library) return {blas.absence, {}};
  const bool first = seconds[0] <= seconds[1];
  return {blas.library->name() + " BF16, B stored " + (first ? "(N,K)" : "(K,N)"),
          product_operations / std::min(seconds[0], seconds[1]) * 1e-12};
}

std::vector<figure> figures_of(const std::vector<tried_kernel>& tried, const timed_product& product,
                               const cublas_or_absence& blas) {
  works all;
  if (blas.library) {
    all.push_back(product.blas_work(*blas.library, second_factor::lines_of_k));
    all.push_back(product.blas_work(*blas.library, second_factor::lines_of_n));
  }
  std::size_t next = all.size();
  for (const tried_kernel& kernel : tried) {
    if (kernel.launch) all.push_back(kernel.launch);
  }
  const std::vector<double> seconds = device_seconds_of(all);
  const blas_rate beside = rate_of(blas, seconds);
  std::vector<figure> figures;
  for (const tried_kernel& kernel : tried) {
    figure f{kernel.name, {}, "TOP/s", kernel.refusal, {}};
    if (kernel.launch) {
      f.value = product_operations / seconds[next++] * 1e-12;
      f.yardstick = beside.name;
      f.yardstick_value = beside.tera_operations;
    }
    figures.push_back(f);
  }
  return figures;
}

std::string_view model_name_of(std::string_view measure) {
  measure.remove_prefix(std::string_view("cuda.gemm.").size());
  return measure.substr(0, measure.find(".spread"));
}

/// The same arithmetic of NVFP4.
product_kind with_sixteens(std::string_view model) {
  const dot_model blocks_of_16 = model == "blackwell.mxf4"
                                     ? model_named("blackwell.mxf4nvf4")->model
                                     : with_scales(model_named(model)->model, formats::ue4m3, 16);
  return {blocks_of_16, block_formats::nvfp4, exponents::near};
}

/// Skipped if only the core kernel supports it: that would take minutes.
void add_sixteens(std::string_view model, const cublas_or_absence& blas,
                  std::vector<figure>& figures) {
  timed_product product(with_sixteens(model));
  if (!product.has_fast_kernel()) return;
  const std::string name = "extra.cuda.gemm." + std::string(model) + ".nvfp4";
  for (const figure& f :
       figures_of(kernels_of(product, exponents::near, name, name), product, blas)) {
    figures.push_back(f);
  }
}

}  // namespace

std::vector<figure> product_figures(std::string_view name) {
  expect_free(std::uint64_t{3} << 30);
  const std::string_view model = model_name_of(name);
  const exponents scales = name.ends_with(".spread") ? exponents::spread : exponents::near;
  const cublas_or_absence blas = cublas_of(cublas_candidates(MX_CUDA_LIBRARIES));
  timed_product product({model_named(model)->model, block_formats::mxfp4, scales});
  const std::string own(name);
  std::vector<figure> figures =
      figures_of(kernels_of(product, scales, own, "extra." + own), product, blas);
  if (scales == exponents::near) add_sixteens(model, blas, figures);
  return figures;
}

}  // namespace mx::kernels
