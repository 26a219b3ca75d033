// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/layout_pack.cpp: scales that encode their position. A is ones, column n of B
// is one-hot in block n, so D[m, n] is the scale that a kernel reads for row m and block n of A.
#include "mx/tensor/layout.h"

#include <fmt/format.h>

#include <array>

#include "golden/vectors/packs/pack_bytes.h"
#include "mx/number/formats.h"

namespace golden::packs {
namespace {

constexpr std::uint64_t block = 32;
constexpr std::uint8_t one = 2;           // 1.0 in E2M1
constexpr std::uint8_t scale_of_1 = 127;  // in E8M0

struct matrix_shape {
  std::uint64_t rows, columns;
};
/// A tile of most layouts, more than one with padding on both sides, a small one, several tiles.
constexpr std::array shapes{matrix_shape{128, 4}, matrix_shape{129, 5}, matrix_shape{32, 8},
                            matrix_shape{260, 12}};

/// There are more positions than bytes: the two digits of a position are in two planes.
struct digit_plane {
  const char* name;
  std::uint64_t divisor;
};
constexpr std::uint64_t digits = 250;
constexpr std::array planes{digit_plane{"low", 1}, digit_plane{"high", digits}};

std::vector<std::uint8_t> scales_of(matrix_shape s, const digit_plane& plane) {
  std::vector<std::uint8_t> scales;
  for (std::uint64_t i = 0; i < s.rows * s.columns; ++i) {
    scales.push_back(static_cast<std::uint8_t>(1 + i / plane.divisor % digits));
  }
  return scales;
}

std::vector<std::uint8_t> arranged(mx::scale_layout layout, matrix_shape s,
                                   const std::vector<std::uint8_t>& scales) {
  std::vector<std::uint8_t> bytes(mx::size(layout, s.rows, s.columns));
  for (std::uint64_t r = 0; r < s.rows; ++r) {
    for (std::uint64_t c = 0; c < s.columns; ++c) {
      bytes[mx::offset(layout, s.rows, s.columns, r, c)] = scales[r * s.columns + c];
    }
  }
  return bytes;
}

std::vector<std::uint8_t> one_hot(matrix_shape s) {
  std::vector<std::uint8_t> codes(s.columns * s.columns * block);
  // At a different position in each block, so that displaced codes are visible.
  for (std::uint64_t n = 0; n < s.columns; ++n) {
    codes[n * s.columns * block + n * block + n * 7 % block] = one;
  }
  return codes;
}

/// 2^(scale - 127) is a normal FP32 number: its exponent field is the scale.
std::vector<std::uint32_t> product(const std::vector<std::uint8_t>& scales) {
  std::vector<std::uint32_t> d;
  for (const std::uint8_t scale : scales) d.push_back(std::uint32_t{scale} << 23);
  return d;
}

void add_matrix(pack_contents& pack, matrix_shape s, const digit_plane& plane) {
  const std::string size = fmt::format("{}x{}", s.rows, s.columns);
  const std::string tag = size + "." + plane.name;
  const std::vector<std::uint8_t> scales = scales_of(s, plane);
  const std::vector<std::uint8_t> ones(s.rows * s.columns * block, one);
  const std::vector<std::uint8_t> of_b(s.columns * s.columns, scale_of_1);
  const mx::format& e = mx::formats::e2m1;
  const std::uint64_t k = s.columns * block;
  pack_file file{tag, tag, {}, {{"format", "mxfp4"}, {"packing", "packed"}}};
  file.arrays = {code_array("a.codes", e, s.rows, k, ones),
                 {"a.scales", io::dtype::u8, {s.rows, s.columns}, scales},
                 code_array("b.codes", e, s.columns, k, one_hot(s)),
                 {"b.scales", io::dtype::u8, {s.columns, s.columns}, of_b},
                 word_array("d", io::dtype::f32, {s.rows, s.columns}, product(scales))};
  for (std::uint64_t r = 0; r < s.rows; ++r) {
    pack.rows[tag].push_back(fmt::format(
        "row {}: block c has the scale byte 1 + ({} + c) / {} mod {}; D[{}, c] is 2^(byte - 127)",
        r, r * s.columns, plane.divisor, digits, r));
  }
  pack.memories.push_back(
      {tag + ".scales", tag, "scale codes of A, row by row", 8, s.columns, widened(scales)});
  for (const mx::scale_layout_entry& layout : mx::scale_layout_table) {
    const std::vector<std::uint8_t> bytes = arranged(layout.value, s, scales);
    const std::string name(layout.name);
    file.arrays.push_back({"a.scales." + name, io::dtype::u8, {bytes.size()}, bytes});
    pack.memories.push_back({tag + ".scales." + name, "", "scale codes of A in the layout " + name,
                             8, 1, widened(bytes)});
  }
  pack.files.push_back(std::move(file));
}

}  // namespace

pack_contents layout_pack() {
  pack_contents pack;
  for (const matrix_shape s : shapes) {
    for (const digit_plane& plane : planes) add_matrix(pack, s, plane);
  }
  std::vector<std::string>& padding = pack.notes["padding"];
  for (const mx::scale_layout_entry& layout : mx::scale_layout_table) {
    if (layout.padding != mx::layout_padding::unspecified) continue;
    padding.push_back(fmt::format("{}: bytes that hold no scale are 0 here, and anything elsewhere",
                                  layout.name));
  }
  pack.notes["planes"] = {
      "the place of a scale is (high byte - 1) * 250 + low byte - 1, counted row by row"};
  return pack;
}

}  // namespace golden::packs
