// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_blocks.cpp: lines of plain recipes through the block quantizer, a
// batch of blocks at a time. Equals mx::clear_line, checked by tests/unit/tensor/operand_test.cpp
// and tests/unit/tensor/operand_whole_test.cpp.
#include <algorithm>
#include <memory>
#include <vector>

#include "tensor/block_batch.h"
#include "tensor/operand_kernel.h"

namespace mx {
namespace {

/// Elements of a batch: with their values they fit the first-level cache.
constexpr std::ptrdiff_t operand_batch_elements = 4096;

/// The tensor scale of an amax, by a division of the processor, which rounds as tensor_scale_of.
class line_scales {
 public:
  explicit line_scales(const block_format& f) : format_(f) {
    const unpacked bound =
        f.bound == tensor_bound::largest ? largest_of(f.scale) : unpacked::finite(false, 256, 0);
    const unpacked divisor = multiplied(largest_of(f.element), bound);
    divisor_ = to_binary32(divisor);
    exact_ = is_finite(divisor_) && compare_magnitudes(unpack(divisor_), divisor) == 0;
  }
  [[nodiscard]] float of(std::uint32_t amax) const {
    if (!exact_) return tensor_scale_of(format_, unpack(float_of(amax)));
    const float scale = float_of(amax) / divisor_;
    return scale == 0 ? 1.0F : scale;
  }

 private:
  block_format format_;
  float divisor_ = 1;
  bool exact_ = false;
};

/// Consecutive blocks of consecutive lines: of `lines` lines from `line` on the blocks
/// [block, block + blocks).
struct block_piece {
  std::ptrdiff_t line, lines, block, blocks;

  [[nodiscard]] std::ptrdiff_t count() const { return lines * blocks; }
};

/// Space for the blocks of a batch and their results.
class block_space {
 public:
  ///   elements  of a batch
  block_space(const block_format& f, std::ptrdiff_t blocks_a_line, std::ptrdiff_t elements)
      : columns_(f.columns),
        stride_((columns_ + alignment - 1) / alignment * alignment),
        blocks_a_line_(blocks_a_line),
        most_(std::max<std::ptrdiff_t>(1, elements / stride_)) {
    const auto blocks = static_cast<std::size_t>(most_);
    x = std::make_unique_for_overwrite<float[]>(blocks * static_cast<std::size_t>(stride_));
    codes =
        std::make_unique_for_overwrite<std::uint8_t[]>(blocks * static_cast<std::size_t>(stride_));
    scales = std::make_unique_for_overwrite<std::uint32_t[]>(blocks);
    numbers = std::make_unique_for_overwrite<std::uint64_t[]>(blocks);
    tensor_scales.assign(blocks, 1.0F);
  }

  [[nodiscard]] std::ptrdiff_t columns() const { return columns_; }
  [[nodiscard]] std::ptrdiff_t stride() const { return stride_; }
  [[nodiscard]] std::ptrdiff_t blocks_a_line() const { return blocks_a_line_; }
  [[nodiscard]] std::ptrdiff_t most() const { return most_; }
  [[nodiscard]] float* block(std::ptrdiff_t b) { return x.get() + b * stride_; }

  /// Where the kernels may write the codes of a piece: among those of its lines, or to this space.
  [[nodiscard]] std::uint8_t* codes_of(const block_piece& p, const operand_codes& out) {
    return is_in_order(p) ? out.codes + (p.line * blocks_a_line_ + p.block) * columns_
                          : codes.get();
  }
  [[nodiscard]] block_batch batch(int count) {
    return {x.get(),
            static_cast<std::uint64_t>(stride_),
            0,
            count,
            tensor_scales.data(),
            codes.get(),
            scales.get(),
            storing::cached,
            x.get()};
  }
  /// Stores the codes, unless they are in place, and the scales of a piece line after line.
  void scatter(const block_piece& p, const operand_codes& out) const {
    const std::uint32_t* scale = scales.get();
    for (std::ptrdiff_t line = p.line; line < p.line + p.lines; ++line) {
      std::uint8_t* to = out.scales + line * blocks_a_line_ + p.block;
      for (std::ptrdiff_t b = 0; b < p.blocks; ++b) to[b] = static_cast<std::uint8_t>(*scale++);
    }
    if (!is_in_order(p)) scatter_codes(p, out.codes);
  }

  std::unique_ptr<float[]> x;
  std::unique_ptr<std::uint8_t[]> codes;
  std::unique_ptr<std::uint32_t[]> scales;
  std::unique_ptr<std::uint64_t[]> numbers;
  std::vector<float> tensor_scales;

 private:
  /// Whether a piece's blocks follow one another in memory as they do here.
  [[nodiscard]] bool is_in_order(const block_piece& p) const {
    return columns_ == stride_ && (p.lines == 1 || p.blocks == blocks_a_line_);
  }

  void scatter_codes(const block_piece& p, std::uint8_t* to) const {
    const std::uint8_t* from = codes.get();
    for (std::ptrdiff_t line = p.line; line < p.line + p.lines; ++line) {
      for (std::ptrdiff_t b = p.block; b < p.block + p.blocks; ++b, from += stride_) {
        std::copy_n(from, columns_, to + (line * blocks_a_line_ + b) * columns_);
      }
    }
  }

  static constexpr auto alignment = static_cast<std::ptrdiff_t>(batch_alignment);
  std::ptrdiff_t columns_, stride_, blocks_a_line_, most_;
};

void codes_of_batch(const quantization& q, const block_batch& batch) {
  if (quantize_batch(q, batch) >= 0) return;
  for (int b = 0; b < batch.count; ++b) {
    const std::uint64_t at = static_cast<std::uint64_t>(b) * batch.stride;
    batch.scales[b] = quantize_block(q, batch.x + at, unpack(batch.tensor_scales[b]),
                                     batch.number(b), batch.codes + at)
                          .code;
  }
}

/// On targets without vectors, where some formats have no kernel.
void values_by_core(const quantization& q, const block_batch& batch) {
  for (int b = 0; b < batch.count; ++b) {
    const std::uint64_t at = static_cast<std::uint64_t>(b) * batch.stride;
    const chosen_scale scale = quantize_block(q, batch.x + at, unpack(batch.tensor_scales[b]),
                                              batch.number(b), batch.codes + at);
    for (int i = 0; i < q.format.columns; ++i) {
      const std::uint8_t code = batch.codes[at + static_cast<std::uint64_t>(i)];
      batch.values[at + static_cast<std::uint64_t>(i)] =
          scale.special ? float_of(nan_bits) : dequantize_element(q.format, code, scale.ratio);
    }
  }
}

void values_of_batch(const quantization& q, const block_batch& batch) {
  if (fake_quantize_batch(q, batch) < 0) values_by_core(q, batch);
}

std::ptrdiff_t blocks_of_line(const operand& f, int count) {
  const std::ptrdiff_t columns = f.recipe.format().columns;
  return (count + columns - 1) / columns;
}

/// Rows in pieces: several whole rows, or a part of one.
class row_pieces {
 public:
  ///   values  where the kernels may write values if they read in place, or null
  row_pieces(const operand& f, const operand_rows& m, const operand_values& values = {})
      : f_(f),
        m_(m),
        in_place_(is_in_place(f, m)),
        values_(in_place_ && values.stride == m.count ? values.values : nullptr),
        space_(f.recipe.format(), blocks_of_line(f, m.count),
               values_ != nullptr ? 4 * operand_batch_elements : operand_batch_elements),
        scales_(f.recipe.format()) {}

  [[nodiscard]] block_space& space() { return space_; }

  /// Calls work(piece, batch) with the blocks of each piece gathered.
  ///   above  receives the tensor scales of rows, or null
  template <class Work>
  void each(float* above, const Work& work) {
    const std::ptrdiff_t blocks = space_.blocks_a_line();
    const std::ptrdiff_t rows =
        std::max<std::ptrdiff_t>(1, space_.most() / std::max<std::ptrdiff_t>(1, blocks));
    for (std::ptrdiff_t row = 0; row < m_.rows; row += rows) {
      const std::ptrdiff_t lines = std::min(rows, m_.rows - row);
      for (std::ptrdiff_t b = 0; b < blocks; b += space_.most()) {
        const block_piece p{row, lines, b, std::min(blocks - b, space_.most())};
        if (b == 0) choose_scales(p, above);
        work(p, gathered(p));
      }
    }
  }

  /// Stores the values of a piece.
  void scatter(const block_piece& p, const operand_values& out) {
    if (values_ != nullptr) return;
    for_each_run(p, [&](std::ptrdiff_t row, std::ptrdiff_t first, std::ptrdiff_t length, float* x) {
      std::copy_n(x, length, out.values + row * out.stride + first);
    });
  }

 private:
  /// Whether the kernels may read the rows where they are.
  static bool is_in_place(const operand& f, const operand_rows& m) {
    const std::ptrdiff_t columns = f.recipe.format().columns;
    return m.count % columns == 0 && columns % batch_alignment == 0 && m.stride == m.count;
  }

  /// Calls work(row, first, length, x) for runs of elements that are contiguous in the space, too.
  template <class Work>
  void for_each_run(const block_piece& p, const Work& work) {
    const std::ptrdiff_t columns = space_.columns(), count = m_.count;
    const bool together = columns == space_.stride();
    const std::ptrdiff_t step = together ? p.blocks : 1;
    for (std::ptrdiff_t b = 0; b < p.count(); b += step) {
      const std::ptrdiff_t first = (p.block + b % p.blocks) * columns;
      const std::ptrdiff_t length = std::min(step * columns, count - first);
      work(p.line + b / p.blocks, first, length, space_.block(b));
    }
  }

  [[nodiscard]] block_batch gathered(const block_piece& p) {
    block_batch batch = space_.batch(static_cast<int>(p.count()));
    const std::ptrdiff_t at = p.line * m_.stride + p.block * space_.columns();
    if (in_place_) {
      batch.x = m_.x + at;
    } else {
      gather(p);
    }
    if (values_ != nullptr) batch.values = values_ + at;
    number(p, batch);
    return batch;
  }

  void gather(const block_piece& p) {
    const std::ptrdiff_t columns = space_.columns(), stride = space_.stride();
    const bool padded = m_.count % columns != 0 || columns != stride;
    if (padded) std::fill_n(space_.x.get(), p.count() * stride, 0.0F);
    for_each_run(p, [&](std::ptrdiff_t row, std::ptrdiff_t first, std::ptrdiff_t length, float* x) {
      std::copy_n(m_.x + row * m_.stride + first, length, x);
    });
  }

  void number(const block_piece& p, block_batch& batch) {
    const auto blocks = static_cast<std::uint64_t>(space_.blocks_a_line());
    const auto row = static_cast<std::uint64_t>(p.line);
    batch.first = row * blocks + static_cast<std::uint64_t>(p.block);
    if (m_.first_blocks == nullptr || f_.recipe.rules.rounding != rounding::stochastic) return;
    for (std::ptrdiff_t b = 0; b < p.count(); ++b) {
      space_.numbers[static_cast<std::size_t>(b)] =
          m_.first_blocks[p.line + b / p.blocks] +
          static_cast<std::uint64_t>(p.block + b % p.blocks);
    }
    batch.numbers = space_.numbers.get();
  }

  void choose_scales(const block_piece& p, float* above) {
    if (!f_.recipe.format().has_tensor_scale()) return;
    for (std::ptrdiff_t line = 0; line < p.lines; ++line) {
      const float* x = m_.x + (p.line + line) * m_.stride;
      const float scale = scales_.of(largest_finite(x, static_cast<std::uint64_t>(m_.count)));
      std::fill_n(space_.tensor_scales.data() + line * p.blocks, p.blocks, scale);
      if (above != nullptr) above[p.line + line] = scale;
    }
  }

  const operand& f_;
  const operand_rows& m_;
  bool in_place_;
  float* values_;
  block_space space_;
  line_scales scales_;
};

/// Columns in pieces: one block of each of several columns.
class column_pieces {
 public:
  column_pieces(const operand& f, const operand_columns& m)
      : f_(f),
        m_(m),
        space_(f.recipe.format(), blocks_of_line(f, m.count), operand_batch_elements) {}

  [[nodiscard]] block_space& space() { return space_; }

  ///   above  receives the tensor scale, or null
  template <class Work>
  void each(float* above, const Work& work) {
    choose_scale(above);
    for (std::ptrdiff_t b = 0; b < space_.blocks_a_line(); ++b) {
      for (std::ptrdiff_t column = 0; column < m_.columns; column += space_.most()) {
        const block_piece p{column, std::min<std::ptrdiff_t>(space_.most(), m_.columns - column), b,
                            1};
        work(p, gathered(p));
      }
    }
  }

  void scatter(const block_piece& p, const operand_values& out) {
    transpose(space_.x.get(), space_.stride(), p.lines, length(p),
              out.values + first(p) * out.stride + p.line, out.stride);
  }

 private:
  [[nodiscard]] std::ptrdiff_t first(const block_piece& p) const {
    return p.block * space_.columns();
  }
  [[nodiscard]] std::ptrdiff_t length(const block_piece& p) const {
    return std::min(space_.columns(), m_.count - first(p));
  }

  [[nodiscard]] block_batch gathered(const block_piece& p) {
    if (length(p) != space_.stride()) {
      std::fill_n(space_.x.get(), p.lines * space_.stride(), 0.0F);
    }
    transpose(m_.x + first(p) * m_.stride + p.line, m_.stride, length(p), p.lines, space_.x.get(),
              space_.stride());
    block_batch batch = space_.batch(static_cast<int>(p.lines));
    batch.first = m_.first_block + static_cast<std::uint64_t>(p.block * m_.columns + p.line);
    return batch;
  }

  void choose_scale(float* above) {
    if (!f_.recipe.format().has_tensor_scale()) return;
    std::uint32_t amax = 0;
    for (std::ptrdiff_t i = 0; i < m_.count; ++i) {
      const auto columns = static_cast<std::uint64_t>(m_.columns);
      amax = std::max(amax, largest_finite(m_.x + i * m_.stride, columns));
    }
    const float scale = line_scales(f_.recipe.format()).of(amax);
    std::fill(space_.tensor_scales.begin(), space_.tensor_scales.end(), scale);
    if (above != nullptr) above[0] = scale;
  }

  const operand& f_;
  const operand_columns& m_;
  block_space space_;
};

/// Whether all of some numbers are zeros, of either sign.
bool are_zeros(const float* x, std::ptrdiff_t count) {
  constexpr std::ptrdiff_t at_once = 64;
  for (; count >= at_once; x += at_once, count -= at_once) {
    std::uint32_t any = 0;
    for (std::ptrdiff_t i = 0; i < at_once; ++i) any |= bits_of(x[i]);
    if (any << 1 != 0) return false;
  }
  return std::all_of(x, x + count, [](float number) { return bits_of(number) << 1 == 0; });
}

/// Copies a matrix of zeros, which are their own values if elements have both zeros; returns false,
/// without effect, for another one. The gradients of sequences without an advantage are zeros.
bool copy_zeros(const operand& f, const operand_rows& m, const operand_values& out) {
  if (!f.recipe.format().element.has_negative_zero()) return false;
  for (std::ptrdiff_t row = 0; row < m.rows; ++row) {
    if (!are_zeros(m.x + row * m.stride, m.count)) return false;
  }
  for (std::ptrdiff_t row = 0; row < m.rows && m.x != out.values; ++row) {
    std::copy_n(m.x + row * m.stride, m.count, out.values + row * out.stride);
  }
  return true;
}

template <class Pieces, class Out>
void values_in_blocks(const operand& f, Pieces&& pieces, const Out& out) {
  pieces.each(nullptr, [&](const block_piece& p, const block_batch& batch) {
    values_of_batch(f.recipe.rules, batch);
    pieces.scatter(p, out);
  });
}

template <class Pieces>
void codes_in_blocks(const operand& f, Pieces&& pieces, const operand_codes& out) {
  pieces.each(out.tensor_scales, [&](const block_piece& p, block_batch batch) {
    batch.values = nullptr;
    batch.codes = pieces.space().codes_of(p, out);
    codes_of_batch(f.recipe.rules, batch);
    pieces.space().scatter(p, out);
  });
}

}  // namespace

void fake_quantize_blocks(const operand& f, const operand_rows& m, const operand_values& out) {
  if (!copy_zeros(f, m, out)) values_in_blocks(f, row_pieces(f, m, out), out);
}
void fake_quantize_blocks(const operand& f, const operand_columns& m, const operand_values& out) {
  const operand_rows as_rows{m.count, m.columns, m.x, m.stride};
  if (!copy_zeros(f, as_rows, out)) values_in_blocks(f, column_pieces(f, m), out);
}
void quantize_blocks(const operand& f, const operand_rows& m, const operand_codes& out) {
  codes_in_blocks(f, row_pieces(f, m), out);
}
void quantize_blocks(const operand& f, const operand_columns& m, const operand_codes& out) {
  codes_in_blocks(f, column_pieces(f, m), out);
}

}  // namespace mx
