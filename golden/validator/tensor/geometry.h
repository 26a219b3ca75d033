// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/geometry.h: the elements of a block, and where its codes and its scale
// are stored in the bytes of a file.
#pragma once
#include <optional>
#include <span>

#include "golden/validator/hypothesis.h"
#include "mx/tensor/coded_shape.h"
#include "subject.h"

namespace golden::validator {

/// A block by its coordinates: first row of its tile, block along the axis, inner index.
struct block_place {
  std::uint64_t outer, row, along, inner;
};

/// Place of a scale among matrices of scales.
struct grid_place {
  std::uint64_t matrix, row, column;
};

/// The bits of a code in a file: `width` of them from bit `shift` of a byte on, where they go on in
/// the low bits of byte `next`.
struct stored_code {
  std::uint64_t byte;
  int shift, width;
  std::uint64_t next = 0;

  [[nodiscard]] bool crosses_bytes() const { return shift + width > 8; }
  /// Of the bits of both bytes, the first byte's in the low ones.
  [[nodiscard]] std::uint32_t mask() const { return ((1U << width) - 1) << shift; }
};

/// The blocks of one tensor under one hypothesis; numbered as by mx::quantize_tensor. Corrections
/// may pad the axis by whole blocks.
class geometry {
 public:
  /// No value where the tensor has no such axis, or tiles, layouts or corrections do not fit it.
  [[nodiscard]] static std::optional<geometry> of(const hypothesis& r, const subject& s);

  [[nodiscard]] const mx::blocked_shape& shape() const { return shape_; }
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
  [[nodiscard]] std::uint64_t blocks_along() const { return along_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t columns() const { return columns_; }
  [[nodiscard]] std::uint64_t code_bytes() const { return code_bytes_; }
  [[nodiscard]] std::uint64_t scale_bytes() const { return scale_bytes_; }
  [[nodiscard]] std::uint64_t bytes_a_scale() const { return bytes_a_scale_; }
  /// Whether two codes share a byte.
  [[nodiscard]] bool halved() const { return halved_; }
  /// Whether 6-bit codes have no gaps.
  [[nodiscard]] bool dense() const { return dense_; }
  /// Bytes of macro blocks' fractions in each pass.
  [[nodiscard]] std::uint64_t fraction_bytes() const { return fraction_bytes_; }
  [[nodiscard]] bool has_residual() const { return has_residual_; }

  [[nodiscard]] block_place place(std::uint64_t block) const;
  /// The number of a block if the axis were padded to whole blocks alone, as without corrections.
  [[nodiscard]] std::uint64_t number_without_padding(const block_place& p) const;
  /// The block of an element of the tensor.
  [[nodiscard]] std::uint64_t block_of(std::uint64_t element) const;
  /// Index of a block's line along the axis, and of its tensor scale where rows have their own.
  [[nodiscard]] std::uint64_t vector_of(const block_place& p) const {
    return (p.outer * shape_.rows + p.row) * shape_.inner + p.inner;
  }
  [[nodiscard]] std::uint64_t value_at(const block_place& p, std::uint64_t row,
                                       std::uint64_t position) const {
    return ((p.outer * shape_.rows + p.row + row) * shape_.length + position) * shape_.inner +
           p.inner;
  }
  [[nodiscard]] stored_code code_at(const block_place& p, std::uint64_t row,
                                    std::uint64_t position) const;
  /// First byte of the scale at a block's place.
  [[nodiscard]] std::uint64_t scale_at(std::uint64_t block) const;
  /// The block whose scale is written at a block's place; no value: zero is written.
  [[nodiscard]] std::optional<std::uint64_t> scale_source(std::uint64_t block) const;
  /// Whether any scale is written; a shift by all the places in its direction leaves zeros alone.
  [[nodiscard]] bool keeps_scales() const;

 private:
  geometry() = default;
  /// Index of the line that is stored at a row's place; grid_rows_ of them are a matrix.
  [[nodiscard]] std::uint64_t stored_line(std::uint64_t line) const;
  /// Lines along the axis.
  [[nodiscard]] std::uint64_t vectors() const { return shape_.outer * shape_.rows * shape_.inner; }
  [[nodiscard]] grid_place grid_of(std::uint64_t stored) const;
  [[nodiscard]] std::uint64_t stored_index(std::uint64_t block) const;
  [[nodiscard]] std::uint64_t block_stored_at(std::uint64_t stored) const;
  /// Places in the direction of a shift; of other motions, those of all blocks.
  [[nodiscard]] std::uint64_t motion_extent() const;
  [[nodiscard]] bool pad(const hypothesis& r, const mx::tensor_axes& axes, std::uint64_t& length);
  void lay_out_codes(const mx::recipe& r, const mx::blocked_shape& padded,
                     const mx::blocked_sizes& sizes);
  void lay_out_scales(const hypothesis& r, const subject& s);
  /// Where a code of a line lies.
  [[nodiscard]] std::uint64_t moved(std::uint64_t position) const;
  /// Index of a byte of a line's codes.
  [[nodiscard]] std::uint64_t code_byte(const block_place& p, std::uint64_t line,
                                        std::uint64_t byte) const;

  mx::blocked_shape shape_;
  stored_order order_ = stored_order::as_input;
  row_order rows_order_;
  int codes_moved_ = 0;
  scale_placement placement_;
  mx::scale_layout layout_ = mx::scale_layout::linear;
  mx::nibble_packing packing_;
  bool halved_ = false, dense_ = false;
  std::uint64_t rows_ = 1, columns_ = 32, row_blocks_ = 0, along_ = 0;
  std::uint64_t stored_along_ = 0;  ///< bytes of codes of one vector
  std::uint64_t blocks_ = 0, code_bytes_ = 0, scale_bytes_ = 0, bytes_a_scale_ = 1;
  std::uint64_t fraction_bytes_ = 0;
  bool has_residual_ = false;
  std::uint64_t grid_count_ = 1, grid_rows_ = 1, grid_columns_ = 1;
};

/// The code at a place of a file.
[[nodiscard]] inline std::uint32_t code_in(byte_span codes, const stored_code& at) {
  std::uint32_t bits = codes[at.byte];
  if (at.crosses_bytes()) bits |= std::uint32_t{codes[at.next]} << 8;
  return (bits & at.mask()) >> at.shift;
}

/// Writes a code to its place, and leaves other bits.
inline void put_code(std::span<std::uint8_t> codes, const stored_code& at, std::uint32_t code) {
  const std::uint32_t bits = code << at.shift & at.mask(), others = ~at.mask();
  codes[at.byte] = static_cast<std::uint8_t>((codes[at.byte] & others) | bits);
  if (!at.crosses_bytes()) return;
  codes[at.next] = static_cast<std::uint8_t>((codes[at.next] & others >> 8) | bits >> 8);
}

/// Calls work(k, row, position) for each code of a block; k is its index in the block.
template <class Work>
void for_codes(const geometry& g, const block_place& p, const Work& work) {
  for (std::uint64_t r = 0; r < g.rows() && p.row + r < g.shape().rows; ++r) {
    for (std::uint64_t c = 0; c < g.columns(); ++c) {
      work(r * g.columns() + c, r, p.along * g.columns() + c);
    }
  }
}

/// The scale whose first byte is at a place.
[[nodiscard]] std::uint32_t scale_in(byte_span scales, const geometry& g, std::uint64_t at);

/// Whether the sizes of the subject's bytes are those of the recipe.
[[nodiscard]] bool fits(const geometry& g, const subject& s);

/// The geometry, if the bytes have its sizes.
[[nodiscard]] std::optional<geometry> fitting(const hypothesis& r, const subject& s);

/// Whether the bytes of all subjects have the sizes of a hypothesis.
[[nodiscard]] bool fits_all(const hypothesis& r, std::span<const subject> subjects);

/// The order of the codes that their number shows: the hypothesis's own, or one a byte, or 6-bit
/// codes without gaps.
[[nodiscard]] mx::code_order order_of_codes(const hypothesis& r, const subject& s);

}  // namespace golden::validator
