// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/terms.cpp: the exact terms of one element of a product.
#include "terms.h"

#include <algorithm>

namespace golden::validator {
namespace {

using mx::code_storage;

/// Code `i` of a line.
std::uint32_t code_at(const mx::gemm_operand& operand, std::int64_t line, std::int64_t i) {
  const auto* bytes = static_cast<const std::uint8_t*>(operand.codes) + line * operand.line_bytes;
  if (operand.storage == code_storage::pairs) return bytes[i / 2] >> (i % 2 * 4) & 15U;
  constexpr std::int64_t sizes[] = {0, 1, 2, 4};
  const std::int64_t size = sizes[static_cast<int>(operand.storage)];
  std::uint32_t code = 0;
  for (std::int64_t k = 0; k < size; ++k) code |= std::uint32_t{bytes[i * size + k]} << 8 * k;
  return code;
}

/// An Inf scale reads as NaN (D-040).
mx::factor read_scale(const mx::dot_model& model, std::uint32_t code) {
  mx::factor scale = mx::factor_of(model.scale, code);
  if (scale.value.kind == mx::kind::infinite) scale.value.kind = mx::kind::nan;
  return scale;
}

bool has_groups(const mx::dot_model& model) { return model.sum.group > 1; }

std::int64_t signed_significand(const mx::unpacked& x, int unit) {
  if (x.is_zero()) return 0;
  return mx::with_sign(x.negative, x.significand << (x.exponent - unit));
}

/// Exact sum of a group from `at` on, times its scales. Elements of groups have no Inf and NaN.
void add_group(const mx::dot_model& model, const read_line& a, const read_line& b, std::size_t at,
               product_terms& terms) {
  const int unit_a = mx::integer_unit(model.a), unit_b = mx::integer_unit(model.b);
  const std::size_t end =
      std::min(at + static_cast<std::size_t>(model.sum.group), a.elements.size());
  std::int64_t dot = 0;
  bool all_zero = true;
  for (std::size_t i = at; i < end; ++i) {
    const std::int64_t product = signed_significand(a.elements[i].value, unit_a) *
                                 signed_significand(b.elements[i].value, unit_b);
    dot += product;
    all_zero = all_zero && product == 0;
  }
  mx::factor scale = mx::unit_factor();
  if (!a.scales.empty()) {
    const std::size_t block = at / static_cast<std::size_t>(model.block);
    scale = mx::product_of(a.scales[block], b.scales[block]);
  }
  terms.add(mx::product_of(mx::unpacked_of(dot, unit_a + unit_b), scale.value), scale.exponent);
  // A group that cancels is still read at its scales' exponent.
  if (!all_zero && scale.value.kind == mx::kind::finite) {
    terms.largest_exponent = std::max(terms.largest_exponent, scale.exponent);
  }
}

}  // namespace

read_line line_of(const mx::dot_model& model, operand_side side, const mx::gemm_operand& operand,
                  std::int64_t k, std::int64_t index) {
  read_line line;
  const mx::format& f = side == operand_side::a ? model.a : model.b;
  const bool scaled = model.block > 0 && operand.scales != nullptr;
  const std::int64_t blocks = scaled ? (k + model.block - 1) / model.block : 0;
  std::vector<mx::factor> scales;
  for (std::int64_t i = 0; i < blocks; ++i) {
    scales.push_back(read_scale(model, operand.scales[index * blocks + i]));
  }
  line.elements.reserve(static_cast<std::size_t>(k));
  for (std::int64_t i = 0; i < k; ++i) {
    mx::factor x = mx::factor_of(model, f, code_at(operand, index, i));
    if (scaled && !has_groups(model)) {
      const mx::factor& scale = scales[static_cast<std::size_t>(i / model.block)];
      x = model.sum.scales == mx::scale_position::on_operand ? mx::dequantized_factor(x, scale)
                                                             : mx::product_of(x, scale);
    }
    line.elements.push_back(x);
  }
  if (has_groups(model)) line.scales = std::move(scales);
  return line;
}

void product_terms::add(const mx::unpacked& value, int exponent) {
  kinds.see_special(value);
  if (value.kind != mx::kind::finite) return;
  (value.negative ? negative : positive).add(false, value.significand, value.exponent);
  largest_exponent = std::max(largest_exponent, exponent);
  lowest_unit = std::min(lowest_unit, value.exponent);
  ++count;
}

product_terms terms_of(const mx::dot_model& model, const read_line& a, const read_line& b) {
  product_terms terms;
  if (has_groups(model)) {
    const auto group = static_cast<std::size_t>(model.sum.group);
    for (std::size_t at = 0; at < a.elements.size(); at += group) {
      add_group(model, a, b, at, terms);
    }
    return terms;
  }
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    const mx::factor product = mx::product_of(a.elements[i], b.elements[i]);
    terms.add(mx::with_large(model.sum.large, product.value), product.exponent);
  }
  return terms;
}

}  // namespace golden::validator
