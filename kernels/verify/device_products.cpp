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
  if (answer.error == launch_error::architecture) throw lacks_instructions(sentence_of(answer));
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

namespace {

/// Median of several runs.
double seconds_of(const device_product& product) {
  stopwatch watch;
  std::vector<double> seconds;
  for (int run = 0; run < 7; ++run) {
    seconds.push_back(watch.seconds_of([&] { product.launch(); }));
  }
  std::sort(seconds.begin() + 1, seconds.end());  // the first loads code
  return seconds[4];
}

/// One case for each arithmetic, fast kernel and kind of scales stands for its plan.
bool is_timed(const product_case& one) {
  const bool is_fast = one.kernel == gemm_kernel::mma || one.kernel == gemm_kernel::native;
  return one.shape.m == 1 && is_fast && one.kind <= scales::spread;
}

}  // namespace

std::vector<product_speed> measured_product_speeds() {
  std::vector<product_speed> speeds;
  for (product_case one : product_table()) {
    if (!is_timed(one)) continue;
    one.shape = {8192, 8192, 8192};
    one.c = addends::none;
    try {
      const device_product product(one, input_of(one));
      const double operations = 2.0 * 8192 * 8192 * 8192;
      speeds.push_back({one.name, operations / seconds_of(product) * 1e-12});
    } catch (const lacks_instructions&) {
    }
  }
  return speeds;
}

}  // namespace mx::kernels
