// SPDX-License-Identifier: Apache-2.0
// golden/validator/hypothesis.h: what a kernel is supposed to do: a recipe, and the habits in which
// kernels depart from recipes.
#pragma once
#include <cstdint>
#include <optional>

#include "mx/block/block_quantizer.h"
#include "mx/presets/variants.h"
#include "mx/tensor/recipe.h"

namespace golden::validator {

/// Precision that the input is rounded to first.
enum class precision : std::uint8_t { as_given, bfloat16, bfloat16_cut, binary16 };

/// Who uses the rounded numbers; or instead of the input, the quotients of elements and their scale
/// are rounded.
enum class rounded_for : std::uint8_t { everything, elements, scale, quotients };

struct input_rule {
  precision numbers = precision::as_given;
  rounded_for who = rounded_for::everything;

  /// Whether the scale is of rounded numbers, and whether elements are.
  [[nodiscard]] bool reaches_scale() const {
    return who == rounded_for::everything || who == rounded_for::scale;
  }
  [[nodiscard]] bool reaches_elements() const {
    return who == rounded_for::everything || who == rounded_for::elements;
  }
  friend constexpr bool operator==(const input_rule&, const input_rule&) = default;
};

/// Scale of a block with a NaN or an Inf: NaN, that of its finite elements, the largest, or code 0.
///   negative_nan  of UE4M3, whose highest bit is unused: the NaN of E4M3 with a sign
enum class special_scale : std::uint8_t { nan, of_finite, largest, smallest, negative_nan };

/// Codes of such a block.
///   zeros           all 0
///   all_nan         all of them the code of a NaN element, 0x7F or the largest
///   nan_to_zero     finite ones as usual, Inf the largest with its sign, NaN 0
///   nan_to_largest  the same, NaN the code of NaN, or +max
///   nan_keeps_sign  the same with the sign of the NaN
///   nan_negative    the same with the sign always set, as in the default NaN of x86
///   special_to_zero finite ones as usual, the others 0
enum class special_codes : std::uint8_t {
  zeros,
  all_nan,
  nan_to_zero,
  nan_to_largest,
  nan_keeps_sign,
  nan_negative,
  special_to_zero
};

/// Which of several equivalent NaN codes: all bits set, the quiet one without a payload, the one
/// with the lowest bit.
enum class nan_code : std::uint8_t { all_bits, quiet, lowest };

/// Code of a finite number whose rounded magnitude exceeds the largest element: the largest; or
/// Inf, NaN where elements have no Inf, as conversions without saturation have it.
///   below  the code below the largest, which no number has
enum class overflow_code : std::uint8_t { saturated, special, below };

/// Code of an Inf in blocks that are encoded: the largest finite one, or Inf where supported.
enum class infinity_code : std::uint8_t { saturated, kept };

struct special_rule {
  special_scale with_nan = special_scale::nan;
  special_scale with_infinity = special_scale::nan;
  special_codes codes = special_codes::zeros;
  nan_code nan = nan_code::all_bits;
  infinity_code infinity = infinity_code::saturated;

  friend constexpr bool operator==(const special_rule&, const special_rule&) = default;
};

/// Sign of zero codes: kept; +0 for an input of -0 only; always +0.
enum class zero_sign : std::uint8_t { kept, of_nonzero, positive };

struct zero_rule {
  std::optional<std::uint32_t> scale;  ///< code of a block of zeros; no value: 0
  zero_sign sign = zero_sign::kept;

  friend constexpr bool operator==(const zero_rule&, const zero_rule&) = default;
};

/// Flushed to zero: nothing; inputs subnormal in FP32, or in FP16 if that is their type, with their
/// sign or to +0; subnormal element codes; blocks whose scale is below 2^-126.
enum class subnormal_rule : std::uint8_t { kept, inputs, inputs_to_positive, elements, scales };

/// Whether subnormal inputs are flushed.
[[nodiscard]] constexpr bool flushes_inputs(subnormal_rule s) noexcept {
  return s == subnormal_rule::inputs || s == subnormal_rule::inputs_to_positive;
}

/// Whether elements are encoded under the scale as written (applied) or before the shift (stored).
enum class shift_reach : std::uint8_t { stored, applied };

/// A shifted scale code at the ends: modulo 256; clamped to the finite codes; clamped, and
/// unshifted in a block of zeros. NaN shifts only modulo 256.
enum class shift_end : std::uint8_t { wrapped, clamped, nonzero };

struct scale_shift {
  int by = 0;
  shift_reach reach = shift_reach::stored;
  shift_end end = shift_end::wrapped;

  friend constexpr bool operator==(const scale_shift&, const scale_shift&) = default;
};

/// Where the scale of a block is written: at the block's place; columns first; `by` places further
/// in byte order, along the axis, or across it; at the place of the block whose column is XORed
/// with `by`; at its own and the next ones, for the first of every `by` alone.
enum class scale_motion : std::uint8_t { none, transposed, flat, along, across, exchanged, spread };

/// Contents of places that no scale was moved to: those that fell off; zeros; the nearest.
enum class motion_end : std::uint8_t { rolled, zeros, repeated };

struct scale_placement {
  scale_motion motion = scale_motion::none;
  int by = 0;
  motion_end end = motion_end::rolled;

  friend constexpr bool operator==(const scale_placement&, const scale_placement&) = default;
};

/// Storage order of vectors along the axis: as in the input, whole vectors one after the other, or
/// position by position.
enum class stored_order : std::uint8_t { as_input, axis_last, axis_first };

/// Rows of a matrix's two halves, such as gate and up: where they are in the input; by turns; or
/// the inverse, even rows before odd ones.
enum class row_halves : std::uint8_t { apart, interleaved, separated };

/// Whose rows are stored in another order.
enum class row_reach : std::uint8_t { codes_and_scales, codes, scales };

/// Order of the rows of a matrix whose blocks run along its last axis, as kernels take prepared
/// weights: first the halves, then rows among their neighbours.
/// Source: TensorRT-LLM, quantization/utils/fp4_utils.py; FlashInfer, utils.py and fused_moe
/// (shuffle_matrix_a of epilogue tiles of 128 rows: 32, else 16; reorder_rows_for_gated_act_gemm).
///   shuffled  0, or 16 or 32 rows n, of which row r is stored at r mod (n / 8) * 8 + r / (n / 8)
struct row_order {
  row_halves halves = row_halves::apart;
  int shuffled = 0;
  row_reach reach = row_reach::codes_and_scales;

  [[nodiscard]] bool is_of_input() const { return halves == row_halves::apart && shuffled == 0; }
  [[nodiscard]] bool reaches_codes() const { return reach != row_reach::scales; }
  [[nodiscard]] bool reaches_scales() const { return reach != row_reach::codes; }
  friend constexpr bool operator==(const row_order&, const row_order&) = default;
};

/// Elements at the end of the axis that were never written.
struct dropped_tail {
  std::uint64_t elements = 0;  ///< counted from the end of the padded axis
  bool zero_scales = false;    ///< also of blocks entirely within them

  friend constexpr bool operator==(const dropped_tail&, const dropped_tail&) = default;
};

/// Contents of rows that were never written: one byte for all codes and one for all scales; or the
/// output for the preceding tile of rows.
enum class stale_bytes : std::uint8_t { constant, earlier_tile };

/// Whole rows at the end of a tensor whose blocks run along its last axis.
///   tile    if not 0: the rows left over by whole tiles of this many
///   scales  constant; no value where the scales are right
struct unwritten_rows {
  std::uint64_t rows = 0, tile = 0;
  stale_bytes bytes = stale_bytes::constant;
  std::uint8_t codes = 0;
  std::optional<std::uint8_t> scales;

  friend constexpr bool operator==(const unwritten_rows&, const unwritten_rows&) = default;
};

/// Elements of a block among which the largest magnitude for its scale is found: all; a half of the
/// block; every other one; all but the first, or the last; the positive ones, where a maximum is
/// taken of numbers and not of magnitudes.
///   each_half  each half's own for its elements; written is the scale of the first
enum class amax_reach : std::uint8_t {
  block,
  first_half,
  second_half,
  even,
  odd,
  but_first,
  but_last,
  positive,
  each_half
};

/// Source of a shared scale: the numbers of all blocks that share it, or of the first.
enum class share_source : std::uint8_t { all, first };

/// One scale for several blocks, computed once, used for all their elements and written for each:
/// for `blocks` along the axis, in `rows` rows of a matrix.
struct scale_share {
  std::uint64_t blocks = 1, rows = 1;
  share_source source = share_source::all;

  friend constexpr bool operator==(const scale_share&, const scale_share&) = default;
};

/// The tensor scale that blocks are encoded under: the computed one; the one in the file; none.
///   inverse_stored  the computed one, and its reciprocal is written
///   unusable        the computed one, and the written one is not a positive finite number
///   other_written   the computed one, and any other number is written
enum class tensor_source : std::uint8_t {
  computed,
  as_stored,
  one,
  inverse_stored,
  unusable,
  other_written
};

/// Random bits of stochastic rounding as drawn, or the complement of each; or others, whose source
/// was not found.
enum class drawn_bits : std::uint8_t { as_drawn, complemented, unknown };

/// How a tensor scale is computed; each operation is rounded to FP32; m is the largest element, b
/// the largest scale or the format's bound.
///   own            the format's, amax / (m b); of a preset, its own
///   quotient       amax / (m b)          reciprocal     amax * (1 / (m b))
///   bound_first    (amax / b) / m        largest_first  (amax / m) / b
///   of_encode      1 / ((m b) / amax)
enum class tensor_formula : std::uint8_t {
  own,
  quotient,
  reciprocal,
  bound_first,
  largest_first,
  of_encode
};

/// Departures of a kernel from its recipe: at the ends of the range, and in where bytes lie. By
/// default none.
///   arithmetic  replaces rule and rounding by an order of operations
///   above       the tensor scale that blocks are encoded under
///   formula     how it is computed
///   element     rounding of elements in place of a preset's own
///   codes_moved places along the axis by which codes lie too far, those at the end first
struct habits {
  const mx::nvfp4_variant* arithmetic = nullptr;
  input_rule input;
  special_rule specials;
  zero_rule zeros;
  subnormal_rule subnormals = subnormal_rule::kept;
  scale_shift shift;
  tensor_source above = tensor_source::computed;
  tensor_formula formula = tensor_formula::own;
  std::optional<mx::rounding> element;
  overflow_code overflow = overflow_code::saturated;
  drawn_bits drawn = drawn_bits::as_drawn;
  stored_order order = stored_order::as_input;
  row_order rows;
  int codes_moved = 0;
  scale_placement placement;
  scale_share share;
  amax_reach amax = amax_reach::block;
  dropped_tail tail;
  unwritten_rows unwritten;

  friend bool operator==(const habits&, const habits&) = default;
};

///   axis  of blocks, counted from the last axis, which is 0
///   axes  of every tensor, for messages; 0 where they differ
struct hypothesis : habits {
  mx::recipe recipe;
  std::size_t axis = 0;
  std::size_t axes = 0;

  [[nodiscard]] const mx::block_format& format() const { return recipe.rules.format; }
  /// The preset of the recipe, or null.
  [[nodiscard]] const mx::variant_entry* variant() const;
  /// Its order of operations: in place of the rules, or of an NVFP4 preset; else null.
  [[nodiscard]] const mx::nvfp4_variant* nvfp4() const;
  /// Sets the preset of the recipe; null: none.
  void follow(const mx::variant_entry* v);
  friend bool operator==(const hypothesis&, const hypothesis&) = default;
};

/// The order of operations of a preset of NVFP4; null for other presets.
[[nodiscard]] const mx::nvfp4_variant* order_of(const mx::variant_entry& v);

/// Whether blocks are encoded under the tensor scale that the format or a preset computes.
[[nodiscard]] bool makes_own_scale(const habits& h);

/// The rounding of a preset's elements.
[[nodiscard]] mx::rounding element_rounding_of(const mx::variant_entry& v);

/// Whether blocks equal those of mx::quantize_tensor once the input is rounded for everything.
[[nodiscard]] bool is_plain(const hypothesis& r);

/// Whether codes come from the whole tensor at once: corrections, or two passes.
[[nodiscard]] bool is_of_whole(const hypothesis& r);

/// Whether the choices of a hypothesis are consistent.
[[nodiscard]] bool is_possible(const hypothesis& r);

}  // namespace golden::validator
