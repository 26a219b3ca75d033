// SPDX-License-Identifier: Apache-2.0
// golden/reference/components.cpp: the parts of the MXFP4 error, and both meanings of toggling.
#include "golden/reference/components.h"

namespace golden {
namespace {

// Magnitude of the quantized x at any scale, also one that is no power of two. Only a block of
// zeros has scale 0.
rational quantized_magnitude(const rational& magnitude, const rational& scale) {
  if (scale == 0) return 0;
  return grid()[nearest_code(magnitude / scale)] * scale;
}

error_parts parts_of(const signed_value& x, const rational& scale, const rational& ideal_scale) {
  const rational actual = signed_value{x.negative, quantized_magnitude(x.magnitude, scale)}.value();
  const rational ideal =
      signed_value{x.negative, quantized_magnitude(x.magnitude, ideal_scale)}.value();
  error_parts parts;
  (x.magnitude > 6 * scale ? parts.clip : parts.scale) = actual - ideal;
  (ideal == 0 ? parts.deadzone : parts.grid) = ideal - x.value();
  parts.scale_dead = actual == 0 && ideal != 0;
  return parts;
}

rational chosen_sum(const error_parts& parts, component chosen) {
  rational sum = 0;
  if (contains(chosen, component::scale)) sum += parts.scale;
  if (contains(chosen, component::deadzone)) sum += parts.deadzone;
  if (contains(chosen, component::grid)) sum += parts.grid;
  if (contains(chosen, component::clip)) sum += parts.clip;
  return sum;
}

float with_sign_of(float x, const rational& magnitude) {
  return rounded_like(signed_value{is_negative(x), magnitude}.value(), x);
}

float operate_on(float x, const rational& scale, component chosen) {
  const rational magnitude = value_of(x).magnitude;
  const rational quantized = quantized_magnitude(magnitude, scale);
  if (quantized == 0) return contains(chosen, component::deadzone) ? with_sign_of(x, 0) : x;
  if (contains(chosen, component::grid)) return with_sign_of(x, quantized);
  if (contains(chosen, component::scale) && magnitude > 6 * scale)
    return with_sign_of(x, 6 * scale);
  return x;
}

std::vector<float> special_block(const std::vector<float>& block, component chosen) {
  if (chosen == component::none) return block;
  return std::vector<float>(block.size(), nan_float());
}

}  // namespace

std::vector<error_parts> decompose(const std::vector<float>& block, scale_rule rule) {
  if (!all_finite(block)) return {};
  const exact_block values = values_of(block);
  const rational scale = scale_value(scale_byte(values, rule));
  const rational ideal_scale = amax_of(values) / 6;
  std::vector<error_parts> parts;
  for (const signed_value& x : values) parts.push_back(parts_of(x, scale, ideal_scale));
  return parts;
}

std::vector<float> inject(const std::vector<float>& block, const std::vector<error_parts>& parts,
                          component chosen) {
  if (!all_finite(block)) return special_block(block, chosen);
  std::vector<float> changed;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const rational sum = value_of(block[i]).value() + chosen_sum(parts[i], chosen);
    changed.push_back(rounded_like(sum, block[i]));
  }
  return changed;
}

std::vector<float> inject(const std::vector<float>& block, scale_rule rule, component chosen) {
  return inject(block, decompose(block, rule), chosen);
}

std::vector<float> operate(const std::vector<float>& block, scale_rule rule, component chosen) {
  if (!all_finite(block)) return special_block(block, chosen);
  const exact_block values = values_of(block);
  const bool coarse = contains(chosen, component::scale);
  const rational scale =
      coarse ? scale_value(scale_byte(values, rule)) : rational(amax_of(values) / 6);
  std::vector<float> changed;
  for (const float x : block) changed.push_back(operate_on(x, scale, chosen));
  return changed;
}

}  // namespace golden
