// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_products.cpp: products through the device's memory.
#include "device_products.h"

#include <optional>

#include "device_array.h"

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

}  // namespace mx::kernels
