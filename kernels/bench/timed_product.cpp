// SPDX-License-Identifier: Apache-2.0
// kernels/bench/timed_product.cpp: operands of a timed product. Has not run on its
// hardware.
#include "timed_product.h"

#include <random>

namespace mx::kernels {
namespace {

constexpr matrix_shape factor_shape{product_size.m, product_size.k};
constexpr std::int64_t factor_elements = factor_shape.rows * factor_shape.columns;
static_assert(product_size.m == product_size.n);  // both factors have one shape

std::size_t bytes(std::int64_t count) { return static_cast<std::size_t>(count); }

std::size_t scales_of(const block_format& format) {
  return bytes(
      size_of(format, scale_layout::linear, factor_shape.rows, factor_shape.columns).scale_bytes);
}

quantization quantizer_of(const block_format& format) {
  return {format, format.has_tensor_scale() ? scale_rule::ideal : scale_rule::floor};
}

void spread(const device_bytes& of, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> scales(of.size());
  for (std::uint8_t& scale : scales) {
    scale = static_cast<std::uint8_t>(e8m0::bias - 8 + static_cast<int>(random() % 17));
  }
  copy_to_device(of.data(), scales.data(), scales.size());
}

}  // namespace

timed_factor::timed_factor(const product_kind& kind, unsigned seed)
    : codes_(bytes(factor_elements / 2)),
      scales_(scales_of(kind.format)),
      values_(bytes(factor_elements * 2)) {
  const device_bytes x = normal_values(number_type::fp32, factor_elements, seed);
  const device_array<float> tensor_scale(std::vector<float>{1});
  quantize_request to;
  to.how.rules = quantizer_of(kind.format);
  to.shape = factor_shape;
  to.x = x.data();
  to.tensor_scale = tensor_scale.data();
  to.rows = {codes_.data(), scales_.data()};
  expect_done(quantize(to, nullptr));
  if (kind.scales == exponents::spread) spread(scales_, seed);
  expect_done(dequantize({{{kind.format}},
                          factor_shape,
                          codes_.data(),
                          scales_.data(),
                          tensor_scale.data(),
                          number_type::bf16,
                          values_.data()},
                         nullptr));
  expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

gemm_operand timed_factor::operand() const {
  return {codes_.data(), code_storage::pairs, product_size.k / 2, scales_.data()};
}

timed_product::timed_product(const product_kind& kind)
    : a_(kind, 1), b_(kind, 2), d_(bytes(product_size.m * product_size.n)) {
  request_.plan.model = kind.model;
  request_.shape = product_size;
  request_.a = a_.operand();
  request_.b = b_.operand();
  request_.d = d_.data();
}

gemm_request timed_product::request_for(gemm_kernel kernel) {
  gemm_request r = request_;
  r.kernel = kernel;
  r.workspace_bytes = gemm_workspace_bytes(r);
  r.workspace = workspaces_.emplace_back(bytes(r.workspace_bytes)).data();
  return r;
}

std::function<void()> timed_product::blas_work(const cublas& blas, second_factor order) const {
  return [this, &blas, order] {
    blas.multiply(product_size, a_.values(), b_.values(), order, d_.data());
  };
}

}  // namespace mx::kernels
