// SPDX-License-Identifier: Apache-2.0
// kernels/verify/core_backend.cpp: cases computed by the core, block by block; of the kernels it
// uses only the sizes.
#include <cstring>

#include "case_table.h"
#include "core_values.h"
#include "mx/block/energy.h"
#include "parallel_lines.h"

namespace mx::kernels {
namespace {

/// A line of a matrix: element i lies at first + i * stride.
struct line_place {
  std::size_t first, stride, length;
};

std::vector<float> block_of(const kernel_case& one, const case_input& input, const line_place& line,
                            std::size_t from) {
  std::vector<float> x(static_cast<std::size_t>(one.how.format.size()), 0.0F);
  for (std::size_t i = 0; i < x.size() && from + i < line.length; ++i) {
    x[i] = value_at(input.x, one.type, line.first + (from + i) * line.stride);
  }
  return x;
}

/// Destination of one line's blocks.
struct coded_place {
  std::uint64_t lines, line;
  coded_size size;
  std::vector<std::uint8_t>&codes, &scales;
};

void quantize_line(const kernel_case& one, const case_input& input, const line_place& line,
                   const coded_place& to) {
  const block_format& f = one.how.format;
  const auto blocks = static_cast<std::uint64_t>(to.size.blocks_a_line);
  const auto size = static_cast<std::size_t>(f.size());
  std::vector<std::uint8_t> codes(size);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const std::vector<float> x = block_of(one, input, line, block * size);
    const chosen_scale scale = quantize_block(one.how, x.data(), tensor_scale_of(f, input),
                                              to.line * blocks + block, codes.data());
    const std::size_t bytes = bytes_a_scale(f);
    store_number(to.scales, offset(one.layout, to.lines, blocks, to.line, block), scale.code,
                 bytes);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t place = block * size + i;
      const auto begin = to.line * static_cast<std::uint64_t>(to.size.line_bytes);
      std::uint8_t& byte = to.codes[begin + (f.element.width() == 4 ? place / 2 : place)];
      byte = f.element.width() == 4 && i % 2 == 1 ? static_cast<std::uint8_t>(byte | codes[i] << 4)
                                                  : codes[i];
    }
  }
}

void quantize_all(const kernel_case& one, const case_input& input,
                  std::vector<named_bytes>& results) {
  const auto rows = static_cast<std::size_t>(one.shape.rows);
  const auto columns = static_cast<std::size_t>(one.shape.columns);
  std::size_t next = 0;
  if (one.results != wanted::columns) {
    const coded_size size = size_of(one.how.format, one.layout, one.shape.rows, one.shape.columns);
    for_each_line(rows, [&](std::size_t r) {
      quantize_line(one, input, {r * columns, 1, columns},
                    {rows, r, size, results[0].bytes, results[1].bytes});
    });
    next = 2;
  }
  if (one.results == wanted::rows) return;
  const coded_size size = size_of(one.how.format, one.layout, one.shape.columns, one.shape.rows);
  for_each_line(columns, [&](std::size_t c) {
    quantize_line(one, input, {c, columns, rows},
                  {columns, c, size, results[next].bytes, results[next + 1].bytes});
  });
}

void fake_quantize_all(const kernel_case& one, const case_input& input,
                       std::vector<std::uint8_t>& out) {
  const block_format& f = one.how.format;
  const auto columns = static_cast<std::size_t>(one.shape.columns);
  const auto size = static_cast<std::size_t>(f.size());
  const std::size_t blocks = (columns + size - 1) / size;
  const unpacked tensor = tensor_scale_of(f, input);
  for_each_line(static_cast<std::size_t>(one.shape.rows), [&](std::size_t row) {
    std::vector<std::uint8_t> codes(size);
    for (std::size_t from = 0; from < columns; from += size) {
      const std::vector<float> x = block_of(one, input, {row * columns, 1, columns}, from);
      const std::uint64_t number = row * blocks + from / size;
      const std::uint32_t scale =
          quantize_block(one.how, x.data(), tensor, number, codes.data()).code;
      for (std::size_t i = 0; i < size && from + i < columns; ++i) {
        store_value(out, row * columns + from + i, dequantize_element(f, codes[i], scale, tensor),
                    one.type);
      }
    }
  });
}

void dequantize_all(const kernel_case& one, const case_input& input,
                    std::vector<std::uint8_t>& out) {
  const block_format& f = one.how.format;
  const coded_size size = size_of(f, one.layout, one.shape.rows, one.shape.columns);
  const auto columns = static_cast<std::size_t>(one.shape.columns);
  const std::size_t bytes = bytes_a_scale(f);
  const auto store_element = [&](std::size_t row, std::size_t i) {
    const std::size_t line = row * static_cast<std::size_t>(size.line_bytes);
    const bool halved = f.element.width() == 4;
    const std::uint8_t byte = input.codes[line + (halved ? i / 2 : i)];
    const auto block = offset(one.layout, static_cast<std::uint64_t>(one.shape.rows),
                              static_cast<std::uint64_t>(size.blocks_a_line), row,
                              i / static_cast<std::size_t>(f.columns));
    std::uint32_t scale = 0;
    for (std::size_t b = 0; b < bytes; ++b) {
      scale |= std::uint32_t{input.scales[block * bytes + b]} << (8 * b);
    }
    const std::uint32_t code = halved ? byte >> (i % 2 * 4) & 15U : byte;
    store_value(out, row * columns + i,
                dequantize_element(f, code, scale, tensor_scale_of(f, input)), one.type);
  };
  for_each_line(static_cast<std::size_t>(one.shape.rows), [&](std::size_t row) {
    for (std::size_t i = 0; i < columns; ++i) store_element(row, i);
  });
}

/// The rows of x, rotated, as a case of FP32 numbers to quantize.
void rotate_and_quantize(const kernel_case& one, const case_input& input,
                         std::vector<named_bytes>& results) {
  const auto columns = static_cast<std::size_t>(one.shape.columns);
  std::vector<float> values(static_cast<std::size_t>(one.shape.rows) * columns);
  case_input rotated;
  rotated.tensor_scale = input.tensor_scale;
  rotated.x.resize(values.size() * 4);
  for_each_line(static_cast<std::size_t>(one.shape.rows), [&](std::size_t row) {
    const std::size_t first = row * columns, end = first + columns;
    for (std::size_t i = first; i < end; ++i) values[i] = value_at(input.x, one.type, i);
    rotate(one.by, values.data() + first, static_cast<int>(columns));
    for (std::size_t i = first; i < end; ++i) store_number(rotated.x, i, bits_of(values[i]), 4);
  });
  kernel_case plain = one;
  plain.type = number_type::fp32;
  quantize_all(plain, rotated, results);
}

void decompose_all(const kernel_case& one, const case_input& input,
                   std::vector<std::uint8_t>& out) {
  const block_format& f = one.how.format;
  const auto columns = static_cast<std::size_t>(one.shape.columns);
  const auto size = static_cast<std::size_t>(f.size());
  const std::size_t blocks = (columns + size - 1) / size;
  const std::size_t all = static_cast<std::size_t>(one.shape.rows) * blocks;
  const auto together = static_cast<std::size_t>(blocks_a_share(f.size()));
  for_each_line((all + together - 1) / together, [&](std::size_t number_of_share) {
    const std::size_t first = number_of_share * together;
    std::vector<std::uint8_t> codes(size);
    energy_share share(f.element);
    for (std::size_t number = first; number < all && number < first + together; ++number) {
      const std::size_t row = number / blocks, from = number % blocks * size;
      const std::vector<float> x = block_of(one, input, {row * columns, 1, columns}, from);
      const std::size_t inside = columns - from < size ? columns - from : size;
      share.add(one.how, x.data(), static_cast<std::int64_t>(inside), tensor_scale_of(f, input),
                number, codes.data());
    }
    const error_energy energy = share.finished();
    std::memcpy(out.data() + number_of_share * sizeof(energy), &energy, sizeof(energy));
  });
}

}  // namespace

std::vector<named_bytes> results_of_core(const kernel_case& one, const case_input& input) {
  if (one.how.format.rows > 1) return rectangles_of_core(one, input);
  std::vector<named_bytes> results = empty_results(one);
  switch (one.what) {
    case operation::quantize:
      quantize_all(one, input, results);
      break;
    case operation::dequantize:
      dequantize_all(one, input, results[0].bytes);
      break;
    case operation::fake_quantize:
      fake_quantize_all(one, input, results[0].bytes);
      break;
    case operation::rotate_quantize:
      rotate_and_quantize(one, input, results);
      break;
    case operation::decompose:
      decompose_all(one, input, results[0].bytes);
      store_sum(results);
      break;
  }
  return results;
}

}  // namespace mx::kernels
