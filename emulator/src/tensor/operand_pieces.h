// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_pieces.h: the lines of an operand in pieces of a batch: gathered,
// numbered, under their tensor scales, and scattered.
#pragma once
#include "tensor/operand_space.h"

namespace mx {

/// Elements of a batch: with their values they fit the first-level cache.
inline constexpr std::ptrdiff_t operand_batch_elements = 4096;

/// The tensor scale of an amax, by a division of the processor, which rounds as tensor_scale_of.
class line_scales {
 public:
  explicit line_scales(const block_format& f) : format_(f) {
    const unpacked bound =
        f.bound == tensor_bound::largest ? largest_of(f.scale) : unpacked::positive(256, 0);
    const unpacked divisor = multiplied(largest_of(f.element), bound);
    divisor_ = to_binary32(divisor);
    exact_ = is_finite(divisor_) && compare_magnitudes(unpack(divisor_), divisor) == 0;
  }
  [[nodiscard]] float of(std::uint32_t amax) const {
    if (!exact_) return tensor_scale_of(format_, unpack(float_of(amax)));
    return finite_tensor_scale(float_of(amax) / divisor_);
  }

 private:
  block_format format_;
  float divisor_ = 1;
  bool exact_ = false;
};

/// Rows in pieces: several whole rows, or a part of one.
class row_pieces {
 public:
  ///   values  where the kernels may write values if they read in place, or null
  row_pieces(const operand& f, const operand_rows& m, const operand_values& values = {})
      : f_(f),
        m_(m),
        in_place_(are_whole(f, m) && m.stride == m.count),
        values_(are_whole(f, m) && values.stride == m.count ? values.values : nullptr),
        space_(f, m.rows, m.count, values_ != nullptr ? longest_batch(f) : operand_batch_elements) {
  }

  [[nodiscard]] operand_space& space() { return space_; }

  /// Calls work(piece, batch) with the spans of each piece gathered.
  ///   above  receives the tensor scales of rows, or null
  template <class Work>
  void each(float* above, const Work& work) {
    const std::ptrdiff_t spans = space_.spans_a_line();
    const std::ptrdiff_t rows =
        std::max<std::ptrdiff_t>(1, space_.most() / std::max<std::ptrdiff_t>(1, spans));
    for (std::ptrdiff_t row = 0; row < m_.rows; row += rows) {
      const std::ptrdiff_t lines = std::min(rows, m_.rows - row);
      for (std::ptrdiff_t b = 0; b < spans; b += space_.most()) {
        const operand_piece p{row, lines, b, std::min(spans - b, space_.most())};
        if (b == 0) choose_scales(p, above);
        work(p, gathered(p));
      }
    }
  }

  /// Stores the values of a piece.
  void scatter(const operand_piece& p, const operand_values& out) {
    if (values_ != nullptr) return;
    for_each_run(p, space_.x(),
                 [&](std::ptrdiff_t row, std::ptrdiff_t first, std::ptrdiff_t length, float* x) {
                   std::copy_n(x, length, out.values + row * out.stride + first);
                 });
  }

 private:
  /// Whether dense rows have their spans where a batch has them.
  static bool are_whole(const operand& f, const operand_rows& m) {
    const auto size = static_cast<std::uint64_t>(span_of(f, m.count));
    return static_cast<std::uint64_t>(m.count) % size == 0 && size % batch_alignment == 0;
  }
  /// Without copies.
  static std::ptrdiff_t longest_batch(const operand& f) {
    return has_value_kernel(f) ? 4 * operand_batch_elements : operand_batch_elements;
  }

  /// Calls work(row, first, length, x) for runs of elements that are contiguous in gathered spans
  /// at x, too.
  template <class Work>
  void for_each_run(const operand_piece& p, float* x, const Work& work) {
    const std::ptrdiff_t step = space_.size() == space_.stride() ? p.spans : 1;
    for (std::ptrdiff_t b = 0; b < p.count(); b += step) {
      const std::ptrdiff_t first = (p.span + b % p.spans) * space_.size();
      const std::ptrdiff_t length = std::min(step * space_.size(), m_.count - first);
      work(p.line + b / p.spans, first, length, x + b * space_.stride());
    }
  }

  [[nodiscard]] block_batch gathered(const operand_piece& p) {
    const std::ptrdiff_t at = p.line * m_.count + p.span * space_.size();
    float* values = values_ != nullptr ? values_ + at : space_.x();
    if (!in_place_) gather(p, values);
    block_batch batch = space_.batch(p.count(), in_place_ ? m_.x + at : values, values);
    number(p, batch);
    return batch;
  }

  void gather(const operand_piece& p, float* to) {
    const bool padded = m_.count % space_.size() != 0 || space_.size() != space_.stride();
    if (padded) std::fill_n(to, p.count() * space_.stride(), 0.0F);
    for_each_run(p, to,
                 [&](std::ptrdiff_t row, std::ptrdiff_t first, std::ptrdiff_t length, float* x) {
                   std::copy_n(m_.x + row * m_.stride + first, length, x);
                 });
  }

  void number(const operand_piece& p, block_batch& batch) {
    const auto spans = static_cast<std::uint64_t>(space_.spans_a_line());
    const auto row = static_cast<std::uint64_t>(p.line);
    batch.first = row * spans + static_cast<std::uint64_t>(p.span);
    if (m_.first_blocks == nullptr || f_.recipe.rules.rounding != rounding::stochastic) return;
    numbers_.resize(static_cast<std::size_t>(p.count()));
    for (std::ptrdiff_t b = 0; b < p.count(); ++b) {
      numbers_[static_cast<std::size_t>(b)] =
          m_.first_blocks[p.line + b / p.spans] + static_cast<std::uint64_t>(p.span + b % p.spans);
    }
    batch.numbers = numbers_.data();
  }

  void choose_scales(const operand_piece& p, float* above) {
    if (!f_.recipe.format().has_tensor_scale()) return;
    const line_scales scales(f_.recipe.format());
    for (std::ptrdiff_t line = 0; line < p.lines; ++line) {
      const float* x = m_.x + (p.line + line) * m_.stride;
      const float scale = scales.of(largest_finite(x, static_cast<std::uint64_t>(m_.count)));
      std::fill_n(space_.tensor_scales().data() + line * p.spans, p.spans, scale);
      if (above != nullptr) above[p.line + line] = scale;
    }
  }

  const operand& f_;
  const operand_rows& m_;
  bool in_place_;
  float* values_;
  operand_space space_;
  std::vector<std::uint64_t> numbers_;
};

/// Columns in pieces: one span each of several columns.
class column_pieces {
 public:
  column_pieces(const operand& f, const operand_columns& m)
      : f_(f), m_(m), space_(f, m.columns, m.count, operand_batch_elements) {}

  [[nodiscard]] operand_space& space() { return space_; }

  ///   above  receives the tensor scale, or null
  template <class Work>
  void each(float* above, const Work& work) {
    choose_scale(above);
    for (std::ptrdiff_t b = 0; b < space_.spans_a_line(); ++b) {
      for (std::ptrdiff_t column = 0; column < m_.columns; column += space_.most()) {
        const std::ptrdiff_t lines = std::min<std::ptrdiff_t>(space_.most(), m_.columns - column);
        const operand_piece p{column, lines, b, 1};
        work(p, gathered(p));
      }
    }
  }

  void scatter(const operand_piece& p, const operand_values& out) {
    transpose(space_.x(), space_.stride(), p.lines, length(p),
              out.values + first(p) * out.stride + p.line, out.stride);
  }

 private:
  [[nodiscard]] std::ptrdiff_t first(const operand_piece& p) const {
    return p.span * space_.size();
  }
  [[nodiscard]] std::ptrdiff_t length(const operand_piece& p) const {
    return std::min(space_.size(), m_.count - first(p));
  }

  [[nodiscard]] block_batch gathered(const operand_piece& p) {
    if (length(p) != space_.stride()) std::fill_n(space_.x(), p.lines * space_.stride(), 0.0F);
    transpose(m_.x + first(p) * m_.stride + p.line, m_.stride, length(p), p.lines, space_.x(),
              space_.stride());
    block_batch batch = space_.batch(p.lines, space_.x(), space_.x());
    batch.first = m_.first_block + static_cast<std::uint64_t>(p.span * m_.columns + p.line);
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
    std::fill(space_.tensor_scales().begin(), space_.tensor_scales().end(), scale);
    if (above != nullptr) above[0] = scale;
  }

  const operand& f_;
  const operand_columns& m_;
  operand_space space_;
};

}  // namespace mx
