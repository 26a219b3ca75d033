// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/tensor_scale.cpp: finds the first tensor scale that differs, and formats
// it beside the right one.
#include "tensor_scale.h"

#include <algorithm>

namespace golden::validator {
namespace {

tensor_scale_pair pair_at(std::size_t row, const std::vector<float>& right,
                          const std::vector<float>& found) {
  return {row, mx::bits_of(right[std::min(row, right.size() - 1)]), mx::bits_of(found[row])};
}

}  // namespace

bool tensor_scale_pair::is_unusable() const {
  return validator::is_unusable(mx::float_of(found_bits));
}

bool has_unusable_scale(const subject& s) {
  return std::any_of(s.tensor_scales.begin(), s.tensor_scales.end(), is_unusable);
}

std::optional<tensor_scale_pair> unusable_scale_in(const prediction& p) {
  if (p.agrees_on_tensor_scales()) return {};
  const std::vector<float> right = p.computed_tensor_scales();
  const std::vector<float>& found = p.of().tensor_scales;
  const auto first = std::find_if(found.begin(), found.end(), is_unusable);
  if (right.empty() || first == found.end()) return {};
  return pair_at(static_cast<std::size_t>(first - found.begin()), right, found);
}

std::optional<tensor_scale_pair> differing_scale_in(const prediction& p) {
  const std::optional<tensor_scale_pair> unusable = unusable_scale_in(p);
  if (unusable || p.agrees_on_tensor_scales()) return unusable;
  const std::vector<float> right = p.written_tensor_scales();
  const std::vector<float>& found = p.of().tensor_scales;
  for (std::size_t k = 0; k < std::min(right.size(), found.size()); ++k) {
    if (mx::bits_of(right[k]) != mx::bits_of(found[k])) return pair_at(k, right, found);
  }
  return {};
}

std::string text_of(const tensor_scale_pair& u) {
  using enum mx::number_type;
  return number_text(fp32, u.found_bits) + (u.row > 0 ? " of row " + std::to_string(u.row) : "") +
         ", expected " + number_text(fp32, u.expected_bits);
}

}  // namespace golden::validator
