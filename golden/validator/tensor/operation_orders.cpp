// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/operation_orders.cpp: the table of orders.
#include "operation_orders.h"

#include <array>
#include <span>

namespace golden::validator {
namespace {

using mx::scaled_element;

struct order_row {
  std::string_view formula;
  mx::tensor_factor tensor;
  mx::block_scale_order block;
  mx::multiplier_order multiplier;
  scaled_element product = scaled_element::multiplied;
};

/// The last ones divide elements, or multiply them by one reciprocal after the other.
std::span<const order_row> under_tensor_scale() {
  using enum mx::tensor_factor;
  using enum mx::block_scale_order;
  using enum mx::multiplier_order;
  static constexpr std::array table{
      order_row{"a * (S * fl(1/6)), x * (1 / (s * (1 / S))): folded constants", encode_guarded,
                folded, reciprocal_of_encode},
      order_row{"(a / 6) * S, x * (1 / (s * (1 / S))): divided, then multiplied", encode_guarded,
                divided_times, reciprocal_of_encode},
      order_row{"S * (a * fl(1/6)), x * (1 / (s * (1 / S))): reciprocal multiply", encode_guarded,
                reciprocal_first, reciprocal_of_encode},
      order_row{"(a / 6) / t, x * ((1 / t) / s): divided", decode, divided_over, reciprocal_over},
      order_row{"(a / 6) / t, x * (1 / (s * t)): divided, reciprocal of the product", decode,
                divided_over, reciprocal_of_decode},
      order_row{"(a / t) / 6, x * (1 / (s * t)): tensor scale first", decode, divided_by_factor,
                reciprocal_of_decode},
      order_row{"(a / t) / 6, x * ((1 / t) / s): tensor scale first", decode, divided_by_factor,
                reciprocal_over},
      order_row{"(a / 6) / t, x / (s * t): divided by the product", decode, divided_over,
                divisor_of_decode, scaled_element::divided},
      order_row{"(a / t) / 6, x / (s * t): tensor scale first, divided by the product", decode,
                divided_by_factor, divisor_of_decode, scaled_element::divided},
      order_row{"(a / 6) / t, (x * (1 / s)) * (1 / t): one reciprocal after the other", decode,
                divided_over, reciprocal, scaled_element::then_factor},
      order_row{
          "(a / t) / 6, (x * (1 / s)) * (1 / t): tensor scale first, one reciprocal after the "
          "other",
          decode, divided_by_factor, reciprocal, scaled_element::then_factor},
      order_row{"(a / 6) / t, (x / t) * (1 / s): divided by t first", decode, divided_over,
                reciprocal, scaled_element::factor_divided},
      order_row{"(a / t) / 6, (x / t) * (1 / s): all divided by t first", decode, divided_by_factor,
                reciprocal, scaled_element::factor_divided}};
  return table;
}

std::span<const order_row> without_tensor_scale() {
  using enum mx::tensor_factor;
  using enum mx::block_scale_order;
  using enum mx::multiplier_order;
  static constexpr std::array table{
      order_row{"a / 6, x * (1 / s): reciprocal multiply", none, divided, reciprocal},
      order_row{"a / 6, x / s: divided", none, divided, divisor_of_decode,
                scaled_element::divided}};
  return table;
}

/// The orders of a table, each with both rules for scales that underflow.
std::vector<named_order> orders_in(std::span<const order_row> table, float bound) {
  std::vector<named_order> list;
  for (const auto zero : {mx::underflowed_scale::scale_decides, mx::underflowed_scale::divided}) {
    for (const order_row& row : table) {
      list.push_back({row.formula, {}});
      mx::nvfp4_variant& v = list.back().arithmetic;
      v.order.tensor = row.tensor, v.order.block = row.block;
      v.order.multiplier = row.multiplier, v.order.zero = zero, v.order.bound = bound;
      v.product = row.product;
    }
  }
  return list;
}

}  // namespace

const std::vector<named_order>& operation_orders(const mx::block_format& f) {
  static const std::vector<named_order> of_448 = orders_in(under_tensor_scale(), 448.0F);
  static const std::vector<named_order> of_256 = orders_in(under_tensor_scale(), 256.0F);
  static const std::vector<named_order> alone = orders_in(without_tensor_scale(), 448.0F);
  if (!f.has_tensor_scale()) return alone;
  return f.bound == mx::tensor_bound::of_256 ? of_256 : of_448;
}

}  // namespace golden::validator
