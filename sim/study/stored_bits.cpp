// SPDX-License-Identifier: Apache-2.0
// sim/study/stored_bits.cpp: see stored_bits.h.
#include "sim/study/stored_bits.h"

namespace sim {
namespace {

/// A fraction of at most 8 bits takes one byte, else two.
double bits_of_macro_blocks(const mx::corrections& c) {
  if (c.macro_block == 0) return 0;
  return (c.macro_bits <= 8 ? 8.0 : 16.0) / c.macro_block;
}

}  // namespace

double bits_an_element(const mx::block_format& f) {
  const int bits = f.scale.width();
  const int stored = f.precision == mx::scale_precision::exact ? 0
                     : bits <= 8                               ? 8
                     : bits <= 16                              ? 16
                                                               : 32;
  return f.element.width() + static_cast<double>(stored) / f.size();
}

std::optional<double> bits_an_element(const mx::operand& f) {
  if (f.numbers == mx::operand_numbers::fp32) return 32;
  if (f.numbers == mx::operand_numbers::bf16) return 16;
  if (f.toggle != mx::toggle::none) return {};
  const mx::corrections& c = f.recipe.corrections;
  const double one_pass = bits_an_element(f.recipe.format()) + bits_of_macro_blocks(c);
  return c.has_residual() ? 2 * one_pass : one_pass;
}

}  // namespace sim
