// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/tensor_scale.cpp: finds the first unusable tensor scale and formats it
// beside the right one.
#include "tensor_scale.h"

#include <algorithm>

namespace golden::validator {

bool has_unusable_scale(const subject& s) {
  return std::any_of(s.tensor_scales.begin(), s.tensor_scales.end(), is_unusable);
}

std::optional<unusable_scale> unusable_scale_in(const prediction& p) {
  if (p.agrees_on_tensor_scales()) return {};
  const std::vector<float> right = p.computed_tensor_scales();
  const std::vector<float>& found = p.of().tensor_scales;
  const auto first = std::find_if(found.begin(), found.end(), is_unusable);
  if (right.empty() || first == found.end()) return {};
  const auto row = static_cast<std::size_t>(first - found.begin());
  return unusable_scale{row, mx::bits_of(right[std::min(row, right.size() - 1)]),
                        mx::bits_of(*first)};
}

std::string text_of(const unusable_scale& u) {
  using enum mx::number_type;
  return number_text(fp32, u.found_bits) + (u.row > 0 ? " of row " + std::to_string(u.row) : "") +
         ", expected " + number_text(fp32, u.expected_bits);
}

}  // namespace golden::validator
