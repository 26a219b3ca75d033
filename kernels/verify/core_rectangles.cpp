// SPDX-License-Identifier: Apache-2.0
// kernels/verify/core_rectangles.cpp: cases of blocks of several rows computed by the core, block
// by block; of the kernels it uses only the sizes.
#include <cstring>

#include "core_values.h"
#include "mx/block/energy.h"

namespace mx::kernels {
namespace {

/// A matrix as lines, in blocks of several lines.
///   line_stride, stride  elements between lines, and between neighbours of a line
class blocked_matrix {
 public:
  blocked_matrix(const kernel_case& one, const case_input& input, const matrix_shape& lines,
                 std::size_t line_stride, std::size_t stride)
      : one_(one),
        input_(input),
        lines_(static_cast<std::size_t>(lines.rows)),
        length_(static_cast<std::size_t>(lines.columns)),
        line_stride_(line_stride),
        stride_(stride),
        size_(size_of(one.how.format, one.layout, lines.rows, lines.columns)) {}

  [[nodiscard]] const coded_size& size() const { return size_; }
  [[nodiscard]] std::size_t blocks() const {
    return static_cast<std::size_t>(size_.lines_of_blocks * size_.blocks_a_line);
  }
  /// For element i of block b: its line, its place in the line.
  [[nodiscard]] std::size_t line_of(std::size_t b, std::size_t i) const {
    return b / along() * rows() + i / columns();
  }
  [[nodiscard]] std::size_t place_of(std::size_t b, std::size_t i) const {
    return b % along() * columns() + i % columns();
  }
  [[nodiscard]] bool is_inside(std::size_t b, std::size_t i) const {
    return line_of(b, i) < lines_ && place_of(b, i) < length_;
  }
  [[nodiscard]] std::size_t lines() const { return lines_; }
  [[nodiscard]] std::size_t index_of(std::size_t b, std::size_t i) const {
    return line_of(b, i) * line_stride_ + place_of(b, i) * stride_;
  }
  /// The values of a block, zeros beyond the end of the matrix.
  [[nodiscard]] std::vector<float> values_of(std::size_t b) const {
    std::vector<float> x(static_cast<std::size_t>(one_.how.format.size()), 0.0F);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (is_inside(b, i)) x[i] = value_at(input_.x, one_.type, index_of(b, i));
    }
    return x;
  }
  [[nodiscard]] std::size_t scale_at(std::size_t b) const {
    const auto lines = static_cast<std::uint64_t>(size_.lines_of_blocks);
    return offset(one_.layout, lines, along(), b / along(), b % along());
  }

 private:
  [[nodiscard]] std::size_t along() const { return static_cast<std::size_t>(size_.blocks_a_line); }
  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(one_.how.format.rows); }
  [[nodiscard]] std::size_t columns() const {
    return static_cast<std::size_t>(one_.how.format.columns);
  }

  const kernel_case& one_;
  const case_input& input_;
  std::size_t lines_, length_, line_stride_, stride_;
  coded_size size_;
};

void quantize_lines(const kernel_case& one, const case_input& input, const blocked_matrix& matrix,
                    std::vector<std::uint8_t>& codes, std::vector<std::uint8_t>& scales) {
  const block_format& f = one.how.format;
  const bool halved = f.element.width() == 4;
  std::vector<std::uint8_t> own(static_cast<std::size_t>(f.size()));
  for (std::size_t b = 0; b < matrix.blocks(); ++b) {
    const std::vector<float> x = matrix.values_of(b);
    const chosen_scale scale =
        quantize_block(one.how, x.data(), tensor_scale_of(f, input), b, own.data());
    store_number(scales, matrix.scale_at(b), scale.code, bytes_a_scale(f));
    for (std::size_t i = 0; i < own.size() && matrix.line_of(b, i) < matrix.lines(); ++i) {
      const std::size_t place = matrix.place_of(b, i);
      const auto line = matrix.line_of(b, i) * static_cast<std::size_t>(matrix.size().line_bytes);
      std::uint8_t& byte = codes[line + (halved ? place / 2 : place)];
      byte = halved && place % 2 == 1 ? static_cast<std::uint8_t>(byte | own[i] << 4) : own[i];
    }
  }
}

void fake_quantize_all(const kernel_case& one, const case_input& input,
                       const blocked_matrix& matrix, std::vector<std::uint8_t>& out) {
  const block_format& f = one.how.format;
  const unpacked tensor = tensor_scale_of(f, input);
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(f.size()));
  for (std::size_t b = 0; b < matrix.blocks(); ++b) {
    const std::vector<float> x = matrix.values_of(b);
    const auto scale = quantize_block(one.how, x.data(), tensor, b, codes.data()).code;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (!matrix.is_inside(b, i)) continue;
      store_value(out, matrix.index_of(b, i), dequantize_element(f, codes[i], scale, tensor),
                  one.type);
    }
  }
}

void dequantize_all(const kernel_case& one, const case_input& input, const blocked_matrix& matrix,
                    std::vector<std::uint8_t>& out) {
  const block_format& f = one.how.format;
  const bool halved = f.element.width() == 4;
  const std::size_t bytes = bytes_a_scale(f);
  for (std::size_t b = 0; b < matrix.blocks(); ++b) {
    std::uint32_t scale = 0;
    for (std::size_t k = 0; k < bytes; ++k) {
      scale |= std::uint32_t{input.scales[matrix.scale_at(b) * bytes + k]} << (8 * k);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(f.size()); ++i) {
      if (!matrix.is_inside(b, i)) continue;
      const std::size_t place = matrix.place_of(b, i);
      const auto line = matrix.line_of(b, i) * static_cast<std::size_t>(matrix.size().line_bytes);
      const std::uint8_t byte = input.codes[line + (halved ? place / 2 : place)];
      const std::uint32_t code = halved ? byte >> (place % 2 * 4) & 15U : byte;
      store_value(out, matrix.index_of(b, i),
                  dequantize_element(f, code, scale, tensor_scale_of(f, input)), one.type);
    }
  }
}

void decompose_all(const kernel_case& one, const case_input& input, const blocked_matrix& matrix,
                   std::vector<std::uint8_t>& out) {
  const block_format& f = one.how.format;
  const auto together = static_cast<std::size_t>(blocks_a_share(f.size()));
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(f.size()));
  for (std::size_t first = 0; first < matrix.blocks(); first += together) {
    energy_share share(f.element);
    for (std::size_t b = first; b < matrix.blocks() && b < first + together; ++b) {
      std::int64_t inside = 0;
      for (std::size_t i = 0; i < codes.size(); ++i) inside += matrix.is_inside(b, i) ? 1 : 0;
      const std::vector<float> x = matrix.values_of(b);
      share.add(one.how, x.data(), inside, tensor_scale_of(f, input), b, codes.data());
    }
    const error_energy energy = share.finished();
    std::memcpy(out.data() + first / together * sizeof(energy), &energy, sizeof(energy));
  }
}

}  // namespace

std::vector<named_bytes> rectangles_of_core(const kernel_case& one, const case_input& input) {
  std::vector<named_bytes> results = empty_results(one);
  const auto columns = static_cast<std::size_t>(one.shape.columns);
  const blocked_matrix rows(one, input, one.shape, columns, 1);
  if (one.what == operation::dequantize) dequantize_all(one, input, rows, results[0].bytes);
  if (one.what == operation::fake_quantize) fake_quantize_all(one, input, rows, results[0].bytes);
  if (one.what == operation::decompose) {
    decompose_all(one, input, rows, results[0].bytes);
    store_sum(results);
  }
  if (one.what != operation::quantize) return results;
  std::size_t next = 0;
  if (one.results != wanted::columns) {
    quantize_lines(one, input, rows, results[0].bytes, results[1].bytes);
    next = 2;
  }
  if (one.results != wanted::rows) {
    const blocked_matrix lines(one, input, {one.shape.columns, one.shape.rows}, 1, columns);
    quantize_lines(one, input, lines, results[next].bytes, results[next + 1].bytes);
  }
  return results;
}

}  // namespace mx::kernels
