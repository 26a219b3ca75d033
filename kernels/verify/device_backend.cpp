// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_backend.cpp: cases through device memory.
#include "device_backend.h"

#include "case_arrays.h"
#include "device_array.h"
#include "expect_launched.h"
#include "gapped_cases.h"

namespace mx::kernels {
namespace {

/// Waits for what was launched.
void expect_computed(const status& answer) {
  expect_launched(answer);
  expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

/// A factor on the device.
struct device_lines {
  explicit device_lines(const lines_of_codes& of)
      : codes(of.codes), scales(of.scales), storage(of.storage), line_bytes(of.line_bytes) {}

  [[nodiscard]] gemm_operand operand() const {
    return {codes.data(), storage, line_bytes, scales.data()};
  }

  device_bytes codes, scales;
  code_storage storage;
  std::int64_t line_bytes;
};

}  // namespace

status launch(const kernel_case& one, const case_memory& at, stream on) {
  switch (one.what) {
    case operation::quantize:
      return quantize(quantize_request_of(one, at), on);
    case operation::dequantize:
      return dequantize(dequantize_request_of(one, at), on);
    case operation::fake_quantize:
      return fake_quantize(fake_quantize_request_of(one, at), on);
    case operation::rotate_quantize:
      return rotate_quantize(rotate_request_of(one, at), on);
    case operation::decompose:
      return decompose(decompose_request_of(one, at), on);
  }
  return {};
}

std::vector<named_bytes> results_of_device(const kernel_case& one, const case_input& input) {
  const case_arrays arrays(one, input);
  expect_computed(launch(one, arrays.memory(), nullptr));
  return arrays.results();
}

std::optional<std::vector<std::uint32_t>> product_of_device(const product_case& one,
                                                            const product_input& input) {
  const device_lines a(input.a), b(input.b);
  const product_arrays arrays = product_arrays::of(one, input);
  const device_bytes c(arrays.c), d(arrays.d);
  gemm_request request{one.plan, one.shape, a.operand(), b.operand()};
  request.c = input.c.empty() ? nullptr : c.data();
  request.d = d.data();
  request.kernel = one.kernel;
  request.c_stride = arrays.c_stride, request.d_stride = arrays.d_stride;
  const device_bytes workspace(static_cast<std::size_t>(gemm_workspace_bytes(request)));
  request.workspace = workspace.data();
  request.workspace_bytes = static_cast<std::int64_t>(workspace.size());
  const status answer = gemm(request, nullptr);
  // Reported by the launcher itself, not by CUDA, if this program lacks code for the device.
  if (answer.error == launch_error::architecture && answer.code == 0) return std::nullopt;
  expect_computed(answer);
  return numbers_in(one, values_of(d));
}

std::optional<std::vector<std::uint32_t>> groups_of_device(const grouped_case& one,
                                                           const grouped_input& input) {
  const grouped_arrays arrays = grouped_arrays::of(one, input);
  std::vector<device_bytes> memory;
  grouped_memory at{};
  for (std::size_t i = 0; i < arrays.bytes.size(); ++i) {
    memory.emplace_back(arrays.bytes[i]);
    at[i] = memory.back().data();
  }
  const std::vector<gemm_group> groups = groups_of(one, input, arrays, at);
  const product_case& first = one.products.front();
  status answer;
  const auto launched = [&answer](auto request, auto& to, const auto& launch) {
    const device_bytes workspace(static_cast<std::size_t>(gemm_workspace_bytes(request)));
    to(request, workspace);
    answer = launch(request, nullptr);
    expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  };
  if (one.grouping == product_grouping::batched) {
    const auto give = [](gemm_batched_request& r, const device_bytes& workspace) {
      r.first.workspace = workspace.data();
      r.first.workspace_bytes = static_cast<std::int64_t>(workspace.size());
    };
    launched(batch_of(one, groups, arrays), give, gemm_batched);
  } else {
    const auto give = [](gemm_grouped_request& r, const device_bytes& workspace) {
      r.workspace = workspace.data();
      r.workspace_bytes = static_cast<std::int64_t>(workspace.size());
    };
    gemm_grouped_request request;
    request.plan = first.plan, request.kernel = first.kernel;
    request.groups = groups.data(), request.count = static_cast<std::int64_t>(groups.size());
    launched(request, give, gemm_grouped);
  }
  // Reported by the launcher itself, not by CUDA, if this program lacks code for the device.
  if (answer.error == launch_error::architecture && answer.code == 0) return std::nullopt;
  expect_computed(answer);
  return arrays.elements(one, values_of(memory[grouped_arrays::d]));
}

namespace {

/// The addresses of the levels in an array of all.
std::vector<float*> levels_in(const device_array<float>& all, const value_case& one) {
  std::vector<float*> levels;
  for (std::size_t at = 0; at < all.size(); at += level_size(one)) {
    levels.push_back(all.data() + at);
  }
  return levels;
}

std::vector<std::uint32_t> bits_in(const device_array<float>& results) {
  std::vector<std::uint32_t> bits;
  for (const float result : values_of(results)) bits.push_back(bits_of(result));
  return bits;
}

std::vector<std::uint32_t> leaves_of_device(const value_case& one, const value_input& input) {
  const device_array<float> results(input.results),
      products(joined(input, &value_input::factors::left)),
      alphas(joined(input, &value_input::factors::right));
  const device_array<float*> levels(levels_in(results, one));
  expect_computed(
      add_products(request_of(one, products.data(), alphas.data(), levels.data()), nullptr));
  return bits_in(results);
}

}  // namespace

std::vector<std::uint32_t> values_of_device(const value_case& one, const value_input& input) {
  if (one.what == value_operation::add_products) return leaves_of_device(one, input);
  const device_array<float> results(input.results);
  std::vector<device_array<float>> factors;
  std::vector<value_leaf> leaves;
  for (const value_input::factors& of : input.products) {
    factors.emplace_back(of.left);
    const float* left = factors.back().data();
    factors.emplace_back(of.right);
    leaves.push_back({left, factors.back().data(), of.k});
  }
  if (one.what == value_operation::multiply) {
    const float *a = leaves[0].left, *b = leaves[0].right;
    expect_computed(multiply(request_of(one, a, b, results.data()), nullptr));
  } else {
    const device_array<value_leaf> device_leaves(leaves);
    const device_array<float*> device_levels(levels_in(results, one));
    expect_computed(
        add_leaves(request_of(one, device_leaves.data(), device_levels.data()), nullptr));
  }
  return bits_in(results);
}

std::vector<std::uint32_t> corrected_product_of_device(const corrected_case& one,
                                                       const corrected_input& input) {
  const device_lines a(input.a), b(input.b), rest(input.rest);
  const device_array<float> of_a(input.a_reciprocals), of_b(input.b_reciprocals);
  const device_array<std::uint32_t> d(static_cast<std::size_t>(one.shape.m * one.shape.n));
  const corrected_gemm_request request =
      corrected_request_of(one, input,
                           {a.operand(), b.operand(), rest.operand(), of_a.data(), of_b.data(),
                            reinterpret_cast<float*>(d.data())});
  expect_computed(gemm_corrected(request, nullptr));
  return values_of(d);
}

}  // namespace mx::kernels
