// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/bodies_backend.cpp: cases as launches in the grid on the CPU.
#include "bodies_backend.h"

#include "catch.h"
#include "gapped_cases.h"
#include "tests/kernels/grid/host_gemm.h"
#include "tests/kernels/grid/host_values.h"

namespace kernels_test {
namespace {

using namespace mx::kernels;

std::vector<named_bytes> results_of_bodies(const kernel_case& one, const case_input& input) {
  std::vector<named_bytes> results = empty_arrays(one);
  const case_input gapped = with_gaps(one, input);
  // Vectors of bytes begin at multiples of 16, as device memory begins at multiples of 256.
  case_memory at{gapped.x.data(), input.codes.data(), input.scales.data(), &input.tensor_scale, {}};
  for (named_bytes& result : results) at.results.push_back(result.bytes.data());
  const host_answer answer = served(one, at);
  CHECK(sentence_of(answer.status) == "launched");
  if (!one.kernels.empty()) CHECK(answer.kernels == one.kernels);
  return results_in(one, std::move(results));
}

std::vector<std::uint32_t> product_of_bodies(const product_case& one, const product_input& input) {
  product_arrays arrays = product_arrays::of(one, input);
  gemm_request r{one.plan, one.shape, input.a.operand(), input.b.operand()};
  r.c = arrays.c.empty() ? nullptr : arrays.c.data();
  r.d = arrays.d.data();
  r.c_stride = arrays.c_stride, r.d_stride = arrays.d_stride;
  r.kernel = one.kernel;
  std::vector<std::uint8_t> workspace(static_cast<std::size_t>(gemm_workspace_bytes(r)) + 1);
  r.workspace = workspace.data();
  r.workspace_bytes = gemm_workspace_bytes(r);
  const host_answer answer = gemm(r);
  CHECK(sentence_of(answer.status) == "launched");
  CHECK(one.name.ends_with("." + answer.kernels));
  return numbers_in(one, arrays.d);
}

std::vector<std::uint32_t> corrected_of_bodies(const corrected_case& one,
                                               const corrected_input& input) {
  std::vector<float> d(static_cast<std::size_t>(one.shape.m * one.shape.n), 77.0F);
  const corrected_gemm_request r =
      corrected_request_of(one, input,
                           {input.a.operand(), input.b.operand(), input.rest.operand(),
                            input.a_reciprocals.data(), input.b_reciprocals.data(), d.data()});
  const host_answer answer = gemm_corrected(r);
  CHECK(sentence_of(answer.status) == "launched");
  CHECK(one.name.ends_with("." + answer.kernels));
  std::vector<std::uint32_t> bits;
  for (const float element : d) bits.push_back(mx::bits_of(element));
  return bits;
}

std::vector<std::uint32_t> groups_of_bodies(const grouped_case& one, const grouped_input& input) {
  grouped_arrays arrays = grouped_arrays::of(one, input);
  grouped_memory at{};
  for (std::size_t i = 0; i < arrays.bytes.size(); ++i) at[i] = arrays.bytes[i].data();
  const std::vector<gemm_group> groups = groups_of(one, input, arrays, at);
  const product_case& first = one.products.front();
  host_answer answer;
  if (one.grouping == product_grouping::batched) {
    gemm_batched_request r = batch_of(one, groups, arrays);
    std::vector<std::uint8_t> workspace(static_cast<std::size_t>(gemm_workspace_bytes(r)) + 1);
    r.first.workspace = workspace.data(), r.first.workspace_bytes = gemm_workspace_bytes(r);
    answer = gemm_batched(r);
  } else {
    gemm_grouped_request r;
    r.plan = first.plan, r.kernel = first.kernel;
    r.groups = groups.data(), r.count = static_cast<std::int64_t>(groups.size());
    std::vector<std::uint8_t> workspace(static_cast<std::size_t>(gemm_workspace_bytes(r)) + 1);
    r.workspace = workspace.data(), r.workspace_bytes = gemm_workspace_bytes(r);
    answer = gemm_grouped(r);
  }
  CHECK(sentence_of(answer.status) == "launched");
  return arrays.elements(one, arrays.bytes[grouped_arrays::d]);
}

std::vector<std::uint32_t> values_of_bodies(const value_case& one, const value_input& input) {
  std::vector<float> results = input.results;
  if (one.what == value_operation::multiply) {
    const auto& of = input.products[0];
    const auto request = request_of(one, of.left.data(), of.right.data(), results.data());
    CHECK(sentence_of(multiply(request)) == "launched");
  } else {
    std::vector<value_leaf> leaves;
    std::vector<float*> levels;
    for (const auto& of : input.products) {
      leaves.push_back({of.left.data(), of.right.data(), of.k});
    }
    for (std::size_t at = 0; at < results.size(); at += level_size(one)) {
      levels.push_back(&results[at]);
    }
    const std::vector<float> products = joined(input, &value_input::factors::left),
                             alphas = joined(input, &value_input::factors::right);
    const mx::kernels::status answer =
        one.what == value_operation::add_leaves
            ? add_leaves(request_of(one, leaves.data(), levels.data()))
            : add_products(request_of(one, products.data(), alphas.data(), levels.data()));
    CHECK(sentence_of(answer) == "launched");
  }
  std::vector<std::uint32_t> bits;
  for (const float result : results) bits.push_back(mx::bits_of(result));
  return bits;
}

}  // namespace

host_answer served(const kernel_case& one, const case_memory& at) {
  switch (one.what) {
    case operation::quantize:
      return quantize(quantize_request_of(one, at));
    case operation::dequantize:
      return dequantize(dequantize_request_of(one, at));
    case operation::fake_quantize:
      return fake_quantize(fake_quantize_request_of(one, at));
    case operation::rotate_quantize:
      return rotate_quantize(rotate_request_of(one, at));
    case operation::decompose:
      return decompose(decompose_request_of(one, at));
  }
  return {};
}

backend bodies_backend() {
  return {results_of_bodies, product_of_bodies, corrected_of_bodies, values_of_bodies,
          groups_of_bodies};
}

}  // namespace kernels_test
