// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/block.cpp: block formats as words, parsed and printed:
// ELEMENT:SCALE:BLOCK[:TENSOR] or a name.
#include "mx/block/names.h"
#include "spelling/parts.h"
#include "spelling/words.h"

namespace mx::spelling {
namespace {

void read_scale(std::string_view text, block_format& f) {
  for (const scale_name& entry : scale_format_table) {
    if (entry.name != text) continue;
    f.scale = entry.value;
    f.precision = entry.precision;
    return;
  }
  if (wide_format_spelled(text) == formats::binary32) {
    f.scale = formats::binary32;
    return;
  }
  std::string_view rest = text;
  int k = 0;
  if (!take(rest, "e8m") || !take_number(rest, k) || !rest.empty() || k < 0 || k > 16) {
    refuse(text, "a scale format: e8m0 to e8m16, ue4m3, ue5m3, fp32 or exact");
  }
  f.scale = formats::e8m(k);
}

void read_block(std::string_view text, block_format& f) {
  constexpr std::string_view expected = "a block such as 32, 1x32 or 16x16";
  const auto sides = split(text, 'x');
  if (sides.size() > 2) refuse(text, expected);
  f.columns = number_in<int>(sides.back(), text, expected);
  f.rows = sides.size() == 2 ? number_in<int>(sides.front(), text, expected) : 1;
}

void read_tensor(std::string_view text, block_format& f) {
  std::string_view rest = text;
  if (take(rest, "tensor")) {
    f.tensor = tensor_scaling::per_tensor;
  } else if (take(rest, "row")) {
    f.tensor = tensor_scaling::per_row;
  }
  if (f.has_tensor_scale() && rest == "256") f.bound = tensor_bound::of_256;
  if (!f.has_tensor_scale() || !(rest.empty() || rest == "256")) {
    refuse(text, "tensor, row, tensor256 or row256");
  }
}

}  // namespace

block_format block_format_spelled(std::string_view text) {
  for (const auto& entry : block_format_table) {
    if (entry.name == text) return entry.value;
  }
  const auto parts = split(text, ':');
  if (parts.size() == 1) throw_unknown("format", text, names_of_table(block_format_table));
  if (parts.size() < 3 || parts.size() > 4) {
    refuse(text, "ELEMENT:SCALE:BLOCK or ELEMENT:SCALE:BLOCK:TENSOR, such as e2m1:ue4m3:16:tensor");
  }
  block_format f;
  f.element = element_spelled(parts[0]);
  read_scale(parts[1], f);
  read_block(parts[2], f);
  if (parts.size() == 4) read_tensor(parts[3], f);
  return f;
}

}  // namespace mx::spelling

namespace mx {
namespace {

std::string block_spelling(const block_format& f) {
  return (f.rows > 1 ? std::to_string(f.rows) + "x" : "") + std::to_string(f.columns);
}

std::string scale_spelling(const block_format& f) {
  for (const scale_name& entry : scale_format_table) {
    if (entry.value == f.scale && entry.precision == f.precision) return std::string(entry.name);
  }
  return "e8m" + std::to_string(f.scale.fraction_bits);
}

std::string tensor_spelling(const block_format& f) {
  if (!f.has_tensor_scale()) return {};
  const std::string word = f.tensor == tensor_scaling::per_tensor ? ":tensor" : ":row";
  return word + (f.bound == tensor_bound::of_256 ? "256" : "");
}

}  // namespace

std::string spelling_of(const block_format& f) {
  const std::string_view known = name_in(block_format_table, f);
  if (!known.empty()) return std::string(known);
  return spelling_of(f.element) + ":" + scale_spelling(f) + ":" + block_spelling(f) +
         tensor_spelling(f);
}

}  // namespace mx
