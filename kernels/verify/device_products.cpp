// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_products.cpp: products through device memory.
#include "device_products.h"

#include <optional>

#include "device_array.h"
#include "expect_launched.h"
#include "packed_lines.h"

namespace mx::kernels {
namespace {

/// A case's arrays on the device, and the request for them.
class device_product {
 public:
  device_product(const product_case& one, const product_input& input)
      : a_(input.a.codes),
        b_(input.b.codes),
        a_scales_(input.a.scales),
        b_scales_(input.b.scales),
        c_(packed_numbers(input.c, one.plan.model.sum.result.width() / 8)),
        d_(static_cast<std::size_t>(one.shape.m * one.shape.n * (one.plan.output.width() / 8))) {
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

  [[nodiscard]] status launch() const { return gemm(request_, nullptr); }
  [[nodiscard]] std::vector<std::uint32_t> result() const {
    return unpacked_numbers(values_of(d_), request_.plan.output.width() / 8);
  }

 private:
  device_bytes a_, b_, a_scales_, b_scales_, c_, d_;
  std::optional<device_bytes> workspace_;
  gemm_request request_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> product_of_device(const product_case& one,
                                                            const product_input& input) {
  const device_product product(one, input);
  const status answer = product.launch();
  // Reported by the launcher itself, not by CUDA, if this program lacks code for the device.
  if (answer.error == launch_error::architecture && answer.code == 0) return std::nullopt;
  expect_launched(answer);
  expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return product.result();
}

}  // namespace mx::kernels
