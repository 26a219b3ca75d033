// SPDX-License-Identifier: Apache-2.0
// kernels/verify/core_backend.cpp: cases computed by the core, block by block; of the kernels it
// uses only the sizes.
#include <algorithm>
#include <cstring>

#include "blocked_matrix.h"
#include "mx/block/energy.h"

namespace mx::kernels {
namespace {

void quantize_lines(const kernel_case& one, const case_input& input, const blocked_matrix& matrix,
                    std::vector<std::uint8_t>& codes, std::vector<std::uint8_t>& scales) {
  const block_format& f = one.how.format;
  matrix.for_each_block([&](std::size_t block) {
    std::vector<std::uint8_t> own(static_cast<std::size_t>(f.size()));
    const std::vector<float> x = matrix.values_of(block);
    const chosen_scale scale =
        quantize_block(one.how, x.data(), tensor_scale_of(f, input), block, own.data());
    store_number(scales, matrix.scale_at(block), scale.code, bytes_a_scale(f));
    matrix.visit(block, [&](std::size_t i, std::size_t line, std::size_t place) {
      if (line >= matrix.lines()) return;
      std::uint8_t& byte = codes[matrix.byte_of(line, place)];
      const bool is_second = matrix.is_halved() && place % 2 == 1;
      byte = is_second ? static_cast<std::uint8_t>(byte | own[i] << 4) : own[i];
    });
  });
}

blocked_matrix rows_of(const kernel_case& one, const case_input& input) {
  return {one, input, one.shape, static_cast<std::size_t>(one.shape.columns), 1};
}

void quantize_all(const kernel_case& one, const case_input& input,
                  std::vector<named_bytes>& results) {
  std::size_t next = 0;
  if (one.results != wanted::columns) {
    quantize_lines(one, input, rows_of(one, input), results[0].bytes, results[1].bytes);
    next = 2;
  }
  if (one.results == wanted::rows) return;
  const blocked_matrix columns(one, input, {one.shape.columns, one.shape.rows}, 1,
                               static_cast<std::size_t>(one.shape.columns));
  quantize_lines(one, input, columns, results[next].bytes, results[next + 1].bytes);
}

void fake_quantize_all(const kernel_case& one, const case_input& input,
                       std::vector<std::uint8_t>& out) {
  const block_format& f = one.how.format;
  const blocked_matrix matrix = rows_of(one, input);
  const unpacked tensor = tensor_scale_of(f, input);
  matrix.for_each_block([&](std::size_t block) {
    std::vector<std::uint8_t> codes(static_cast<std::size_t>(f.size()));
    const std::vector<float> x = matrix.values_of(block);
    const auto scale = quantize_block(one.how, x.data(), tensor, block, codes.data()).code;
    matrix.visit(block, [&](std::size_t i, std::size_t line, std::size_t place) {
      if (!matrix.is_inside(line, place)) return;
      store_value(out, matrix.index_of(line, place), dequantize_element(f, codes[i], scale, tensor),
                  one.type);
    });
  });
}

void dequantize_all(const kernel_case& one, const case_input& input,
                    std::vector<std::uint8_t>& out) {
  const block_format& f = one.how.format;
  const blocked_matrix matrix = rows_of(one, input);
  const unpacked tensor = tensor_scale_of(f, input);
  matrix.for_each_block([&](std::size_t block) {
    const std::uint32_t scale = number_at(input.scales, matrix.scale_at(block), bytes_a_scale(f));
    matrix.visit(block, [&](std::size_t, std::size_t line, std::size_t place) {
      if (!matrix.is_inside(line, place)) return;
      const std::uint8_t byte = input.codes[matrix.byte_of(line, place)];
      const std::uint32_t code = matrix.is_halved() ? byte >> (place % 2 * 4) & 15U : byte;
      store_value(out, matrix.index_of(line, place), dequantize_element(f, code, scale, tensor),
                  one.type);
    });
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
  const blocked_matrix matrix = rows_of(one, input);
  const auto together = static_cast<std::size_t>(blocks_a_share(f.size()));
  for_each_line((matrix.blocks() + together - 1) / together, [&](std::size_t number) {
    std::vector<std::uint8_t> codes(static_cast<std::size_t>(f.size()));
    energy_share share(f.element);
    const std::size_t first = number * together;
    for (std::size_t block = first; block < matrix.blocks() && block < first + together; ++block) {
      std::int64_t inside = 0;
      matrix.visit(block, [&](std::size_t, std::size_t line, std::size_t place) {
        inside += matrix.is_inside(line, place) ? 1 : 0;
      });
      const std::vector<float> x = matrix.values_of(block);
      share.add(one.how, x.data(), inside, tensor_scale_of(f, input), block, codes.data());
    }
    const error_energy energy = share.finished();
    std::memcpy(out.data() + number * sizeof(energy), &energy, sizeof(energy));
  });
}

/// The sums of each 128 neighbours; a zero if there are none.
std::vector<error_energy> sums_of_neighbours(const std::vector<error_energy>& all) {
  constexpr std::size_t together = 128;
  std::vector<error_energy> sums;
  for (std::size_t first = 0; sums.empty() || first < all.size(); first += together) {
    const std::size_t count = std::min(together, all.size() - first);
    sums.push_back(sum_of(all.data() + first, static_cast<std::int64_t>(count)));
  }
  return sums;
}

/// Stores the sums of the shares of a decompose case behind them, and the sum of all.
void store_sums(const kernel_case& one, std::vector<named_bytes>& results) {
  const std::int64_t shares = shares_of(one.how.format, one.shape);
  std::vector<error_energy> level(static_cast<std::size_t>(shares));
  std::uint8_t* to = results[0].bytes.data();
  std::memcpy(level.data(), to, level.size() * sizeof(error_energy));
  do {
    to += level.size() * sizeof(error_energy);
    level = sums_of_neighbours(level);
    std::memcpy(level.size() > 1 ? to : results[1].bytes.data(), level.data(),
                level.size() * sizeof(error_energy));
  } while (level.size() > 1);
}

}  // namespace

std::vector<named_bytes> results_of_core(const kernel_case& one, const case_input& input) {
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
      store_sums(one, results);
      break;
  }
  return results;
}

}  // namespace mx::kernels
