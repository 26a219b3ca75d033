// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_blocks.cpp: lines of plain recipes through the block quantizer, a
// batch of blocks at a time. Equals mx::clear_line, checked by tests/unit/tensor/operand_test.cpp
// and tests/unit/tensor/operand_whole_test.cpp.
#include <algorithm>
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
    x.resize(blocks * static_cast<std::size_t>(stride_));
    codes.resize(x.size());
    scales.resize(blocks);
    numbers.resize(blocks);
    tensor_scales.assign(blocks, 1.0F);
  }

  [[nodiscard]] std::ptrdiff_t columns() const { return columns_; }
  [[nodiscard]] std::ptrdiff_t stride() const { return stride_; }
  [[nodiscard]] std::ptrdiff_t blocks_a_line() const { return blocks_a_line_; }
  [[nodiscard]] std::ptrdiff_t most() const { return most_; }
  [[nodiscard]] float* block(std::ptrdiff_t b) { return x.data() + b * stride_; }

  [[nodiscard]] block_batch batch(int count) {
    return {x.data(),
            static_cast<std::uint64_t>(stride_),
            0,
            count,
            tensor_scales.data(),
            codes.data(),
            scales.data(),
            storing::cached,
            x.data()};
  }
  /// Stores the codes and scales of a piece line after line.
  void scatter(const block_piece& p, const operand_codes& out) const {
    const std::uint8_t* from = codes.data();
    const std::uint32_t* scale = scales.data();
    for (std::ptrdiff_t line = p.line; line < p.line + p.lines; ++line) {
      const std::ptrdiff_t first = line * blocks_a_line_ + p.block;
      std::uint8_t* to = out.codes + first * columns_;
      const bool together = columns_ == stride_;
      const std::ptrdiff_t length = together ? p.blocks * columns_ : columns_;
      for (std::ptrdiff_t b = 0; b < p.blocks; b += together ? p.blocks : 1) {
        std::copy_n(from, length, to);
        from += together ? length : stride_;
        to += length;
      }
      for (std::ptrdiff_t b = 0; b < p.blocks; ++b) {
        out.scales[first + b] = static_cast<std::uint8_t>(*scale++);
      }
    }
  }

  std::vector<float> x, tensor_scales;
  std::vector<std::uint8_t> codes;
  std::vector<std::uint32_t> scales;
  std::vector<std::uint64_t> numbers;

 private:
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
  ///   in_place  where values may be written by a kernel, or null
  row_pieces(const operand& f, const operand_rows& m, float* in_place = nullptr)
      : f_(f),
        m_(m),
        in_place_(in_place),
        space_(f.recipe.format(), blocks_of_line(f, m.count),
               in_place != nullptr ? 4 * operand_batch_elements : operand_batch_elements),
        scales_(f.recipe.format()) {}

  [[nodiscard]] const block_space& space() const { return space_; }

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
    if (in_place_ != nullptr) return;
    for_each_run(p, [&](std::ptrdiff_t row, std::ptrdiff_t first, std::ptrdiff_t length, float* x) {
      std::copy_n(x, length, out.values + row * out.stride + first);
    });
  }

 private:
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
    if (in_place_ == nullptr) {
      gather(p);
    } else {
      const std::ptrdiff_t at = p.line * m_.stride + p.block * space_.columns();
      batch.x = m_.x + at;
      batch.values = in_place_ + at;
    }
    number(p, batch);
    return batch;
  }

  void gather(const block_piece& p) {
    const std::ptrdiff_t columns = space_.columns(), stride = space_.stride();
    const bool padded = m_.count % columns != 0 || columns != stride;
    if (padded) std::fill_n(space_.x.data(), p.count() * stride, 0.0F);
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
    batch.numbers = space_.numbers.data();
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
  float* in_place_;
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

  [[nodiscard]] const block_space& space() const { return space_; }

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
    transpose(space_.x.data(), space_.stride(), p.lines, length(p),
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
    if (length(p) != space_.stride()) std::fill(space_.x.begin(), space_.x.end(), 0.0F);
    transpose(m_.x + first(p) * m_.stride + p.line, m_.stride, length(p), p.lines, space_.x.data(),
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

template <class Pieces, class Out>
void values_in_blocks(const operand& f, Pieces pieces, const Out& out) {
  pieces.each(nullptr, [&](const block_piece& p, const block_batch& batch) {
    values_of_batch(f.recipe.rules, batch);
    pieces.scatter(p, out);
  });
}

template <class Pieces>
void codes_in_blocks(const operand& f, Pieces pieces, const operand_codes& out) {
  pieces.each(out.tensor_scales, [&](const block_piece& p, block_batch batch) {
    batch.values = nullptr;
    codes_of_batch(f.recipe.rules, batch);
    pieces.space().scatter(p, out);
  });
}

}  // namespace

void fake_quantize_blocks(const operand& f, const operand_rows& m, const operand_values& out) {
  const std::ptrdiff_t columns = f.recipe.format().columns;
  const bool whole = m.count % columns == 0 && columns % batch_alignment == 0;
  const bool dense = m.stride == m.count && out.stride == m.count;
  values_in_blocks(f, row_pieces(f, m, whole && dense ? out.values : nullptr), out);
}
void fake_quantize_blocks(const operand& f, const operand_columns& m, const operand_values& out) {
  values_in_blocks(f, column_pieces(f, m), out);
}
void quantize_blocks(const operand& f, const operand_rows& m, const operand_codes& out) {
  codes_in_blocks(f, row_pieces(f, m), out);
}
void quantize_blocks(const operand& f, const operand_columns& m, const operand_codes& out) {
  codes_in_blocks(f, column_pieces(f, m), out);
}

}  // namespace mx
