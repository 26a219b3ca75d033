// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/quantized_rows.h: rows of numbers, one block each, with their quantized
// codes and scales.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "golden/vectors/packs/pack.h"
#include "mx/tensor/blocks.h"

namespace golden::packs {

/// One block's numbers, and its purpose.
struct noted_row {
  std::vector<float> x;
  std::string sentence;
};

/// The format's name on the command line.
[[nodiscard]] std::string name_of(const mx::block_format& f);
[[nodiscard]] std::string name_of(mx::number_type type);

/// The neighbour of a number in a type, larger in magnitude (steps 1) or smaller (steps -1).
///   value  finite and nonzero
[[nodiscard]] float stepped(float value, mx::number_type type, int steps);

/// Whether a type can represent the number.
[[nodiscard]] bool holds(mx::number_type type, float value);

/// value * 2^exponent if the type represents it exactly; else NaN.
///   value  of at most 24 significant bits
[[nodiscard]] float scaled(double value, int exponent, mx::number_type type);

/// Magnitudes of codes 0, 1, ... up to the largest one.
[[nodiscard]] std::vector<double> magnitudes(const mx::format& f);

/// Adds TAG.input (x, of `type`), TAG.RULE.expected (codes, scales, tensor_scale) of each rule, as
/// `mxprism quantize` writes them, and the same as memories.
///   rows  one block each; those that `type` cannot represent are omitted
void add_quantized(pack_contents& pack, const std::string& tag, const mx::block_format& f,
                   mx::number_type type, std::span<const mx::scale_rule> rules,
                   const std::vector<noted_row>& rows);

/// The same for FP32 and BF16 in every format with E8M0 scales, under floor, ceil, even and rceil.
///   rows_of  the rows of a format and a type
void add_power_of_two_formats(pack_contents& pack,
                              std::vector<noted_row> (*rows_of)(const mx::block_format&,
                                                                mx::number_type));

}  // namespace golden::packs
