// SPDX-License-Identifier: Apache-2.0
// kernels/verify/packed_lines.h: packs codes into the lines of a factor and unpacks them, for every
// storage.
#pragma once
#include "products.h"

namespace mx::kernels {

/// Numbers of `bytes` bytes each, little-endian.
[[nodiscard]] inline std::vector<std::uint8_t> packed_numbers(
    const std::vector<std::uint32_t>& numbers, int bytes) {
  std::vector<std::uint8_t> packed;
  for (const std::uint32_t number : numbers) {
    for (int b = 0; b < bytes; ++b) packed.push_back(static_cast<std::uint8_t>(number >> (8 * b)));
  }
  return packed;
}

[[nodiscard]] inline std::vector<std::uint32_t> unpacked_numbers(
    const std::vector<std::uint8_t>& packed, int bytes) {
  std::vector<std::uint32_t> numbers(packed.size() / static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < packed.size(); ++i) {
    const auto at = i / static_cast<std::size_t>(bytes), b = i % static_cast<std::size_t>(bytes);
    numbers[at] |= std::uint32_t{packed[i]} << (8 * b);
  }
  return numbers;
}

/// Bytes of a code; 0 if two share one.
[[nodiscard]] inline int bytes_of(code_storage storage) {
  if (storage == code_storage::pairs) return 0;
  return storage == code_storage::bytes ? 1 : storage == code_storage::halves ? 2 : 4;
}

/// Lines of equally many codes, each line padded to a multiple of 16 bytes.
[[nodiscard]] inline lines_of_codes packed_lines(
    const std::vector<std::vector<std::uint32_t>>& lines, code_storage storage) {
  lines_of_codes made{storage, 0, {}, {}};
  for (std::vector<std::uint32_t> line : lines) {
    if (storage == code_storage::pairs) {
      line.resize((line.size() + 1) / 2 * 2);
      for (std::size_t i = 0; i < line.size() / 2; ++i) {
        line[i] = line[2 * i] | line[2 * i + 1] << 4;
      }
      line.resize(line.size() / 2);
    }
    std::vector<std::uint8_t> bytes =
        packed_numbers(line, storage == code_storage::pairs ? 1 : bytes_of(storage));
    bytes.resize((bytes.size() + 15) / 16 * 16);
    made.line_bytes = static_cast<std::int64_t>(bytes.size());
    made.codes.insert(made.codes.end(), bytes.begin(), bytes.end());
  }
  return made;
}

/// The first k codes of a line.
[[nodiscard]] inline std::vector<std::uint32_t> codes_of_line(const lines_of_codes& from,
                                                              std::int64_t line, std::int64_t k) {
  const auto at = static_cast<std::size_t>(line * from.line_bytes);
  std::vector<std::uint32_t> codes(static_cast<std::size_t>(k));
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (from.storage == code_storage::pairs) {
      codes[i] = from.codes[at + i / 2] >> (i % 2 * 4) & 15U;
      continue;
    }
    const auto bytes = static_cast<std::size_t>(bytes_of(from.storage));
    for (std::size_t b = 0; b < bytes; ++b) {
      codes[i] |= std::uint32_t{from.codes[at + i * bytes + b]} << (8 * b);
    }
  }
  return codes;
}

}  // namespace mx::kernels
