// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/storage_test.cpp: codes and scales of whole tensors are stored where the index
// maps place them.
#include "mx/tensor/storage.h"

#include <cstddef>
#include <vector>

#include "catch.h"

namespace {

using bytes = std::vector<std::uint8_t>;

bytes counted(std::uint64_t count, std::uint64_t modulus) {
  bytes result(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    result[i] = static_cast<std::uint8_t>((7 * i + 1) % modulus);
  }
  return result;
}

}  // namespace

TEST_CASE("packed_codes_lie_where_the_packing_places_them") {
  constexpr std::uint64_t outer = 3, length = 48, inner = 5;
  const bytes codes = counted(outer * length * inner, 16);
  for (const auto order :
       {mx::nibble_order::low_first, mx::nibble_order::high_first, mx::nibble_order::split_half}) {
    const int columns = 16;
    const mx::nibble_packing packing{order, order == mx::nibble_order::split_half ? 16U : 2U};
    bytes packed(outer * packing.bytes(length) * inner, 0xAA), back(codes.size());
    mx::pack_codes(order, columns, codes.data(), outer, length, inner, packed.data());
    for (std::uint64_t o = 0; o < outer; ++o) {
      for (std::uint64_t k = 0; k < length; ++k) {
        for (std::uint64_t i = 0; i < inner; ++i) {
          const mx::code_place at = packing.place(k);
          const std::uint8_t byte = packed[(o * packing.bytes(length) + at.byte) * inner + i];
          REQUIRE((byte >> at.shift & 15) == codes[(o * length + k) * inner + i]);
        }
      }
    }
    mx::unpack_codes(order, columns, packed.data(), outer, length, inner, back.data());
    CHECK(back == codes);
  }
}

TEST_CASE("an_odd_code_has_a_byte_of_its_own_with_zeros_beside_it") {
  const bytes codes{1, 2, 3};
  bytes packed(2, 0xFF);
  mx::pack_codes(mx::nibble_order::low_first, 3, codes.data(), 1, 3, 1, packed.data());
  CHECK(packed == bytes{0x21, 0x03});
  mx::pack_codes(mx::nibble_order::high_first, 3, codes.data(), 1, 3, 1, packed.data());
  CHECK(packed == bytes{0x12, 0x30});
}

TEST_CASE("six_bit_codes_lie_where_their_packing_places_them") {
  constexpr std::uint64_t outer = 3;
  for (const std::uint64_t inner : {1, 5}) {
    for (const std::uint64_t length : {0, 1, 2, 3, 4, 5, 30, 31, 32, 64}) {
      INFO(length << " x " << inner);
      const std::uint64_t along = mx::six_bits::bytes(length);
      const bytes codes = counted(outer * length * inner, 64);
      bytes packed(outer * along * inner, 0xAA), back(codes.size(), 0xAA);
      mx::pack_sixes(codes.data(), outer, length, inner, packed.data());
      for (std::uint64_t line = 0; line < outer * inner; ++line) {
        const std::uint64_t o = line / inner, i = line % inner;
        bytes own(length), expected(along);
        for (std::uint64_t k = 0; k < length; ++k) own[k] = codes[(o * length + k) * inner + i];
        mx::six_bits::pack(own.data(), length, expected.data());
        for (std::uint64_t k = 0; k < along; ++k) {
          REQUIRE(packed[(o * along + k) * inner + i] == expected[k]);
        }
      }
      mx::unpack_sixes(packed.data(), outer, length, inner, back.data());
      CHECK(back == codes);
    }
  }
}

TEST_CASE("bits_above_six_are_not_packed") {
  const bytes codes{0xFF, 0x40, 0xC1, 0x80, 0x7F};
  bytes packed(4);
  mx::pack_sixes(codes.data(), 1, 5, 1, packed.data());
  CHECK(packed == bytes{0x3F, 0x10, 0x00, 0x3F});
}

TEST_CASE("arranged_scales_lie_where_the_layout_says_and_padding_is_zero") {
  constexpr std::uint64_t matrices = 2, rows = 130, columns = 5;
  const bytes scales = counted(matrices * rows * columns, 251);
  for (const mx::scale_layout_entry& entry : mx::scale_layout_table) {
    INFO(std::string(entry.name));
    const std::uint64_t size = mx::size(entry.value, rows, columns);
    bytes arranged(matrices * size, 0xAA), back(scales.size());
    mx::arrange_scales(entry.value, scales.data(), matrices, rows, columns, arranged.data());
    for (std::uint64_t m = 0; m < matrices; ++m) {
      for (std::uint64_t at = 0; at < size; ++at) {
        const mx::scale_place place = mx::place(entry.value, rows, columns, at);
        const std::uint64_t scale = (m * rows + place.row) * columns + place.column;
        REQUIRE(arranged[m * size + at] == (place.is_padding ? 0 : scales[scale]));
      }
    }
    mx::restore_scales(entry.value, arranged.data(), matrices, rows, columns, back.data());
    CHECK(back == scales);
  }
}
