// SPDX-License-Identifier: Apache-2.0
// sim/policy/product.h: the quantized products of a step: formats of their operands, and the random
// bits that each operand draws.
// Open choices: D-046 (tensor scales), D-047 (random bits), D-048 (products under a model).
#pragma once
#include <cstdint>
#include <vector>

#include "sim/policy/parameters.h"
#include "sim/policy/value_products.h"

namespace sim {

/// Key of the random bits of a step's operands.
///   step    counter_word(use, step) (random_streams.h)
///   tokens  of a sequence in the numbering of blocks, at least as many as any sequence has
struct draw_key {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  int tokens = 0;
};

/// Number of a token within a tensor [sequence, token, feature].
///   sequence  index in the whole batch
[[nodiscard]] constexpr std::uint64_t token_number(const draw_key& key, int sequence,
                                                   int position) {
  return static_cast<std::uint64_t>(sequence) * static_cast<std::uint64_t>(key.tokens) +
         static_cast<std::uint64_t>(position);
}

/// The products of one pass of a step.
///   by  computes those of FP32 numbers
struct pass_products {
  pass_format format;
  sim::pass pass = pass::forward;
  draw_key key;
  const value_products* by = &bulk_products();

  /// sim::format_at of this pass.
  [[nodiscard]] pass_format format_at(const product_place& at) const;
  /// An operand; if it is drawn, with the source of its random bits: stream expert << 20 |
  /// layer << 8 | linear << 4 | pass << 2 | role << 1; the quantizer adds 1 for a residual. An
  /// operand of forward's has forward's pass and role.
  [[nodiscard]] mx::operand operand(operand_role role, const product_place& at) const;
};

/// An arithmetic at one step.
struct step_arithmetic {
  arithmetic formats;
  draw_key key;
  const value_products* by = &bulk_products();

  [[nodiscard]] pass_products of(pass p) const;
};

/// Whether an operand's values depend on its random source.
[[nodiscard]] bool is_drawn(const mx::operand& f) noexcept;

/// Blocks of a line of this length; 0 for numbers without blocks.
[[nodiscard]] int blocks_of(const mx::operand& f, int length) noexcept;

/// Numbers of the first blocks of rows of this length, whose token_numbers are given; empty if the
/// operand draws no random bits.
[[nodiscard]] std::vector<std::uint64_t> first_blocks_of(const mx::operand& f, int rows,
                                                         const std::uint64_t* tokens, int length);

/// Length of a line of the contraction axis, padded with zeros to whole rotations.
[[nodiscard]] int rotated_length(const mx::rotation& r, int length) noexcept;

/// Rotates the rows, or the columns, of a row-major matrix, each as mx::rotate.
///   x    rows of this stride     out  dense; columns have rotated_length(count)
///   count  of a row, a multiple of the rotation; of a column, any
void rotate_rows(const mx::rotation& r, int rows, int count, const float* x, std::ptrdiff_t stride,
                 float* out);
void rotate_columns(const mx::rotation& r, int count, int columns, const float* x,
                    std::ptrdiff_t stride, float* out);

}  // namespace sim
