// SPDX-License-Identifier: Apache-2.0
// sim/policy/token_operand.cpp: see token_operand.h.
#include "sim/policy/token_operand.h"

#include <algorithm>

#include "sim/policy/row_functions.h"

namespace sim {

void token_operand::take(const pass_products& wgrad, operand_role role, const product_place& at,
                         const operand_view& m, const contraction_rows& rows) {
  operand_ = wgrad.operand(role, at);
  const pass_format here = wgrad.format_at(at);
  rotation_ = here.rotation;
  is_forward_s_ = role == operand_role::other && here.source == operand_source::forward;
  tokens_ = wgrad.key.tokens * wgrad.format.sequences;
  from_ = m;
  rows_ = rows;
  has_values_ = here.multiplies_values();
  codes_.resize(has_values_ ? 0 : static_cast<std::size_t>(rows.count()));
  if (is_unchanged()) return;
  first_k_.assign(1, 0);
  for (int i = 0; i < rows.count(); ++i) first_k_.push_back(first_k_.back() + k(i));
  values_.resize(std::max(values_.size(), matrix_size(first_k_.back(), m.columns)));
}

bool token_operand::is_unchanged() const noexcept {
  return has_values_ && operand_.numbers == mx::operand_numbers::fp32 && rotation_.size == 0;
}

int token_operand::k(int i) const noexcept { return rotated_length(rotation_, rows_.length(i)); }

std::ptrdiff_t token_operand::first_value(int i) const noexcept {
  return static_cast<std::ptrdiff_t>(first_k_[static_cast<std::size_t>(i)]) * from_.columns;
}

const float* token_operand::values(int i) const noexcept {
  return is_unchanged() ? from_.data + rows_.row(i) * from_.stride
                        : values_.data() + first_value(i);
}

std::ptrdiff_t token_operand::stride() const noexcept {
  return is_unchanged() ? from_.stride : from_.columns;
}

/// As forward's products: token by token.
void token_operand::quantize_rows(int i, float* out) const {
  const std::vector<std::uint64_t> blocks =
      first_blocks_of(operand_, rows_.length(i), rows_.tokens.data() + rows_.row(i), from_.columns);
  mx::fake_quantize(
      operand_,
      mx::operand_rows{rows_.length(i), from_.columns, from_.data + rows_.row(i) * from_.stride,
                       from_.stride, blocks.empty() ? nullptr : blocks.data()},
      {out, from_.columns});
}

void token_operand::quantize(int i) {
  if (is_unchanged()) return;
  if (is_forward_s_) return quantize_rows(i, values_.data() + first_value(i));
  const auto blocks = static_cast<std::uint64_t>(
      blocks_of(operand_, rotated_length(rotation_, tokens_)) * from_.columns);
  mx::operand_columns columns{k(i), from_.columns, from_.data + rows_.row(i) * from_.stride,
                              from_.stride, static_cast<std::uint64_t>(rows_.first + i) * blocks};
  float* out = values_.data() + first_value(i);
  if (rotation_.size > 0) {
    rotate_columns(rotation_, rows_.length(i), from_.columns, columns.x, columns.stride, out);
    columns.x = out;
    columns.stride = from_.columns;
  }
  if (has_values_) {
    mx::fake_quantize(operand_, columns, {out, from_.columns});
  } else {
    codes_[static_cast<std::size_t>(i)] = coded_columns(operand_, columns);
  }
}

mx::coded_outer_product coded_product(const token_operand& dy, const token_operand& x, int i) {
  const auto scale = [](const operand_lines& of) {
    return of.tensor_scales.empty() ? 1.0F : of.tensor_scales.front();
  };
  const operand_lines &left = dy.codes(i), &right = x.codes(i);
  return {left.k, left.operand(), right.operand(), scale(left), scale(right)};
}

}  // namespace sim
