// SPDX-License-Identifier: Apache-2.0
// kernels/src/values/request.cpp: see request.h.
#include "values/request.h"

#include "requests.h"

namespace mx::kernels {
namespace {

constexpr int float_bytes = sizeof(float), pointer_bytes = sizeof(void*);

status checked_size(const char* name, std::int64_t size, std::int64_t most) {
  if (size < 0) return {launch_error::shape, name};
  return size <= most ? status{} : status{launch_error::size, name, most};
}

/// A stride of 0 is not dense here.
status checked_lines(const char* name, std::int64_t stride, std::int64_t lines,
                     std::int64_t length) {
  if (stride < length) return {launch_error::too_small, name, length};
  return checked_stride(name, stride, lines, length);
}

/// From the first element of the first line to the last of the last.
extent lines_of(const char* name, const float* first, std::int64_t lines, std::int64_t length,
                std::int64_t stride) {
  const std::int64_t elements = lines > 0 && length > 0 ? (lines - 1) * stride + length : 0;
  return {name, elements > 0 ? first : nullptr, elements * float_bytes};
}

status checked_shape(const value_product_request& r) {
  return first_error(
      {checked_size("rows", r.rows, most_elements - 1),
       checked_size("columns", r.columns, most_elements - 1), checked_size("k", r.k, most_k),
       product_below("rows * columns", r.rows, r.columns), product_below("rows * k", r.rows, r.k),
       product_below("columns * k", r.columns, r.k),
       checked_lines("a_stride", r.a_stride, r.rows, r.k),
       checked_lines("b_stride", r.b_stride, r.k, r.columns),
       checked_lines("c_stride", r.c_stride, r.rows, r.columns)});
}

status checked_leaves(int count, int first) {
  return first_error(
      {checked_size("count", count, most_elements - 1),
       checked_size("first", first, most_elements - 1),
       checked_size("first + count", std::int64_t{first} + count, most_elements - 1)});
}

}  // namespace

status checked(const value_product_request& r) {
  const status shape = checked_shape(r);
  if (!shape.is_done() || !has_results(r)) return shape;
  if (r.k > 0) {
    const status inputs =
        first_error({usable("a", r.a, float_bytes), usable("b", r.b, float_bytes)});
    if (!inputs.is_done()) return inputs;
  }
  return first_error(
      {usable("c", r.c, float_bytes), disjoint({lines_of("c", r.c, r.rows, r.columns, r.c_stride)},
                                               {lines_of("a", r.a, r.rows, r.k, r.a_stride),
                                                lines_of("b", r.b, r.k, r.columns, r.b_stride)})});
}

status checked(const value_leaves_request& r) {
  const status shape =
      first_error({checked_leaves(r.count, r.first), checked_size("m", r.m, most_elements - 1),
                   checked_size("n", r.n, most_elements - 1), product_below("m * n", r.m, r.n),
                   checked_lines("left_stride", r.left_stride, most_elements, r.m),
                   checked_lines("right_stride", r.right_stride, most_elements, r.n)});
  if (!shape.is_done() || !has_results(r)) return shape;
  return first_error(
      {usable("leaves", r.leaves, pointer_bytes), usable("levels", r.levels, pointer_bytes)});
}

status checked(const product_leaves_request& r) {
  const bool is_plain = refusal_of(r.plan) == gemm_refusal::none && r.plan.alpha == 1 &&
                        r.plan.output == format{formats::binary32};
  if (!is_plain) return {launch_error::format, "a plan with an alpha or an output other than FP32"};
  const status shape =
      first_error({checked_leaves(r.count, r.first), checked_size("m", r.m, most_elements - 1),
                   checked_size("n", r.n, most_elements - 1), product_below("m * n", r.m, r.n)});
  if (!shape.is_done() || !has_results(r)) return shape;
  return first_error({product_below("count * m * n", r.count, r.m * r.n),
                      usable("products", r.products, float_bytes),
                      r.alphas == nullptr ? status{} : usable("alphas", r.alphas, float_bytes),
                      usable("levels", r.levels, pointer_bytes)});
}

}  // namespace mx::kernels
