// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/operation_orders.cpp: the table of orders.
#include "operation_orders.h"

namespace golden::validator {
namespace {

using mx::block_scale_order;
using mx::multiplier_order;
using mx::scaled_element;
using mx::tensor_factor;
using mx::underflowed_scale;

mx::nvfp4_variant ordered(tensor_factor tensor, block_scale_order block,
                          multiplier_order multiplier, underflowed_scale zero, float bound) {
  mx::nvfp4_variant v;
  v.order.tensor = tensor;
  v.order.block = block;
  v.order.multiplier = multiplier;
  v.order.zero = zero;
  v.order.bound = bound;
  return v;
}

/// Elements that are divided, or multiplied by one reciprocal after the other.
void append_divisions(std::vector<named_order>& list, underflowed_scale zero, float bound) {
  const auto add = [&](std::string_view formula, block_scale_order block,
                       multiplier_order multiplier, scaled_element product) {
    list.push_back({formula, ordered(tensor_factor::decode, block, multiplier, zero, bound)});
    list.back().arithmetic.product = product;
  };
  using enum block_scale_order;
  using enum multiplier_order;
  add("(a / 6) / t, x / (s * t): divided by the product", divided_over, divisor_of_decode,
      scaled_element::divided);
  add("(a / t) / 6, x / (s * t): tensor scale first, divided by the product", divided_by_factor,
      divisor_of_decode, scaled_element::divided);
  add("(a / 6) / t, (x * (1 / s)) * (1 / t): one reciprocal after the other", divided_over,
      reciprocal, scaled_element::then_factor);
  add("(a / t) / 6, (x * (1 / s)) * (1 / t): tensor scale first, one reciprocal after the other",
      divided_by_factor, reciprocal, scaled_element::then_factor);
  add("(a / 6) / t, (x / t) * (1 / s): divided by t first", divided_over, reciprocal,
      scaled_element::factor_divided);
  add("(a / t) / 6, (x / t) * (1 / s): all divided by t first", divided_by_factor, reciprocal,
      scaled_element::factor_divided);
}

void append(std::vector<named_order>& list, underflowed_scale zero, float bound) {
  const auto encode = [&](std::string_view formula, block_scale_order block,
                          multiplier_order multiplier) {
    list.push_back(
        {formula, ordered(tensor_factor::encode_guarded, block, multiplier, zero, bound)});
  };
  const auto decode = [&](std::string_view formula, block_scale_order block,
                          multiplier_order multiplier) {
    list.push_back({formula, ordered(tensor_factor::decode, block, multiplier, zero, bound)});
  };
  using enum block_scale_order;
  using enum multiplier_order;
  encode("a * (S * fl(1/6)), x * (1 / (s * (1 / S))): folded constants", folded,
         reciprocal_of_encode);
  encode("(a / 6) * S, x * (1 / (s * (1 / S))): divided, then multiplied", divided_times,
         reciprocal_of_encode);
  encode("S * (a * fl(1/6)), x * (1 / (s * (1 / S))): reciprocal multiply", reciprocal_first,
         reciprocal_of_encode);
  decode("(a / 6) / t, x * ((1 / t) / s): divided", divided_over, reciprocal_over);
  decode("(a / 6) / t, x * (1 / (s * t)): divided, reciprocal of the product", divided_over,
         reciprocal_of_decode);
  decode("(a / t) / 6, x * (1 / (s * t)): tensor scale first", divided_by_factor,
         reciprocal_of_decode);
  decode("(a / t) / 6, x * ((1 / t) / s): tensor scale first", divided_by_factor, reciprocal_over);
}

std::vector<named_order> with_tensor_scale(float bound) {
  std::vector<named_order> list;
  for (const underflowed_scale zero :
       {underflowed_scale::scale_decides, underflowed_scale::divided}) {
    append(list, zero, bound);
    append_divisions(list, zero, bound);
  }
  return list;
}

std::vector<named_order> without_tensor_scale() {
  std::vector<named_order> list;
  for (const underflowed_scale zero :
       {underflowed_scale::scale_decides, underflowed_scale::divided}) {
    list.push_back({"a / 6, x * (1 / s): reciprocal multiply",
                    ordered(tensor_factor::none, block_scale_order::divided,
                            multiplier_order::reciprocal, zero, 448.0F)});
    list.push_back(
        {"a / 6, x / s: divided", ordered(tensor_factor::none, block_scale_order::divided,
                                          multiplier_order::divisor_of_decode, zero, 448.0F)});
    list.back().arithmetic.product = scaled_element::divided;
  }
  return list;
}

}  // namespace

const std::vector<named_order>& operation_orders(const mx::block_format& f) {
  static const std::vector<named_order> of_448 = with_tensor_scale(448.0F);
  static const std::vector<named_order> of_256 = with_tensor_scale(256.0F);
  static const std::vector<named_order> alone = without_tensor_scale();
  if (!f.has_tensor_scale()) return alone;
  return f.bound == mx::tensor_bound::of_256 ? of_256 : of_448;
}

}  // namespace golden::validator
