// SPDX-License-Identifier: Apache-2.0
// tests/oracle/oracle_blocks.cpp: presets of mx/presets/mx_variants.h for programs in other
// languages.
//   oracle_blocks PRESET ELEMENT    reads blocks of 32 FP32 patterns, writes 33 bytes for each: the
//                                   scale and the codes
// Every number read is a 32-bit word in the machine's order of bytes.
#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "mx/presets/mx_variants.h"

namespace {

struct named_format {
  std::string_view name;
  mx::block_format format;
};

constexpr named_format format_names[] = {
    {"e2m1", mx::block_formats::mxfp4},      {"e2m3", mx::block_formats::mxfp6_e2m3},
    {"e3m2", mx::block_formats::mxfp6_e3m2}, {"e4m3", mx::block_formats::mxfp8_e4m3},
    {"e5m2", mx::block_formats::mxfp8_e5m2}, {"int8", mx::block_formats::mxint8}};

constexpr std::size_t block_size = 32;

bool quantize_input(const mx::mx_variant& v, const mx::block_format& f) {
  std::array<float, block_size> x;
  std::array<std::uint8_t, 1 + block_size> bytes;
  while (std::fread(x.data(), sizeof(x), 1, stdin) == 1) {
    bytes[0] = mx::quantize_block(v, f, x.data(), block_size, bytes.data() + 1);
    if (std::fwrite(bytes.data(), bytes.size(), 1, stdout) != 1) return false;
  }
  return std::ferror(stdin) == 0;
}

}  // namespace

int main(int count, char** words) {
  const mx::mx_variant* preset =
      count == 3 ? mx::preset_named(mx::mx_variant_table, words[1]) : nullptr;
  for (const named_format& entry : format_names) {
    if (preset != nullptr && entry.name == words[2]) {
      return quantize_input(*preset, entry.format) ? 0 : 1;
    }
  }
  std::fprintf(stderr, "oracle_blocks: bad arguments; see the head of its source\n");
  return 2;
}
