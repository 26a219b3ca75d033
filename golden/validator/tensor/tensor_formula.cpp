// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/tensor_formula.cpp: tensor scales by other orders of operations.
#include "tensor_formula.h"

#include "mx/number/fp32_device.h"
#include "mx/spelling.h"

namespace golden::validator {
namespace {

using mx::fp32::divide;

/// The constants of a formula: the largest element, the bound of scales, and their product.
struct reach {
  float largest, bound, product;
};

reach reach_of(const mx::block_format& f) {
  const mx::unpacked largest = mx::decode(f.element, f.element.max_code());
  const mx::unpacked bound = f.bound == mx::tensor_bound::of_256
                                 ? mx::unpacked::positive(256, 0)
                                 : mx::decode(f.scale, f.scale.max_code());
  return {mx::to_binary32(largest), mx::to_binary32(bound),
          mx::to_binary32(multiplied(largest, bound))};
}

float computed(tensor_formula how, const reach& r, float amax) {
  switch (how) {
    case tensor_formula::reciprocal:
      return mx::fp32::multiply(amax, divide(1.0F, r.product));
    case tensor_formula::bound_first:
      return divide(divide(amax, r.bound), r.largest);
    case tensor_formula::largest_first:
      return divide(divide(amax, r.largest), r.bound);
    case tensor_formula::of_encode:
      return divide(1.0F, divide(r.product, amax));
    case tensor_formula::own:
    case tensor_formula::quotient:
      break;
  }
  return divide(amax, r.product);
}

std::string text_of(tensor_formula how, const reach& r) {
  const auto number = [](float x) { return mx::decimal_text(x); };
  const std::string product = number(r.product);
  switch (how) {
    case tensor_formula::reciprocal:
      return "amax * (1 / " + product + ")";
    case tensor_formula::bound_first:
      return "(amax / " + number(r.bound) + ") / " + number(r.largest);
    case tensor_formula::largest_first:
      return "(amax / " + number(r.largest) + ") / " + number(r.bound);
    case tensor_formula::of_encode:
      return "1 / (" + product + " / amax)";
    case tensor_formula::own:
    case tensor_formula::quotient:
      break;
  }
  return "amax / " + product;
}

tensor_formula formula_of(const mx::nvfp4_order& order) {
  if (order.tensor == mx::tensor_factor::decode) return tensor_formula::quotient;
  if (order.tensor == mx::tensor_factor::decode_in_two) return tensor_formula::bound_first;
  return tensor_formula::of_encode;
}

}  // namespace

float tensor_scale_by(tensor_formula how, const mx::block_format& f, float amax) {
  if (how == tensor_formula::own) return mx::tensor_scale_of(f, mx::unpack(amax));
  const float scale = computed(how, reach_of(f), amax);
  return scale == 0 || mx::unpack(scale).is_special() ? 1.0F : scale;
}

std::string formula_text(const hypothesis& r) {
  const bool of_preset = r.variant() != nullptr && r.nvfp4() != nullptr;
  if (r.formula != tensor_formula::own || !of_preset) {
    return text_of(r.formula, reach_of(r.format()));
  }
  const mx::nvfp4_order& order = r.nvfp4()->order;
  return text_of(formula_of(order), {order.max, order.bound, mx::reach_of(order, order.bound)});
}

}  // namespace golden::validator
