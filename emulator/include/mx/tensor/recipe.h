// SPDX-License-Identifier: Apache-2.0
// mx/tensor/recipe.h: everything that determines the bytes of a tensor's codes and scales, as one
// value. Open choices: those of the quantizer (D-001 to D-006, D-040) and of the corrections
// (D-009, D-018).
#pragma once
#include <type_traits>

#include "mx/block/corrected_quantizer.h"
#include "mx/tensor/layout.h"
#include "mx/tensor/packing.h"

namespace mx {

///   once   quantized along the axis
///   twice  quantized and dequantized along the other of the last two axes first
enum class passes : std::uint8_t { once, twice };

/// Order of stored codes; codes of other widths than 4 and 6 bits are always one a byte.
///   nibbles  order of the two codes in a byte, if packed
///   sixes    order of 6-bit codes
struct code_order {
  code_packing packing = code_packing::packed;
  nibble_order nibbles = nibble_order::low_first;
  six_bit_order sixes = six_bit_order::one_a_byte;

  friend constexpr bool operator==(const code_order&, const code_order&) = default;
};

inline constexpr int no_preset = -1;

/// How a tensor is coded. The axis of the blocks belongs to the tensor (mx/tensor/coded_tensor.h).
///   rules        format of the blocks, scale rule, rounding, random source
///   corrections  applied around the quantizer
///   preset       index in variant_table (mx/presets/variants.h) of a public kernel, whose
///                arithmetic replaces everything but the format; no_preset: none
///   codes        order of the stored codes
///   layout       order of the stored scales
struct recipe {
  quantization rules = {};
  mx::corrections corrections = {};
  mx::passes passes = passes::once;
  int preset = no_preset;
  code_order codes = {};
  scale_layout layout = scale_layout::linear;

  [[nodiscard]] MX_HD constexpr const block_format& format() const noexcept { return rules.format; }
  [[nodiscard]] MX_HD constexpr bool has_preset() const noexcept { return preset != no_preset; }
  [[nodiscard]] MX_HD constexpr bool is_corrected() const noexcept {
    return !(corrections == mx::corrections{});
  }
  /// Whether a single call of the quantizer produces the codes.
  [[nodiscard]] MX_HD constexpr bool is_plain() const noexcept {
    return !has_preset() && !is_corrected() && passes == mx::passes::once;
  }
  /// Whether two codes share a byte.
  [[nodiscard]] MX_HD constexpr bool has_pairs() const noexcept {
    return codes.packing == code_packing::packed && rules.format.element.width() == 4;
  }
  /// Whether codes lie without gaps, four in three bytes.
  [[nodiscard]] MX_HD constexpr bool is_dense() const noexcept {
    return codes.sixes == six_bit_order::dense && rules.format.element.width() == 6;
  }
  friend constexpr bool operator==(const recipe&, const recipe&) = default;
};
static_assert(std::is_trivially_copyable_v<recipe>);

/// Why a recipe is invalid, or cannot be stored.
enum class recipe_refusal : std::uint8_t {
  none,
  quantizer,     ///< refusal_of(rules) gives the reason
  corrections,   ///< refusal_of(rules, corrections) gives the reason
  tile_twice,    ///< tiles are the same along both axes
  row_of_tile,   ///< a tile has several rows, so a row cannot have its own tensor scale
  preset_rules,  ///< a preset has its own rule and rounding (but for a seed), and no corrections
  odd_halves,    ///< a block of an odd number of codes cannot be split into halves
  dense_codes,   ///< only codes of 6 bits are stored without gaps
  wide_layout,   ///< layouts arrange one-byte scales
  exact_scale    ///< an exact scale has no code to store
};

/// Returns recipe_refusal::none if the recipe can quantize a tensor.
[[nodiscard]] MX_HD constexpr recipe_refusal refusal_of(const recipe& r) noexcept {
  const block_format& f = r.rules.format;
  if (r.has_preset()) {
    quantization own{f};
    own.random = r.rules.random;  // which a preset that rounds stochastically takes, and no other
    const bool is_own = r.rules == own && !r.is_corrected() && r.passes == passes::once;
    if (!is_own) return recipe_refusal::preset_rules;
  } else if (refusal_of(r.rules) != refusal::none) {
    return recipe_refusal::quantizer;
  } else if (refusal_of(r.rules, r.corrections) != correction_refusal::none) {
    return recipe_refusal::corrections;
  } else if (r.passes == passes::twice && f.rows > 1) {
    return recipe_refusal::tile_twice;
  }
  if (f.rows > 1 && f.tensor == tensor_scaling::per_row) return recipe_refusal::row_of_tile;
  return recipe_refusal::none;
}

/// Returns recipe_refusal::none if its codes and scales can be stored in the requested order.
///   errors  requires refusal_of(r) to be none
[[nodiscard]] MX_HD constexpr recipe_refusal storage_refusal_of(const recipe& r) noexcept {
  const block_format& f = r.rules.format;
  if (f.precision == scale_precision::exact) return recipe_refusal::exact_scale;
  if (r.has_pairs() && r.codes.nibbles == nibble_order::split_half && f.columns % 2 != 0) {
    return recipe_refusal::odd_halves;
  }
  if (r.codes.sixes == six_bit_order::dense && !r.is_dense()) return recipe_refusal::dense_codes;
  if (r.layout != scale_layout::linear && f.scale.width() > 8) return recipe_refusal::wide_layout;
  return recipe_refusal::none;
}

static_assert(refusal_of(recipe{}) == recipe_refusal::none);
static_assert(refusal_of(recipe{{block_formats::nvfp4_2d}, {}, passes::twice}) ==
              recipe_refusal::tile_twice);
static_assert(storage_refusal_of(recipe{{{formats::e2m1, formats::e8m0, 1, 5}},
                                        {},
                                        passes::once,
                                        no_preset,
                                        {code_packing::packed, nibble_order::split_half}}) ==
              recipe_refusal::odd_halves);

}  // namespace mx
