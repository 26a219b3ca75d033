// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/decode_pack.cpp: every scale code with every element code, and their decoded
// values.
#include <fmt/format.h>

#include "golden/vectors/packs/pack_bytes.h"
#include "golden/vectors/packs/quantized_rows.h"
#include "mx/block/names.h"

namespace golden::packs {
namespace {

/// All pairs of codes: rows of one block, and the FP32 patterns they decode to.
struct decoded_rows {
  std::vector<std::uint8_t> codes, scales;
  std::vector<std::uint32_t> values;
  std::vector<std::string> sentences;
};

void add_row(decoded_rows& rows, const mx::block_format& f, std::uint32_t scale,
             std::uint32_t first, const mx::unpacked& tensor) {
  const std::uint32_t elements = std::uint32_t{1} << f.element.width();
  const auto size = static_cast<std::uint32_t>(f.columns);
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t code = (first + i) % elements;
    rows.codes.push_back(static_cast<std::uint8_t>(code));
    rows.values.push_back(mx::bits_of(mx::dequantize_element(f, code, scale, tensor)));
  }
  rows.scales.push_back(static_cast<std::uint8_t>(scale));
  const std::uint32_t last = std::min(first + size, elements) - 1;
  rows.sentences.push_back(fmt::format(
      "scale code {:#04x} with the element codes {:#04x} to {:#04x}", scale, first, last));
}

decoded_rows rows_of(const mx::block_format& f, const mx::unpacked& tensor) {
  decoded_rows rows;
  const std::uint32_t elements = std::uint32_t{1} << f.element.width();
  for (std::uint32_t scale = 0; scale < std::uint32_t{1} << f.scale.width(); ++scale) {
    for (std::uint32_t first = 0; first < elements;
         first += static_cast<std::uint32_t>(f.columns)) {
      add_row(rows, f, scale, first, tensor);
    }
  }
  return rows;
}

void add_decoded(pack_contents& pack, const std::string& tag, const mx::block_format& f,
                 std::uint32_t tensor_bits) {
  const decoded_rows rows = rows_of(f, mx::unpack(mx::float_of(tensor_bits)));
  const std::uint64_t count = rows.scales.size(), along = static_cast<std::uint64_t>(f.columns);
  pack.rows[tag] = rows.sentences;
  pack_file coded{tag + ".coded", tag, {}, {}};
  coded.notes = {{"format", name_of(f)},
                 {"packing", "packed"},
                 {"layout", "linear"},
                 {"shape", io::shape_text({count, along})},
                 {"axis", "1"}};
  coded.arrays = {code_array("codes", f.element, count, along, rows.codes),
                  {"scales", io::dtype::u8, {count, 1}, rows.scales}};
  if (f.has_tensor_scale()) {
    coded.arrays.push_back(word_array("tensor_scale", io::dtype::f32, {1}, {tensor_bits}));
  }
  pack.files.push_back(std::move(coded));
  pack.files.push_back(
      {tag + ".values", tag, {word_array("x", io::dtype::f32, {count, along}, rows.values)}, {}});
  pack.memories.push_back({tag + ".codes", tag, "element codes to decode", f.element.width(), along,
                           widened(rows.codes)});
  pack.memories.push_back(
      {tag + ".scales", tag, "scale codes to decode", 8, 1, widened(rows.scales)});
  if (f.has_tensor_scale()) {
    pack.memories.push_back({tag + ".tensor_scale",
                             "",
                             "FP32 tensor scale that all numbers are multiplied by",
                             32,
                             1,
                             {tensor_bits}});
  }
  pack.memories.push_back(
      {tag + ".values", tag, "FP32 numbers that must come out", 32, along, rows.values});
}

}  // namespace

pack_contents decode_pack() {
  constexpr std::uint32_t one = 0x3F800000, a_fifth = 0x3E4CCCCD;
  pack_contents pack;
  for (const auto& named : mx::block_format_table) {
    const mx::block_format& f = named.value;
    if (f.rows > 1 || f.scale.width() > 8) continue;
    add_decoded(pack, name_of(f), f, one);
    if (f.has_tensor_scale()) add_decoded(pack, name_of(f) + ".fifth", f, a_fifth);
  }
  return pack;
}

}  // namespace golden::packs
