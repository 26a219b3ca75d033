// SPDX-License-Identifier: Apache-2.0
// golden/io/own_notes.cpp: interprets the metadata that `mxprism quantize` writes for codes and
// scales.
#include "golden/io/own_notes.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace golden::io {
namespace {

using nlohmann::json;
using extents = std::vector<std::uint64_t>;

struct format_row {
  std::string_view format;
  unsigned bits;
  std::uint64_t block;
};

constexpr std::array format_table{
    format_row{"mxfp4", 4, 32},      format_row{"nvfp4", 4, 16},
    format_row{"mxfp6-e2m3", 6, 32}, format_row{"mxfp6-e3m2", 6, 32},
    format_row{"mxfp8-e4m3", 8, 32}, format_row{"mxfp8-e5m2", 8, 32},
    format_row{"mxint8", 8, 32},
};

struct order_row {
  std::string_view packing;
  code_order order;
};

constexpr std::array order_table{
    order_row{"packed", code_order::low_first},
    order_row{"high-first", code_order::high_first},
    order_row{"split-half", code_order::split_half},
    order_row{"unpacked", code_order::one_a_byte},
};

[[noreturn]] void refuse(const tensor_file& file, const std::string& key, const std::string& found,
                         const std::string& expected) {
  throw file_error(file.path(),
                   "its metadata `" + key + "` is " + printable(found) + "; expected " + expected);
}

std::string note(const tensor_file& file, const std::string& key, const std::string& otherwise) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? otherwise : found->second;
}

const format_row& format_of(const tensor_file& file) {
  const std::string name = note(file, "format", "mxfp4");
  for (const format_row& row : format_table) {
    if (row.format == name) return row;
  }
  std::string names;
  for (const format_row& row : format_table) names += " " + std::string(row.format);
  refuse(file, "format", name, "one of" + names);
}

code_order order_of(const tensor_file& file, unsigned bits) {
  const std::string packing = note(file, "packing", "packed");
  for (const order_row& row : order_table) {
    if (row.packing == packing) return bits == 4 ? row.order : code_order::one_a_byte;
  }
  refuse(file, "packing", packing, "packed, high-first, split-half or unpacked");
}

extents shape_of(const tensor_file& file, const std::string& key, const tensor& scales) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end()) return {};
  const json parsed = json::parse(found->second, nullptr, false);
  const bool whole = parsed.is_array() && std::all_of(parsed.begin(), parsed.end(), [](auto& n) {
                       return n.is_number_unsigned();
                     });
  if (!whole || parsed.size() != scales.shape.size()) {
    refuse(file, key, found->second,
           "as many extents as the " + std::to_string(scales.shape.size()) + " of its scales");
  }
  return parsed.get<extents>();
}

std::size_t axis_of(const tensor_file& file, const std::string& key, std::size_t axes) {
  const std::string text = note(file, key, std::to_string(axes - 1));
  const json parsed = json::parse(text, nullptr, false);
  if (parsed.is_number_unsigned() && parsed.get<std::uint64_t>() < axes) {
    return parsed.get<std::size_t>();
  }
  refuse(file, key, text, "one of " + std::to_string(axes) + " axes");
}

void expect_shape(const tensor& t, extents shape, std::size_t axis, std::uint64_t length) {
  shape[axis] = length;
  if (t.shape == shape) return;
  throw file_error(
      t.source, t.name,
      "has the shape " + shape_text(t.shape) + "; its metadata need " + shape_text(shape));
}

/// The properties stored once a file rather than once a tensor.
void place_format(const tensor_file& file, coded_view& view) {
  const format_row& format = format_of(file);
  const std::string layout = note(file, "layout", "linear");
  if (layout != "linear") refuse(file, "layout", layout, "linear");
  const std::string expected = std::to_string(format.block);
  const std::string block = note(file, "block", expected);
  if (block != expected) refuse(file, "block", block, expected);
  view.format = format.format;
  view.block = format.block;
  view.order = order_of(file, format.bits);
}

}  // namespace

void place_by_notes(const tensor_file& file, const std::string& prefix, const tensor& codes,
                    const tensor& scales, coded_view& view) {
  if (scales.shape.empty()) {
    throw file_error(file.path(), scales.name, "has no axis; expected one scale a block");
  }
  place_format(file, view);
  view.axis = axis_of(file, prefix + "axis", scales.shape.size());
  const std::uint64_t padded = scales.shape[view.axis] * view.block;
  view.shape = shape_of(file, prefix + "shape", scales);
  if (view.shape.empty()) {
    view.shape = scales.shape;
    view.shape[view.axis] = padded;
  }
  const std::uint64_t length = view.shape[view.axis];
  expect_shape(scales, view.shape, view.axis, length / view.block + (length % view.block != 0));
  expect_shape(codes, view.shape, view.axis,
               view.order == code_order::one_a_byte ? padded : padded / 2);
}

}  // namespace golden::io
