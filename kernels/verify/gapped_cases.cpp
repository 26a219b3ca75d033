// SPDX-License-Identifier: Apache-2.0
// kernels/verify/gapped_cases.cpp: see gapped_cases.h.
#include "gapped_cases.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

#include "packed_lines.h"

namespace mx::kernels {
namespace {

using bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t gap_byte = 0xEE;  // numbers of it are larger than most of a matrix

/// Bytes of a row, and of the gap after it.
struct row_sizes {
  std::ptrdiff_t row, gap;

  static row_sizes of(const kernel_case& one) {
    const auto element = static_cast<std::int64_t>(bytes_of(one.type));
    return {one.shape.columns * element, one.gap * element};
  }
};

/// Calls work(row in a dense array, row in one with gaps, row number).
template <class Dense, class Gapped, class Work>
void for_each_row(const kernel_case& one, Dense dense, Gapped gapped, const Work& work) {
  const row_sizes size = row_sizes::of(one);
  for (std::int64_t row = 0; row < one.shape.rows; ++row) {
    work(dense + row * size.row, gapped + row * (size.row + size.gap), row);
  }
}

/// No gap follows the last row.
std::size_t gaps_of(const kernel_case& one) {
  return static_cast<std::size_t>((one.shape.rows - 1) * row_sizes::of(one).gap);
}

bool stores_numbers(const kernel_case& one) {
  return one.what == operation::dequantize || one.what == operation::fake_quantize;
}

/// What serves a case whose rows are not aligned.
std::string_view unaligned(std::string_view kernels) {
  if (kernels == "rows" || kernels == "wide rows") return "blocks";
  if (kernels == "tiles" || kernels == "wide tiles") return "blocks of tiles";
  if (kernels == "rotated rows") return "rotated blocks";
  return kernels == "plain, sum" ? "core, sum" : kernels;
}

kernel_case gapped(kernel_case one, std::int64_t gap, std::string_view kernels) {
  one.gap = gap;
  one.name += ".gap" + std::to_string(gap);
  one.kernels = kernels;
  return one;
}

/// Between the rows of a packed matrix: `gap` bytes each, none after the last row.
bytes spread(const bytes& packed, std::size_t row, std::size_t gap) {
  bytes made;
  for (std::size_t first = 0; first < packed.size(); first += row) {
    if (first > 0) made.resize(made.size() + gap, gap_byte);
    const auto from = packed.begin() + static_cast<std::ptrdiff_t>(first);
    made.insert(made.end(), from, from + static_cast<std::ptrdiff_t>(row));
  }
  return made;
}

constexpr std::int64_t more_of_c = 2;

}  // namespace

std::vector<product_case> gapped_product_table() {
  std::vector<product_case> table;
  for (const product_case& one : product_table()) {
    const bool is_small = one.shape.m == 33, is_large = one.shape.m == 130;
    const bool is_chosen =
        (is_small && one.kind == scales::far) || (is_large && one.kind == scales::near);
    if (!is_chosen) continue;
    // Even rows of D are stored by pairs; odd ones are not.
    product_case gapped = one;
    gapped.gap = is_large ? 4 : 3;
    const std::size_t kernel = one.name.rfind('.');
    gapped.name.insert(kernel, ".gap" + std::to_string(gapped.gap));
    table.push_back(std::move(gapped));
  }
  return table;
}

product_arrays product_arrays::of(const product_case& one, const product_input& input) {
  const int result = one.plan.model.sum.result.width() / 8, output = one.plan.output.width() / 8;
  const auto columns = static_cast<std::size_t>(one.shape.n);
  const bytes c = packed_numbers(input.c, result),
              d(static_cast<std::size_t>(one.shape.m * one.shape.n * output), gap_byte);
  if (one.gap == 0) return {0, 0, c, d};
  const auto gap = static_cast<std::size_t>(one.gap);
  return {one.shape.n + one.gap + more_of_c, one.shape.n + one.gap,
          spread(c, columns * static_cast<std::size_t>(result),
                 (gap + more_of_c) * static_cast<std::size_t>(result)),
          spread(d, columns * static_cast<std::size_t>(output),
                 gap * static_cast<std::size_t>(output))};
}

std::vector<std::uint32_t> numbers_in(const product_case& one, const bytes& d) {
  const int output = one.plan.output.width() / 8;
  const std::int64_t row = one.shape.n * output, step = row + one.gap * output;
  bytes packed;
  for (std::int64_t first = 0; first < static_cast<std::int64_t>(d.size()); first += step) {
    const auto from = d.begin() + static_cast<std::ptrdiff_t>(first);
    packed.insert(packed.end(), from, from + row);
    const auto end = d.end() - from > step ? from + step : d.end();
    if (std::any_of(from + row, end, [](std::uint8_t byte) { return byte != gap_byte; })) {
      throw std::runtime_error("the gap after row " + std::to_string(first / step) +
                               " of D was written");
    }
  }
  return unpacked_numbers(packed, output);
}

std::vector<kernel_case> gapped_case_table() {
  std::vector<kernel_case> table;
  std::set<std::tuple<operation, number_type, std::string_view, wanted>> served;
  for (const kernel_case& one : case_table()) {
    const bool is_first = served.insert({one.what, one.type, one.kernels, one.results}).second;
    if (!is_first || one.shape.rows == 1) continue;
    table.push_back(gapped(one, 24, one.kernels));
    table.push_back(gapped(one, 3, unaligned(one.kernels)));
  }
  return table;
}

case_input with_gaps(const kernel_case& one, case_input input) {
  if (one.gap == 0 || input.x.empty()) return input;
  const auto row = static_cast<std::size_t>(row_sizes::of(one).row);
  bytes x(input.x.size() + gaps_of(one), gap_byte);
  for_each_row(one, input.x.begin(), x.begin(),
               [&](auto from, auto to, std::int64_t) { std::copy_n(from, row, to); });
  input.x = std::move(x);
  return input;
}

std::vector<named_bytes> empty_arrays(const kernel_case& one) {
  std::vector<named_bytes> arrays = empty_results(one);
  if (one.gap == 0 || !stores_numbers(one)) return arrays;
  arrays.pop_back();
  arrays[0].bytes.resize(arrays[0].bytes.size() + gaps_of(one), gap_byte);
  return arrays;
}

std::vector<named_bytes> results_in(const kernel_case& one, std::vector<named_bytes> arrays) {
  if (one.gap == 0 || !stores_numbers(one)) return arrays;
  const row_sizes size = row_sizes::of(one);
  std::vector<named_bytes> results = empty_results(one);
  bytes& gaps = results[1].bytes;
  for_each_row(one, results[0].bytes.begin(), arrays[0].bytes.begin(),
               [&](auto to, auto from, std::int64_t row) {
                 std::copy_n(from, size.row, to);
                 if (row + 1 == one.shape.rows) return;
                 std::copy_n(from + size.row, size.gap, gaps.begin() + row * size.gap);
               });
  return results;
}

}  // namespace mx::kernels
