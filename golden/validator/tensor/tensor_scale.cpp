// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/tensor_scale.cpp: finds the first unusable tensor scale and formats it
// beside the right one.
#include "tensor_scale.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "mx/spelling.h"

namespace golden::validator {
namespace {

bool differ_in_unusable_alone(const std::vector<float>& right, const std::vector<float>& found) {
  return std::equal(right.begin(), right.end(), found.begin(), found.end(), [](float a, float b) {
    return mx::bits_of(a) == mx::bits_of(b) || is_unusable(b);
  });
}

}  // namespace

bool has_unusable_scale(const subject& s) {
  return std::any_of(s.tensor_scales.begin(), s.tensor_scales.end(), is_unusable);
}

std::optional<unusable_scale> unusable_scale_in(const prediction& p) {
  if (p.agrees_on_tensor_scales()) return {};
  return unusable_beside(p.computed_tensor_scales(), p.of().tensor_scales);
}

std::optional<unusable_scale> unusable_beside(const std::vector<float>& right,
                                              const std::vector<float>& found) {
  if (right.empty()) return {};
  const auto first = std::find_if(found.begin(), found.end(), is_unusable);
  if (first == found.end()) return {};
  const auto row = static_cast<std::size_t>(first - found.begin());
  const float expected = right[std::min(row, right.size() - 1)];
  return unusable_scale{row, mx::bits_of(expected), mx::bits_of(*first),
                        differ_in_unusable_alone(right, found)};
}

std::string scale_text(std::uint32_t bits) {
  std::array<char, 11> hex{};
  std::snprintf(hex.data(), hex.size(), "0x%08x", static_cast<unsigned>(bits));
  return std::string(hex.data()) + " (" + mx::decimal_text(mx::float_of(bits)) + ")";
}

std::string text_of(const unusable_scale& u) {
  return scale_text(u.found_bits) + (u.row > 0 ? " of row " + std::to_string(u.row) : "") +
         ", expected " + scale_text(u.expected_bits);
}

}  // namespace golden::validator
