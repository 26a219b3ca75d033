// SPDX-License-Identifier: Apache-2.0
// tests/kernels/golden/matrix_cases.cpp: cases of matrices, block by block in exact numbers.
#include "matrix_cases.h"

#include <algorithm>
#include <span>

#include "golden/reference/energy.h"
#include "golden/reference/rotation.h"
#include "mx/tensor/layout.h"
#include "numbers.h"
#include "rectangles.h"

namespace kernels_test {
namespace {

using namespace mx::kernels;
using mx::block_format;

/// A line of numbers as blocks, the last padded with zeros.
///   first  number of its first block
std::vector<golden::quantized_block> blocks_of(const kernel_case& one, const case_input& input,
                                               std::vector<float> line, std::uint64_t first) {
  const auto size = static_cast<std::size_t>(one.how.format.size());
  const golden::quantization how = quantization_of(one.how);
  const golden::rational tensor = tensor_scale_of(one.how.format, input);
  line.resize((line.size() + size - 1) / size * size, 0.0F);
  std::vector<golden::quantized_block> blocks;
  for (auto at = line.begin(); at != line.end(); at += static_cast<std::ptrdiff_t>(size)) {
    blocks.push_back(golden::quantize_block({at, at + static_cast<std::ptrdiff_t>(size)}, how,
                                            tensor, (first + blocks.size()) * size));
  }
  return blocks;
}

std::vector<float> line_of(const kernel_case& one, const case_input& input, std::size_t first,
                           std::size_t stride, std::size_t length) {
  std::vector<float> line;
  for (std::size_t i = 0; i < length; ++i) {
    line.push_back(
        value_of_code(one.type, code_at(input.x, first + i * stride, mx::bytes_of(one.type))));
  }
  return line;
}

/// Codes and scales of a matrix in memory.
struct coded_matrix {
  std::uint64_t lines;
  coded_size size;
  bytes &codes, &scales;

  void store(const kernel_case& one, std::uint64_t line,
             const std::vector<golden::quantized_block>& blocks) const {
    const bool halved = one.how.format.element.width() == 4;
    const auto wide = static_cast<std::size_t>(size.scale_bytes) /
                      static_cast<std::size_t>(mx::size(one.layout, lines, blocks.size()));
    std::size_t at = line * static_cast<std::size_t>(size.line_bytes) * (halved ? 2 : 1);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      store_code(scales, mx::offset(one.layout, lines, blocks.size(), line, b),
                 blocks[b].scale.code, wide);
      for (const std::uint32_t code : blocks[b].codes) {
        std::uint8_t& byte = codes[halved ? at / 2 : at];
        byte = static_cast<std::uint8_t>(halved && at % 2 == 1 ? (byte & 15U) | code << 4 : code);
        ++at;
      }
    }
  }
};

std::vector<float> rotated_line(const kernel_case& one, std::vector<float> line) {
  if (one.what != operation::rotate_quantize || one.by.size == 0) return line;
  const auto signs = static_cast<golden::rotation_signs>(one.by.signs);
  return golden::rotated(line, {static_cast<std::size_t>(one.by.size), signs, one.by.seed});
}

void quantize_all(const kernel_case& one, const case_input& input,
                  std::vector<named_bytes>& results) {
  const auto rows = static_cast<std::size_t>(one.shape.rows);
  const auto columns = static_cast<std::size_t>(one.shape.columns);
  std::size_t next = 0;
  const auto add = [&](std::size_t lines, std::size_t length, std::size_t between,
                       std::size_t stride) {
    const coded_size size = size_of(one.how.format, one.layout, static_cast<std::int64_t>(lines),
                                    static_cast<std::int64_t>(length));
    const coded_matrix to{lines, size, results[next].bytes, results[next + 1].bytes};
    for (std::size_t line = 0; line < lines; ++line) {
      const std::vector<float> x =
          rotated_line(one, line_of(one, input, line * between, stride, length));
      to.store(one, line,
               blocks_of(one, input, x, line * static_cast<std::uint64_t>(size.blocks_a_line)));
    }
    next += 2;
  };
  if (one.results != wanted::columns) add(rows, columns, columns, 1);
  if (one.results != wanted::rows) add(columns, rows, 1, columns);
}

void fake_quantize_all(const kernel_case& one, const case_input& input, bytes& out) {
  const auto columns = static_cast<std::size_t>(one.shape.columns);
  const golden::rational tensor = tensor_scale_of(one.how.format, input);
  const golden::number_format& element = *twin_of(cross::element_formats(), one.how.format.element);
  const auto size = static_cast<std::size_t>(one.how.format.size());
  for (std::size_t row = 0; row < static_cast<std::size_t>(one.shape.rows); ++row) {
    const auto blocks = blocks_of(one, input, line_of(one, input, row * columns, 1, columns),
                                  row * ((columns + size - 1) / size));
    for (std::size_t i = 0; i < columns; ++i) {
      const float value = golden::dequantized(element.decode(blocks[i / size].codes[i % size]),
                                              blocks[i / size].scale.value, tensor);
      store_code(out, row * columns + i, code_of_value(one.type, value), mx::bytes_of(one.type));
    }
  }
}

void dequantize_all(const kernel_case& one, const case_input& input, bytes& out) {
  const block_format& f = one.how.format;
  const auto rows = static_cast<std::uint64_t>(one.shape.rows);
  const auto columns = static_cast<std::size_t>(one.shape.columns),
             size = static_cast<std::size_t>(f.size());
  const coded_size coded = size_of(f, one.layout, one.shape.rows, one.shape.columns);
  const auto blocks = static_cast<std::uint64_t>(coded.blocks_a_line);
  const auto wide =
      static_cast<std::size_t>(coded.scale_bytes) / mx::size(one.layout, rows, blocks);
  const golden::number_format& element = *twin_of(cross::element_formats(), f.element);
  const golden::number_format& scale = *twin_of(cross::scale_formats(), f.scale);
  const golden::rational tensor = tensor_scale_of(f, input);
  for (std::size_t place = 0; place < out.size() / mx::bytes_of(one.type); ++place) {
    const std::size_t row = place / columns, i = place % columns;
    const std::size_t line = row * static_cast<std::size_t>(coded.line_bytes);
    const bool halved = f.element.width() == 4;
    const std::uint32_t code =
        halved ? input.codes[line + i / 2] >> (i % 2 * 4) & 15U : input.codes[line + i];
    const std::uint32_t scale_code =
        code_at(input.scales, mx::offset(one.layout, rows, blocks, row, i / size), wide);
    const std::uint32_t width = static_cast<std::uint32_t>((1ULL << f.element.width()) - 1);
    const float value = golden::dequantized(element.decode(code & width),
                                            golden::scale_of_code(scale, scale_code).value, tensor);
    store_code(out, place, code_of_value(one.type, value), mx::bytes_of(one.type));
  }
}

mx::error_energy energy_of(const golden::error_energies& e) {
  using enum golden::energy_term;
  mx::error_energy made;
  mx::energy_sums& s = made.sums;
  s.total = e.of(total), s.scale = e.of(scale), s.clip = e.of(clip);
  s.deadzone = e.of(deadzone), s.grid = e.of(grid), s.scale_dead = e.of(scale_dead);
  s.scale_deadzone = e.of(scale_deadzone), s.scale_grid = e.of(scale_grid);
  s.deadzone_clip = e.of(deadzone_clip), s.grid_clip = e.of(grid_clip);
  s.x_squared = e.of(x_squared), s.x_quantized = e.of(x_quantized);
  made.elements = e.elements, made.dead = e.dead, made.dead_actual = e.dead_actual;
  made.blocks = e.blocks, made.special_blocks = e.special;
  return made;
}

/// The numbers of each block, with zeros behind the matrix.
std::vector<std::vector<float>> blocks_of_numbers(const kernel_case& one, const case_input& input) {
  const auto columns = static_cast<std::size_t>(one.shape.columns);
  const auto size = static_cast<std::size_t>(one.how.format.size());
  std::vector<std::vector<float>> blocks;
  for (std::size_t row = 0; row < static_cast<std::size_t>(one.shape.rows); ++row) {
    const std::vector<float> line = line_of(one, input, row * columns, 1, columns);
    for (std::size_t first = 0; first < columns; first += size) {
      const std::size_t end = std::min(columns, first + size);
      blocks.emplace_back(line.begin() + static_cast<std::ptrdiff_t>(first),
                          line.begin() + static_cast<std::ptrdiff_t>(end));
      blocks.back().resize(size, 0.0F);
    }
  }
  return blocks;
}

std::vector<golden::error_energies> shares_of_golden(const kernel_case& one,
                                                     const case_input& input,
                                                     const std::vector<std::int64_t>& elements) {
  const std::vector<std::vector<float>> blocks = blocks_of_numbers(one, input);
  const std::size_t size = static_cast<std::size_t>(one.how.format.size());
  const std::size_t whole = golden::blocks_of_share(size);
  const golden::rational tensor = tensor_scale_of(one.how.format, input);
  std::vector<golden::error_energies> shares;
  for (std::size_t first = 0; first < blocks.size(); first += whole) {
    golden::energy_share share(quantization_of(one.how));
    for (std::size_t b = first; b < std::min(blocks.size(), first + whole); ++b) {
      share.add(blocks[b], elements[b], tensor, b * size);
    }
    shares.push_back(share.finished());
  }
  return shares;
}

void append(bytes& to, const golden::error_energies& e) {
  const mx::error_energy energy = energy_of(e);
  const auto* first = reinterpret_cast<const std::uint8_t*>(&energy);
  to.insert(to.end(), first, first + sizeof energy);
}

std::vector<std::int64_t> elements_of_blocks(const kernel_case& one) {
  const std::int64_t size = one.how.format.size();
  std::vector<std::int64_t> elements;
  for (std::int64_t row = 0; row < one.shape.rows; ++row) {
    for (std::int64_t first = 0; first < one.shape.columns; first += size) {
      elements.push_back(std::min(size, one.shape.columns - first));
    }
  }
  return elements;
}

}  // namespace

std::vector<bytes> decomposition_of_golden(const kernel_case& one, const case_input& input,
                                           const std::vector<std::int64_t>& elements) {
  constexpr std::size_t together = 128;
  bytes entries, sum;
  std::vector<golden::error_energies> level = shares_of_golden(one, input, elements);
  append(sum, golden::sum_of_shares(level));
  for (;;) {
    for (const golden::error_energies& entry : level) append(entries, entry);
    if (level.size() <= together) return {entries, sum};
    std::vector<golden::error_energies> next;
    for (std::size_t first = 0; first < level.size(); first += together) {
      next.push_back(golden::sum_of_shares(
          std::span(level).subspan(first, std::min(together, level.size() - first))));
    }
    level = next;
  }
}

std::optional<std::vector<named_bytes>> matrices_of_golden(const kernel_case& one,
                                                           const case_input& input) {
  if (one.how.format.rows > 1) return rectangles_of_golden(one, input);
  std::vector<named_bytes> results = empty_results(one);
  switch (one.what) {
    case operation::quantize:
    case operation::rotate_quantize:
      quantize_all(one, input, results);
      return results;
    case operation::fake_quantize:
      fake_quantize_all(one, input, results[0].bytes);
      return results;
    case operation::dequantize:
      dequantize_all(one, input, results[0].bytes);
      return results;
    case operation::decompose:
      for (std::size_t i = 0;
           const bytes& made : decomposition_of_golden(one, input, elements_of_blocks(one))) {
        results[i++].bytes = made;
      }
      return results;
  }
  return {};
}

}  // namespace kernels_test
