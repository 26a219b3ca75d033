// SPDX-License-Identifier: Apache-2.0
// kernels/bench/product_benches.cpp: products beside cuBLAS' of the same numbers in BF16. Has not run on its
// hardware.
#include <algorithm>
#include <random>

#include "cublas.h"
#include "device_bench.h"
#include "mx/kernels/gemm.h"
#include "mx/models.h"

namespace mx::kernels {
namespace {

constexpr gemm_shape size{8192, 8192, 8192};
constexpr double operations = 2.0 * 8192 * 8192 * 8192;
constexpr std::int64_t elements = size.m * size.k;  ///< of each factor, as m and n are equal
constexpr matrix_shape factor_shape{size.m, size.k};

/// Scales as N(0, 1) has them, or with exponents uniform in [-8, 8].
enum class exponents : unsigned char { near, spread };

struct timed_kernel {
  gemm_kernel kernel;
  const char* name;
};
constexpr timed_kernel kernels[] = {{gemm_kernel::mma, "mma"}, {gemm_kernel::dp4a, "dp4a"}};

/// N(0, 1) in MXFP4, and the same numbers in BF16.
class factor {
 public:
  factor(exponents kind, unsigned seed)
      : codes_(elements / 2), scales_(elements / 32), values_(elements * 2) {
    const device_bytes x = normal_values(number_type::fp32, elements, seed);
    expect_done(quantize({{block_formats::mxfp4},
                          number_type::fp32,
                          factor_shape,
                          x.data(),
                          nullptr,
                          scale_layout::linear,
                          {codes_.data(), scales_.data()},
                          {}},
                         nullptr));
    if (kind == exponents::spread) spread(seed);
    expect_done(dequantize({block_formats::mxfp4, factor_shape, codes_.data(), scales_.data(),
                            nullptr, scale_layout::linear, number_type::bf16, values_.data()},
                           nullptr));
    expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  [[nodiscard]] gemm_operand operand() const {
    return {codes_.data(), code_storage::pairs, size.k / 2, scales_.data()};
  }
  [[nodiscard]] const void* values() const { return values_.data(); }

 private:
  void spread(unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<std::uint8_t> scales(scales_.size());
    for (std::uint8_t& scale : scales) {
      scale = static_cast<std::uint8_t>(e8m0::bias - 8 + static_cast<int>(random() % 17));
    }
    expect_done(cudaMemcpy(scales_.data(), scales.data(), scales.size(), cudaMemcpyHostToDevice),
                "cudaMemcpy");
  }

  device_bytes codes_, scales_, values_;
};

class product_bench {
 public:
  product_bench(std::string_view model, exponents kind)
      : a_(kind, 1), b_(kind, 2), d_(static_cast<std::size_t>(size.m * size.n)) {
    request_.plan.model = model_named(model)->model;
    request_.shape = size;
    request_.a = a_.operand();
    request_.b = b_.operand();
    request_.d = d_.data();
  }

  /// What the kernel needs is allocated once, and lives as long as this.
  [[nodiscard]] gemm_request request_for(gemm_kernel kernel) {
    gemm_request r = request_;
    r.kernel = kernel;
    r.workspace_bytes = gemm_workspace_bytes(r);
    workspaces_.emplace_back(static_cast<std::size_t>(r.workspace_bytes));
    r.workspace = workspaces_.back().data();
    return r;
  }
  [[nodiscard]] std::function<void()> blas_work(const cublas& blas, second_factor order) const {
    return
        [this, &blas, order] { blas.multiply(size, a_.values(), b_.values(), order, d_.data()); };
  }

 private:
  factor a_, b_;
  device_array<float> d_;
  std::vector<device_bytes> workspaces_;
  gemm_request request_;
};

/// A kernel that is timed, or the sentence with which its launcher refuses the device.
struct tried_kernel {
  std::string name;
  std::function<void()> launch;
  std::string refusal;
};

tried_kernel tried(product_bench& bench, const std::string& name, gemm_kernel kernel) {
  const gemm_request r = bench.request_for(kernel);
  const status answer = gemm(r, nullptr);
  if (lacks_device(answer)) return {name, {}, sentence_of(answer)};
  expect_done(answer);
  expect_done(cudaDeviceSynchronize(), name.c_str());
  return {name, [r] { expect_done(gemm(r, nullptr)); }, {}};
}

std::vector<tried_kernel> kernels_of(product_bench& bench, std::string_view name) {
  const std::string own(name);
  std::vector<tried_kernel> all{tried(bench, own, gemm_kernel::best)};
  for (const timed_kernel& one : kernels) {
    all.push_back(tried(bench, "extra." + own + "." + one.name, one.kernel));
  }
  return all;
}

struct timed_product {
  std::string_view model;
  exponents kind;
};

timed_product product_of(std::string_view name) {
  std::string_view model = name.substr(std::string_view("cuda.gemm.").size());
  constexpr std::string_view spread = ".spread";
  const bool is_spread = model.ends_with(spread);
  if (is_spread) model.remove_suffix(spread.size());
  return {model, is_spread ? exponents::spread : exponents::near};
}

/// The yardstick's name and rate, or why it has none.
struct blas_rate {
  std::string name;
  std::optional<double> tera_operations;
};

blas_rate rate_of(const cublas_or_absence& blas, const std::vector<double>& seconds) {
  if (!blas.library) return {blas.absence, {}};
  const bool first = seconds[0] <= seconds[1];
  return {blas.library->name() + " BF16, B stored " + (first ? "(N,K)" : "(K,N)"),
          operations / std::min(seconds[0], seconds[1]) * 1e-12};
}

}  // namespace

std::vector<figure> product_figures(std::string_view name) {
  expect_free(std::uint64_t{2} << 30);
  const timed_product asked = product_of(name);
  product_bench bench(asked.model, asked.kind);
  const std::vector<tried_kernel> tried = kernels_of(bench, name);
  const cublas_or_absence blas = cublas_of(cublas_candidates(MX_CUDA_LIBRARIES));
  works all;
  if (blas.library) {
    for (const second_factor order : {second_factor::lines_of_k, second_factor::lines_of_n}) {
      all.push_back(bench.blas_work(*blas.library, order));
    }
  }
  std::size_t next = all.size();
  for (const tried_kernel& kernel : tried) {
    if (kernel.launch) all.push_back(kernel.launch);
  }
  const std::vector<double> seconds = device_seconds_of(all);
  const blas_rate beside = rate_of(blas, seconds);
  std::vector<figure> figures;
  for (const tried_kernel& kernel : tried) {
    if (!kernel.launch) {
      figures.push_back({kernel.name, {}, "TOP/s", kernel.refusal, {}});
      continue;
    }
    figures.push_back({kernel.name, operations / seconds[next++] * 1e-12, "TOP/s", beside.name,
                       beside.tera_operations});
  }
  return figures;
}

}  // namespace mx::kernels
