// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/storage.cpp: applies the index maps of the core to all codes and scales,
// distributed to threads.
#include "mx/tensor/storage.h"

#include <algorithm>

#include "mx/tensor/parallel.h"
#include "tensor/block_batch.h"
#include "tensor/line_tasks.h"

namespace mx {
namespace {

nibble_packing packing_of(nibble_order order, int columns) {
  const auto K = static_cast<std::uint64_t>(columns);
  return {order, order == nibble_order::split_half ? K : 2};
}

/// Calls work(first, step) for every line along the middle axis: entry k of a line of `length`
/// entries lies at first(length) + k * inner.
template <class Work>
void for_each_line(std::uint64_t outer, std::uint64_t length, std::uint64_t inner,
                   const Work& work) {
  for_each_share_of_lines(outer * inner, length, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t v = first; v < last; ++v) work(v / inner, v % inner);
  });
}

/// Bits of a number of three bytes, the first in the low bits.
std::uint32_t three_bytes(const std::uint8_t* bytes, std::uint64_t step) {
  return bytes[0] | std::uint32_t{bytes[step]} << 8 | std::uint32_t{bytes[2 * step]} << 16;
}

/// Packs a line of 6-bit codes: whole groups of four, then the rest as mx::six_bits::pack does.
///   step  from one number to the next
void pack_line_of_sixes(const std::uint8_t* codes, std::uint64_t count, std::uint64_t step,
                        std::uint8_t* packed) {
  for (; count >= 4; count -= 4, codes += 4 * step, packed += 3 * step) {
    std::uint32_t word = 0;
    for (int k = 3; k >= 0; --k) word = word << 6 | (codes[static_cast<unsigned>(k) * step] & 0x3F);
    for (unsigned k = 0; k < 3; ++k) packed[k * step] = static_cast<std::uint8_t>(word >> 8 * k);
  }
  std::uint8_t rest[3] = {}, bytes[3];
  for (std::uint64_t k = 0; k < count; ++k) rest[k] = codes[k * step];
  six_bits::pack(rest, count, bytes);
  for (std::uint64_t k = 0; k < six_bits::bytes(count); ++k) packed[k * step] = bytes[k];
}

/// The inverse of pack_line_of_sixes.
void unpack_line_of_sixes(const std::uint8_t* packed, std::uint64_t count, std::uint64_t step,
                          std::uint8_t* codes) {
  for (; count >= 4; count -= 4, codes += 4 * step, packed += 3 * step) {
    const std::uint32_t word = three_bytes(packed, step);
    for (unsigned k = 0; k < 4; ++k) {
      codes[k * step] = static_cast<std::uint8_t>(word >> 6 * k & 0x3F);
    }
  }
  std::uint8_t bytes[3] = {}, rest[3];
  for (std::uint64_t k = 0; k < six_bits::bytes(count); ++k) bytes[k] = packed[k * step];
  six_bits::unpack(bytes, count, rest);
  for (std::uint64_t k = 0; k < count; ++k) codes[k * step] = rest[k];
}

/// Calls work(scale, byte) with the position of every scale in row-major order and in the layout.
template <class Work>
void for_each_scale(scale_layout layout, std::uint64_t matrices, std::uint64_t rows,
                    std::uint64_t columns, const Work& work) {
  if (columns == 0) return;  // as for lines without entries
  const std::uint64_t size = mx::size(layout, rows, columns);
  in_parallel({0, matrices * rows}, 64, [&](index_range lines) {
    for (std::uint64_t line = lines.first; line < lines.last; ++line) {
      const std::uint64_t begin = line / rows * size;
      for (std::uint64_t c = 0; c < columns; ++c) {
        work(line * columns + c, begin + offset(layout, rows, columns, line % rows, c));
      }
    }
  });
}

/// Contiguous codes in whole groups of the packing. Equals the map of mx::nibble_packing.
void pack_whole(const nibble_packing& packing, const std::uint8_t* codes, std::uint64_t count,
                std::uint8_t* packed) {
  if (packing.order == nibble_order::low_first) {
    return pack_pairs(codes, count / 2, storing::cached, packed);
  }
  const std::uint64_t half = packing.block / 2;
  const bool high_first = packing.order == nibble_order::high_first;
  for (std::uint64_t first = 0; first < count; first += packing.block) {
    const std::uint8_t* low = codes + first + (high_first ? half : 0);
    const std::uint8_t* high = codes + first + (high_first ? 0 : half);
    for (std::uint64_t k = 0; k < half; ++k) {
      packed[first / 2 + k] = static_cast<std::uint8_t>(low[k] | high[k] << 4);
    }
  }
}

}  // namespace

void pack_codes(nibble_order order, int columns, const std::uint8_t* codes, std::uint64_t outer,
                std::uint64_t length, std::uint64_t inner, std::uint8_t* packed) {
  const nibble_packing packing = packing_of(order, columns);
  const std::uint64_t bytes = packing.bytes(length);
  for_each_line(outer, length, inner, [&](std::uint64_t o, std::uint64_t i) {
    const std::uint8_t* in = codes + o * length * inner + i;
    std::uint8_t* out = packed + o * bytes * inner + i;
    if (inner == 1 && length % packing.block == 0) return pack_whole(packing, in, length, out);
    for (std::uint64_t k = 0; k < bytes; ++k) out[k * inner] = 0;
    for (std::uint64_t k = 0; k < length; ++k) {
      const code_place at = packing.place(k);
      std::uint8_t& byte = out[at.byte * inner];
      byte = static_cast<std::uint8_t>(byte | in[k * inner] << at.shift);
    }
  });
}

void unpack_codes(nibble_order order, int columns, const std::uint8_t* packed, std::uint64_t outer,
                  std::uint64_t length, std::uint64_t inner, std::uint8_t* codes) {
  const nibble_packing packing = packing_of(order, columns);
  const std::uint64_t bytes = packing.bytes(length);
  for_each_line(outer, length, inner, [&](std::uint64_t o, std::uint64_t i) {
    const std::uint8_t* in = packed + o * bytes * inner + i;
    std::uint8_t* out = codes + o * length * inner + i;
    for (std::uint64_t k = 0; k < length; ++k) {
      const code_place at = packing.place(k);
      out[k * inner] = static_cast<std::uint8_t>(in[at.byte * inner] >> at.shift & 15);
    }
  });
}

void pack_sixes(const std::uint8_t* codes, std::uint64_t outer, std::uint64_t length,
                std::uint64_t inner, std::uint8_t* packed) {
  const std::uint64_t bytes = six_bits::bytes(length);
  for_each_line(outer, length, inner, [&](std::uint64_t o, std::uint64_t i) {
    pack_line_of_sixes(codes + o * length * inner + i, length, inner,
                       packed + o * bytes * inner + i);
  });
}

void unpack_sixes(const std::uint8_t* packed, std::uint64_t outer, std::uint64_t length,
                  std::uint64_t inner, std::uint8_t* codes) {
  const std::uint64_t bytes = six_bits::bytes(length);
  for_each_line(outer, length, inner, [&](std::uint64_t o, std::uint64_t i) {
    unpack_line_of_sixes(packed + o * bytes * inner + i, length, inner,
                         codes + o * length * inner + i);
  });
}

void arrange_scales(scale_layout layout, const std::uint8_t* scales, std::uint64_t matrices,
                    std::uint64_t rows, std::uint64_t columns, std::uint8_t* arranged) {
  std::fill_n(arranged, matrices * size(layout, rows, columns), std::uint8_t{0});
  for_each_scale(layout, matrices, rows, columns,
                 [&](std::uint64_t scale, std::uint64_t byte) { arranged[byte] = scales[scale]; });
}

void restore_scales(scale_layout layout, const std::uint8_t* arranged, std::uint64_t matrices,
                    std::uint64_t rows, std::uint64_t columns, std::uint8_t* scales) {
  for_each_scale(layout, matrices, rows, columns,
                 [&](std::uint64_t scale, std::uint64_t byte) { scales[scale] = arranged[byte]; });
}

}  // namespace mx
