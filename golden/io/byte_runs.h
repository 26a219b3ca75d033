// SPDX-License-Identifier: Apache-2.0
// golden/io/byte_runs.h: strided runs of bytes of equal length, referenced in place.
#pragma once
#include <cstdint>

#include "golden/io/file.h"

namespace golden::io {

/// Byte i is bytes[first + i / length * distance + i % length]: a whole array, or one field of
/// every block of a file.
struct byte_runs {
  byte_view bytes;
  std::uint64_t first = 0, length = 1, distance = 1;
  std::uint64_t size = 0;  ///< of all runs; a multiple of length

  /// A whole array.
  [[nodiscard]] static byte_runs of(byte_view array);
  /// One field of contiguous blocks.
  ///   block  bytes of a block; a whole number of them fills the array
  [[nodiscard]] static byte_runs of(byte_view blocks, std::uint64_t block, std::uint64_t first,
                                    std::uint64_t length);

  [[nodiscard]] bool is_contiguous() const { return length == distance || size <= length; }
  /// The bytes themselves.
  ///   range  contiguous runs
  [[nodiscard]] byte_view view() const { return bytes.subspan(size == 0 ? 0 : first, size); }
  /// Copies bytes begin to begin + count.
  void copy(std::uint64_t begin, std::uint64_t count, std::uint8_t* out) const;
};

}  // namespace golden::io
