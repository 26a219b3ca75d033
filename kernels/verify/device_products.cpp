// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_products.cpp: products through the device's memory.
#include "device_products.h"

#include <algorithm>
#include <optional>

#include "device_array.h"
#include "stopwatch.h"

namespace mx::kernels {
namespace {

void expect_launched(const status& answer) {
  if (!answer.is_done()) throw std::runtime_error(sentence_of(answer));
}

/// A case's arrays on the device, and the request for them.
class device_product {
 public:
  device_product(const product_case& one, const product_input& input)
      : a_(input.a.codes),
        b_(input.b.codes),
        a_scales_(input.a.scales),
        b_scales_(input.b.scales),
        c_(input.c),
        d_(static_cast<std::size_t>(one.shape.m * one.shape.n)) {
    request_.plan = one.plan;
    request_.shape = one.shape;
    request_.a = {a_.data(), input.a.storage, input.a.line_bytes, a_scales_.data()};
    request_.b = {b_.data(), input.b.storage, input.b.line_bytes, b_scales_.data()};
    request_.c = input.c.empty() ? nullptr : c_.data();
    request_.d = d_.data();
    request_.kernel = one.kernel;
    workspace_.emplace(static_cast<std::size_t>(gemm_workspace_bytes(request_)));
    request_.workspace = workspace_->data();
    request_.workspace_bytes = static_cast<std::int64_t>(workspace_->size());
  }

  void launch() const { expect_launched(gemm(request_, nullptr)); }
  [[nodiscard]] std::vector<std::uint32_t> result() const { return values_of(d_); }

 private:
  device_array<std::uint8_t> a_, b_, a_scales_, b_scales_;
  device_array<std::uint32_t> c_, d_;
  std::optional<device_array<std::uint8_t>> workspace_;
  gemm_request request_;
};

}  // namespace

std::vector<std::uint32_t> product_of_device(const product_case& one, const product_input& input) {
  const device_product product(one, input);
  product.launch();
  expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return product.result();
}

std::vector<product_speed> measured_product_speeds() {
  constexpr gemm_shape shape{8192, 8192, 8192};
  std::vector<product_speed> speeds;
  for (const product_case& model : product_table()) {
    // One case for each arithmetic and kind of scales stands for its plan.
    if (model.shape.m != 1 || model.kernel != gemm_kernel::mma || model.kind > scales::spread) {
      continue;
    }
    product_case one = model;
    one.shape = shape;
    one.c = addends::none;
    const device_product product(one, input_of(one));
    stopwatch watch;
    std::vector<double> seconds;
    for (int run = 0; run < 7; ++run) {
      seconds.push_back(watch.seconds_of([&] { product.launch(); }));
    }
    std::sort(seconds.begin() + 1, seconds.end());  // the first loads code
    const double operations = 2.0 * 8192 * 8192 * 8192;
    speeds.push_back({model.name, operations / seconds[4] * 1e-12});
  }
  return speeds;
}

}  // namespace mx::kernels
