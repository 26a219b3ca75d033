// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_places.cpp: the place in a matrix of a byte of a case's results.
#include "case_places.h"

#include "core_values.h"

namespace mx::kernels {
namespace {

/// A byte of a result that differs.
struct place {
  std::size_t array = 0, byte = 0;
};

place first_place(const std::vector<named_bytes>& expected, const std::vector<named_bytes>& found) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    for (std::size_t i = 0; i < expected[k].bytes.size(); ++i) {
      if (expected[k].bytes[i] != found[k].bytes[i]) return {k, i};
    }
  }
  return {};
}

std::string text_of(const char* of_line, std::size_t line, const char* of_place, std::size_t at) {
  return std::string(", ") + of_line + " " + std::to_string(line) + ", " + of_place + " " +
         std::to_string(at);
}

/// The element of a byte of codes; of two in a byte the first that differs.
std::string place_of_code(const kernel_case& one, const coded_size& size, bool is_columns,
                          std::size_t byte, std::uint8_t difference) {
  const auto line_bytes = static_cast<std::size_t>(size.line_bytes);
  std::size_t at = byte % line_bytes;
  if (one.how.format.element.width() == 4) at = 2 * at + ((difference & 15) == 0 ? 1 : 0);
  return is_columns ? text_of("column", byte / line_bytes, "row", at)
                    : text_of("row", byte / line_bytes, "column", at);
}

std::string place_of_scale(const kernel_case& one, const coded_size& size, bool is_columns,
                           std::size_t byte) {
  if (one.layout != scale_layout::linear) return {};
  const std::size_t scale = byte / bytes_a_scale(one.how.format);
  const auto along = static_cast<std::size_t>(size.blocks_a_line);
  const bool is_tall = one.how.format.rows > 1;
  const char* line = is_tall ? "line of blocks" : is_columns ? "column" : "row";
  return text_of(line, scale / along, "block", scale % along);
}

std::string text_of(const kernel_case& one, const place& at, const named_bytes& expected,
                    const named_bytes& found) {
  if (one.what == operation::decompose || expected.name == "gaps") return {};
  if (expected.name == "out") {
    const std::size_t i = at.byte / bytes_of(one.type);
    const auto columns = static_cast<std::size_t>(one.shape.columns);
    return text_of("row", i / columns, "column", i % columns);
  }
  const bool is_columns = expected.name.starts_with("columns");
  const coded_size size =
      size_of(one.how.format, one.layout, is_columns ? one.shape.columns : one.shape.rows,
              is_columns ? one.shape.rows : one.shape.columns);
  const auto bits = static_cast<std::uint8_t>(expected.bytes[at.byte] ^ found.bytes[at.byte]);
  return expected.name.ends_with(".codes") ? place_of_code(one, size, is_columns, at.byte, bits)
                                           : place_of_scale(one, size, is_columns, at.byte);
}

}  // namespace

std::string difference_between(const kernel_case& one, const std::vector<named_bytes>& expected,
                               const std::vector<named_bytes>& found) {
  const std::string text = difference_between(expected, found);
  if (text.empty()) return text;
  const place at = first_place(expected, found);
  return text + text_of(one, at, expected[at.array], found[at.array]);
}

}  // namespace mx::kernels
