// SPDX-License-Identifier: Apache-2.0
// tests/kernels/golden/rectangles.cpp: rewrites a matrix of blocks of several rows as one with
// blocks of one row, a line of blocks in a line, and writes golden's results for it back.
#include "rectangles.h"

#include <cstring>
#include <utility>

#include "matrices.h"
#include "matrix_cases.h"

namespace kernels_test {
namespace {

using namespace mx::kernels;
using bytes = std::vector<std::uint8_t>;
using place = std::pair<std::size_t, std::size_t>;

/// A matrix and its blocks in lines.
struct flattening {
  std::size_t block_rows, block_columns, rows, columns, blocks_a_line, lines;

  explicit flattening(const kernel_case& one)
      : block_rows(static_cast<std::size_t>(one.how.format.rows)),
        block_columns(static_cast<std::size_t>(one.how.format.columns)),
        rows(static_cast<std::size_t>(one.shape.rows)),
        columns(static_cast<std::size_t>(one.shape.columns)),
        blocks_a_line((columns + block_columns - 1) / block_columns),
        lines((rows + block_rows - 1) / block_rows) {}

  [[nodiscard]] std::size_t length() const { return blocks_a_line * block_rows * block_columns; }
  [[nodiscard]] std::size_t padded_columns() const { return blocks_a_line * block_columns; }
  /// Line and place in it of element (row, column), also for the padding to the right.
  [[nodiscard]] place of(std::size_t row, std::size_t column) const {
    const std::size_t within = row % block_rows * block_columns + column % block_columns;
    return {row / block_rows, column / block_columns * block_rows * block_columns + within};
  }
  /// Calls use(index, other): element `index` of rows of `width` lies at `other` in the lines.
  template <class Use>
  void each(std::size_t width, const Use& use) const {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < width; ++column) {
        const auto [line, at] = of(row, column);
        use(row * width + column, line * length() + at);
      }
    }
  }
};

kernel_case flat_case(const kernel_case& one, const flattening& as) {
  kernel_case flat = one;
  flat.how.format.columns = one.how.format.size();
  flat.how.format.rows = 1;
  flat.shape = {static_cast<std::int64_t>(as.lines), static_cast<std::int64_t>(as.length())};
  flat.results = wanted::rows;
  return flat;
}

std::uint8_t code_at(const bytes& from, std::size_t index, bool halved) {
  return halved ? from[index / 2] >> (index % 2 * 4) & 15 : from[index];
}
void store_code(bytes& to, std::size_t index, std::uint8_t code, bool halved) {
  std::uint8_t& byte = to[halved ? index / 2 : index];
  if (!halved) byte = code;
  if (halved && index % 2 == 0) byte = static_cast<std::uint8_t>((byte & 0xF0) | code);
  if (halved && index % 2 == 1) byte = static_cast<std::uint8_t>((byte & 15) | code << 4);
}

bool is_halved(const kernel_case& one) { return one.how.format.element.width() == 4; }

case_input flat_input(const kernel_case& one, const case_input& input, const flattening& as) {
  case_input flat = input;
  const std::size_t wide = mx::bytes_of(one.type);
  if (!input.x.empty()) {
    flat.x.assign(as.lines * as.length() * wide, 0);
    as.each(as.columns, [&](std::size_t index, std::size_t at) {
      std::memcpy(flat.x.data() + at * wide, input.x.data() + index * wide, wide);
    });
  }
  if (!input.codes.empty()) {
    flat.codes.assign(as.lines * as.length() / (is_halved(one) ? 2 : 1), 0);
    as.each(as.padded_columns(), [&](std::size_t index, std::size_t at) {
      store_code(flat.codes, at, code_at(input.codes, index, is_halved(one)), is_halved(one));
    });
  }
  return flat;
}

/// Elements of the matrix in each block.
std::vector<std::int64_t> elements_of_blocks(const flattening& as) {
  std::vector<std::int64_t> elements(as.lines * as.blocks_a_line);
  as.each(as.columns, [&](std::size_t, std::size_t at) {
    ++elements[at / (as.block_rows * as.block_columns)];
  });
  return elements;
}

/// Codes and scales of lines, or values, or energies.
std::optional<std::vector<bytes>> answers_of(const kernel_case& one, const case_input& input) {
  const flattening as(one);
  const case_input flat = flat_input(one, input, as);
  if (one.what == operation::decompose) {
    return decomposition_of_golden(flat_case(one, as), flat, elements_of_blocks(as));
  }
  auto found = matrices_of_golden(flat_case(one, as), flat);
  if (!found) return {};
  const bytes& first = found->front().bytes;
  const bool coded = one.what == operation::quantize;
  const std::size_t wide = coded ? 1 : mx::bytes_of(one.type);
  const std::size_t width = coded ? as.padded_columns() : as.columns;
  bytes back(as.rows * width * wide / (coded && is_halved(one) ? 2 : 1));
  as.each(width, [&](std::size_t index, std::size_t at) {
    if (coded) return store_code(back, index, code_at(first, at, is_halved(one)), is_halved(one));
    std::memcpy(back.data() + index * wide, first.data() + at * wide, wide);
  });
  return coded ? std::vector<bytes>{back, (*found)[1].bytes} : std::vector<bytes>{back};
}

/// The rows of the transposed matrix.
std::optional<std::vector<bytes>> answers_of_columns(kernel_case one, const case_input& input) {
  case_input turned = input;
  turned.x = transposed({one.type, static_cast<std::uint64_t>(one.shape.rows),
                         static_cast<std::uint64_t>(one.shape.columns), input.x})
                 .bytes;
  std::swap(one.shape.rows, one.shape.columns);
  return answers_of(one, turned);
}

}  // namespace

std::optional<std::vector<named_bytes>> rectangles_of_golden(const kernel_case& one,
                                                             const case_input& input) {
  std::vector<named_bytes> results = empty_results(one);
  std::size_t next = 0;
  const auto take = [&](const std::optional<std::vector<bytes>>& answers) {
    if (!answers) return false;
    for (const bytes& each : *answers) results[next++].bytes = each;
    return true;
  };
  const bool both = one.what == operation::quantize;
  if (!(both && one.results == wanted::columns) && !take(answers_of(one, input))) return {};
  const bool columns = both && one.results != wanted::rows;
  if (columns && !take(answers_of_columns(one, input))) return {};
  return results;
}

}  // namespace kernels_test
