// SPDX-License-Identifier: Apache-2.0
// golden/io/byte_runs.cpp: strided runs of bytes of equal length, referenced in place.
#include "golden/io/byte_runs.h"

#include <algorithm>
#include <cstring>

namespace golden::io {

byte_runs byte_runs::of(byte_view array) { return {array, 0, 1, 1, array.size()}; }

byte_runs byte_runs::of(byte_view blocks, std::uint64_t block, std::uint64_t first,
                        std::uint64_t length) {
  return {blocks, first, length, block, blocks.size() / block * length};
}

void byte_runs::copy(std::uint64_t begin, std::uint64_t count, std::uint8_t* out) const {
  // A contiguous array is one run, whatever its length and distance.
  const std::uint64_t run = is_contiguous() ? size : length;
  while (count > 0) {
    const std::uint64_t within = begin % run;
    const std::uint64_t taken = std::min(count, run - within);
    std::memcpy(out, bytes.data() + first + begin / run * distance + within, taken);
    begin += taken;
    count -= taken;
    out += taken;
  }
}

}  // namespace golden::io
