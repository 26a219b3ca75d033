// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/pack_bytes.cpp: codes as the bytes of arrays.
#include "golden/vectors/packs/pack_bytes.h"

#include "mx/tensor/packing.h"

namespace golden::packs {

pack_array code_array(const std::string& name, const mx::format& element, std::uint64_t rows,
                      std::uint64_t along, const std::vector<std::uint8_t>& codes) {
  if (element.width() != 4) return {name, io::dtype::u8, {rows, along}, codes};
  const mx::nibble_packing packing = mx::nibble_packings::low_first();
  pack_array result{name, io::dtype::u8, {rows, along / 2}, {}};
  result.bytes.resize(packing.bytes(codes.size()));
  mx::pack_nibbles(packing, codes.data(), codes.size(), result.bytes.data());
  return result;
}

pack_array word_array(const std::string& name, io::dtype type, std::vector<std::uint64_t> shape,
                      const std::vector<std::uint32_t>& words) {
  pack_array result{name, type, std::move(shape), {}};
  const unsigned bits = io::bits_of(type);
  for (const std::uint32_t word : words) {
    for (unsigned at = 0; at < bits; at += 8) {
      result.bytes.push_back(static_cast<std::uint8_t>(word >> at));
    }
  }
  return result;
}

std::vector<std::uint32_t> widened(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace golden::packs
