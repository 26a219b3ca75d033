// SPDX-License-Identifier: Apache-2.0
// sim/policy/token_operand.cpp: see token_operand.h.
#include "sim/policy/token_operand.h"

#include <algorithm>

#include "sim/policy/row_functions.h"

namespace sim {

void token_operand::take(const pass_products& wgrad, operand_role role, const product_place& at,
                         const operand_view& m, const sequence_rows& rows) {
  operand_ = wgrad.operand(role, at);
  rotation_ = wgrad.format.rotation;
  tokens_ = wgrad.key.tokens;
  from_ = m;
  rows_ = rows;
  if (is_unchanged()) return;
  first_k_.assign(1, 0);
  for (int i = 0; i < rows.count(); ++i) first_k_.push_back(first_k_.back() + k(i));
  values_.resize(std::max(values_.size(), matrix_size(first_k_.back(), m.columns)));
}

bool token_operand::is_unchanged() const noexcept {
  return operand_.numbers == mx::operand_numbers::fp32 && rotation_.size == 0;
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

void token_operand::quantize(int i) {
  if (is_unchanged()) return;
  float* out = values_.data() + first_value(i);
  const float* x = from_.data + rows_.row(i) * from_.stride;
  std::ptrdiff_t stride = from_.stride;
  if (rotation_.size > 0) {
    for (int t = 0; t < rows_.length(i); ++t) {
      std::copy_n(x + t * stride, from_.columns, out + std::ptrdiff_t{t} * from_.columns);
    }
    std::fill(out + std::ptrdiff_t{rows_.length(i)} * from_.columns,
              out + std::ptrdiff_t{k(i)} * from_.columns, 0.0F);
    rotate_columns(rotation_, k(i), from_.columns, out);
    x = out;
    stride = from_.columns;
  }
  const auto blocks = static_cast<std::uint64_t>(
      blocks_of(operand_, rotated_length(rotation_, tokens_)) * from_.columns);
  const auto sequence = static_cast<std::uint64_t>(rows_.first + i);
  mx::fake_quantize(operand_,
                    mx::operand_columns{k(i), from_.columns, x, stride, sequence * blocks},
                    {out, from_.columns});
}

}  // namespace sim
