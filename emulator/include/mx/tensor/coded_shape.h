// SPDX-License-Identifier: Apache-2.0
// mx/tensor/coded_shape.h: the division of a tensor of any shape into the blocks of a recipe, and
// the shapes of the resulting arrays.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mx/tensor/corrected.h"
#include "mx/tensor/recipe.h"

namespace mx {

/// Exclusive upper limit of the bytes of every array, so that sums of a few sizes cannot overflow.
inline constexpr std::uint64_t size_limit = std::uint64_t{1} << 60;

/// A row-major tensor, and the axis along which its blocks lie; tiles span the last two axes.
///   extents  at least one; a scalar is [1]
///   axis     from the front
struct tensor_axes {
  std::vector<std::uint64_t> extents;
  std::size_t axis = 0;

  friend bool operator==(const tensor_axes&, const tensor_axes&) = default;
};

/// A tensor's extents with an axis that may be counted from the end (negative).
///   returns  nothing if the axis is out of range
[[nodiscard]] std::optional<tensor_axes> axes_of(std::vector<std::uint64_t> extents,
                                                 std::int64_t axis);

/// Why a recipe does not accept a tensor.
enum class tensor_refusal : std::uint8_t {
  none,
  size,              ///< every array stays below size_limit, every extent below 2^63
  empty_rows,        ///< without elements, at most 2^24 rows may have a tensor scale each
  tiles,             ///< tiles span the last two axes, columns along the last
  two_passes,        ///< so do two passes
  corrected_length,  ///< corrections accept at most 2^30 along the axis
  layout_axis,       ///< a layout other than linear requires blocks along the last axis
  layout_size        ///< a layout numbers fewer than 2^63 scales
};

/// Returns tensor_refusal::none if the tensor can be divided into the recipe's blocks.
[[nodiscard]] tensor_refusal refusal_of(const recipe& r, const tensor_axes& t);
/// The same for a tensor whose codes are stored.
[[nodiscard]] tensor_refusal storage_refusal_of(const recipe& r, const tensor_axes& t);

/// Shape and size of a stored array; an array that the recipe lacks has no extents and 0 bytes.
struct array_shape {
  std::vector<std::uint64_t> extents;
  std::uint64_t bytes_a_number = 0;

  [[nodiscard]] std::uint64_t bytes() const;
};

/// Shapes and sizes of all arrays of a tensor.
///   blocks     the values as kernels read them      padded  the same, the axis padded as codes are
///   sizes      of codes one a byte, and scales in linear order
///   codes, scales, macro_fractions  of each pass, as they are stored
///   tensor_scales  FP32; presets store their amax in an array of the same shape
struct coded_shape {
  tensor_axes values;
  blocked_shape blocks, padded;
  blocked_sizes sizes;
  array_shape codes, scales, tensor_scales, macro_fractions;
};

/// The shape of a tensor's values as kernels read them.
///   errors  requires refusal_of(r, t) to be none
[[nodiscard]] blocked_shape blocks_of(const recipe& r, const tensor_axes& t);

///   errors  requires both storage refusals to be none
[[nodiscard]] coded_shape coded_shape_of(const recipe& r, const tensor_axes& t);

/// The orders of codes that a file's number of codes tells apart: the recipe's own, one a byte, and
/// of 6-bit codes without gaps.
[[nodiscard]] std::vector<code_order> orders_by_size(const recipe& r);

/// The same tensor with another length along its axis.
[[nodiscard]] tensor_axes with_length(tensor_axes t, std::uint64_t length);

/// Scales as matrices end to end: the last two axes of their linear shape.
struct scale_matrices {
  std::uint64_t count = 1, rows = 1, columns = 1;
};
[[nodiscard]] scale_matrices scale_matrices_of(const recipe& r, const coded_shape& s);

}  // namespace mx
