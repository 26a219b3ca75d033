// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_requests.h: cases as requests, given the memory of their arrays.
#pragma once
#include "case_table.h"

namespace mx::kernels {

/// Memory of the arrays of a case, with its gaps: those of case_input, and of empty_arrays
/// (gapped_cases.h) in their order.
struct case_memory {
  const void *x = nullptr, *codes = nullptr, *scales = nullptr;
  const float* tensor_scale = nullptr;
  std::vector<void*> results;
};

[[nodiscard]] inline recipe recipe_of(const kernel_case& one) {
  return {.rules = one.how, .corrections = {.rotation = one.by}, .layout = one.layout};
}

[[nodiscard]] inline std::int64_t stride_of(const kernel_case& one) {
  return one.gap == 0 ? 0 : one.shape.columns + one.gap;
}

[[nodiscard]] inline quantize_request quantize_request_of(const kernel_case& one,
                                                          const case_memory& at) {
  quantize_request request{recipe_of(one), one.type, one.shape, at.x, at.tensor_scale, {}, {}};
  std::size_t next = 0;
  if (one.results != wanted::columns) {
    request.rows = {at.results[0], at.results[1]};
    next = 2;
  }
  if (one.results != wanted::rows) request.columns = {at.results[next], at.results[next + 1]};
  request.x_stride = stride_of(one);
  return request;
}

[[nodiscard]] inline dequantize_request dequantize_request_of(const kernel_case& one,
                                                              const case_memory& at) {
  return {recipe_of(one),  one.shape, at.codes,      at.scales,
          at.tensor_scale, one.type,  at.results[0], stride_of(one)};
}

[[nodiscard]] inline fake_quantize_request fake_quantize_request_of(const kernel_case& one,
                                                                    const case_memory& at) {
  return {recipe_of(one),  one.type,      one.shape,      at.x,
          at.tensor_scale, at.results[0], stride_of(one), stride_of(one)};
}

[[nodiscard]] inline rotate_quantize_request rotate_request_of(const kernel_case& one,
                                                               const case_memory& at) {
  return {quantize_request_of(one, at)};
}

[[nodiscard]] inline decompose_request decompose_request_of(const kernel_case& one,
                                                            const case_memory& at) {
  return {recipe_of(one),
          one.type,
          one.shape,
          at.x,
          at.tensor_scale,
          static_cast<error_energy*>(at.results[0]),
          static_cast<error_energy*>(at.results[1]),
          stride_of(one)};
}

}  // namespace mx::kernels
