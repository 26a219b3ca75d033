// SPDX-License-Identifier: Apache-2.0
// mx/tensor/storage.h: codes and scales of whole tensors from the quantizer's order to the stored
// order, and back; threaded. Equals nibble_packing::place, six_bits::place (mx/tensor/packing.h)
// and mx::offset (mx/tensor/layout.h) for every code and scale.
#pragma once
#include <cstdint>

#include "mx/tensor/layout.h"
#include "mx/tensor/packing.h"

namespace mx {

/// Packs codes stored one a byte, outer x length x inner, along the middle axis.
///   columns  of a block; even for split halves
///   packed   outer x (length + 1) / 2 x inner bytes
void pack_codes(nibble_order order, int columns, const std::uint8_t* codes, std::uint64_t outer,
                std::uint64_t length, std::uint64_t inner, std::uint8_t* packed);
/// The inverse of pack_codes.
void unpack_codes(nibble_order order, int columns, const std::uint8_t* packed, std::uint64_t outer,
                  std::uint64_t length, std::uint64_t inner, std::uint8_t* codes);

/// Packs 6-bit codes without gaps, stored one a byte, outer x length x inner, along the middle
/// axis.
///   packed   outer x six_bits::bytes(length) x inner bytes
void pack_sixes(const std::uint8_t* codes, std::uint64_t outer, std::uint64_t length,
                std::uint64_t inner, std::uint8_t* packed);
/// The inverse of pack_sixes.
void unpack_sixes(const std::uint8_t* packed, std::uint64_t outer, std::uint64_t length,
                  std::uint64_t inner, std::uint8_t* codes);

/// Arranges matrices of one-byte scales, end to end, in a layout.
///   arranged  matrices * size(layout, rows, columns) bytes; padding becomes 0
void arrange_scales(scale_layout layout, const std::uint8_t* scales, std::uint64_t matrices,
                    std::uint64_t rows, std::uint64_t columns, std::uint8_t* arranged);
/// The inverse of arrange_scales; padding is ignored.
void restore_scales(scale_layout layout, const std::uint8_t* arranged, std::uint64_t matrices,
                    std::uint64_t rows, std::uint64_t columns, std::uint8_t* scales);

}  // namespace mx
