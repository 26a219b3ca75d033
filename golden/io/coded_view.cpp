// SPDX-License-Identifier: Apache-2.0
// golden/io/coded_view.cpp: codes and scales of quantized model files under any naming convention.
#include "golden/io/coded_view.h"

#include <algorithm>
#include <array>
#include <optional>

namespace golden::io {
namespace {

/// Whether the codes have a separate axis for the bytes of a block.
enum class code_axes : unsigned char { of_rows, of_blocks };

struct name_row {
  io::convention convention;
  std::string_view codes, scales, tensor_scale;  // suffixes after X
  std::string_view values;
  tensor_scale_use use;
  code_axes axes;
};

constexpr std::array name_table{
    name_row{convention::own, "codes", "scales", "tensor_scale", "", tensor_scale_use::multiplies,
             code_axes::of_rows},
    name_row{convention::gpt_oss, "_blocks", "_scales", "", "", tensor_scale_use::none,
             code_axes::of_blocks},
    name_row{convention::gpt_oss, ".blocks", ".scales", "", "", tensor_scale_use::none,
             code_axes::of_blocks},
    name_row{convention::compressed_tensors, "weight_packed", "weight_scale", "weight_global_scale",
             "weight", tensor_scale_use::divides, code_axes::of_rows},
    name_row{convention::modelopt, "weight", "weight_scale", "weight_scale_2", "weight",
             tensor_scale_use::multiplies, code_axes::of_rows},
};

///   order  of codes along the axis, outside the blocks of GGUF
struct format_row {
  std::string_view name;
  std::uint64_t block;
  code_order order;
};
constexpr format_row mxfp4{"mxfp4", 32, code_order::low_first};
constexpr format_row nvfp4{"nvfp4", 16, code_order::low_first};
constexpr format_row mxfp8_e4m3{"mxfp8-e4m3", 32, code_order::one_a_byte};
constexpr format_row mxfp8_e5m2{"mxfp8-e5m2", 32, code_order::one_a_byte};

/// The format of codes and scales of these types; null for others.
const format_row* format_of(dtype codes, dtype scales) {
  const bool four_bits = codes == dtype::u8 || codes == dtype::f4;
  if (four_bits && scales == dtype::f8_e4m3) return &nvfp4;
  if (scales != dtype::u8 && scales != dtype::f8_e8m0) return nullptr;
  if (four_bits) return &mxfp4;
  if (codes == dtype::f8_e4m3) return &mxfp8_e4m3;
  return codes == dtype::f8_e5m2 ? &mxfp8_e5m2 : nullptr;
}

struct block_row {
  dtype type;
  format_row format;
  std::uint64_t scales, codes;  // bytes of each kind in a block
};

constexpr std::array block_table{
    block_row{dtype::mxfp4_blocks, mxfp4, 1, 16},
    block_row{dtype::nvfp4_blocks, nvfp4, 4, 32},
};

/// The prefix before the suffix for codes of a name; nothing if the name has no such suffix.
std::optional<std::string> prefix_of(const std::string& name, std::string_view part) {
  if (!name.ends_with(part)) return {};
  const std::string prefix = name.substr(0, name.size() - part.size());
  const bool joined = part.front() == '_' || part.front() == '.';
  if (joined ? prefix.empty() : !prefix.empty() && !prefix.ends_with('.')) return {};
  return prefix;
}

std::string name_of_values(const std::string& prefix, const name_row& row) {
  if (row.convention != convention::own) return prefix + std::string(row.values);
  return prefix.empty() ? "x" : prefix.substr(0, prefix.size() - 1);
}

/// The tensor scales: F32, one for all or one for each matrix of the last two axes.
void take_tensor_scales(const tensor& t, tensor_scale_use use, coded_view& view) {
  std::vector<std::uint64_t> matrices = view.shape;
  matrices.resize(matrices.size() < 2 ? 0 : matrices.size() - 2);
  const auto count = element_count(t.shape);
  if (t.type != dtype::f32 || (count != 1 && count != element_count(matrices))) {
    throw file_error(t.source, t.name,
                     "is " + std::string(name_of(t.type)) + " of shape " + shape_text(t.shape) +
                         "; expected one number of F32, or one for each matrix");
  }
  view.use = use;
  view.tensor_scales = t.bytes;
  view.arrays.push_back(t.name);
}

void place_tensor_scale(const tensor_file& file, const std::string& prefix, const name_row& row,
                        coded_view& view) {
  if (row.tensor_scale.empty()) return;
  const std::string name = prefix + std::string(row.tensor_scale);
  const bool expected = view.format == nvfp4.name;
  const tensor* found = expected ? &file.at(name) : file.find(name);
  if (found == nullptr) return;
  if (!expected) {
    throw file_error(file.path(), name,
                     "is unexpected: " + view.format + " has no tensor scale; leave it out");
  }
  take_tensor_scales(*found, row.use, view);
}

void expect_shape(const tensor& t, const std::vector<std::uint64_t>& shape, const tensor& scales) {
  if (t.shape == shape) return;
  throw file_error(t.source, t.name,
                   "has the shape " + shape_text(t.shape) + "; " + printable(scales.name) +
                       " of shape " + shape_text(scales.shape) + " needs " + shape_text(shape));
}

/// Shape of the values computed from that of the scales: whole blocks along the last axis.
std::vector<std::uint64_t> values_under(const tensor& scales, std::uint64_t block) {
  std::vector<std::uint64_t> shape = scales.shape;
  if (shape.empty() || __builtin_mul_overflow(shape.back(), block, &shape.back())) {
    throw file_error(scales.source, scales.name,
                     "has the shape " + shape_text(scales.shape) + "; expected one scale a block");
  }
  return shape;
}

void place_by_shapes(const tensor& codes, const tensor& scales, code_axes axes, coded_view& view) {
  view.shape = values_under(scales, view.block);
  view.axis = view.shape.size() - 1;
  const std::uint64_t packed = codes.type == dtype::u8 ? 2 : 1;
  std::vector<std::uint64_t> expected = view.shape;
  expected.back() /= packed;
  if (axes == code_axes::of_blocks) {
    expected = scales.shape;
    expected.push_back(view.block / packed);
  }
  expect_shape(codes, expected, scales);
}

std::optional<coded_view> named_view(const tensor_file& file, const tensor& codes,
                                     const name_row& row) {
  const auto prefix = prefix_of(codes.name, row.codes);
  if (!prefix) return {};
  const tensor* scales = file.find(*prefix + std::string(row.scales));
  if (scales == nullptr) return {};
  const format_row* format = format_of(codes.type, scales->type);
  if (format == nullptr) return {};
  // Their format is in metadata, and the command's to read.
  if (row.convention == convention::own && codes.type == dtype::u8) return {};
  coded_view view;
  view.name = name_of_values(*prefix, row);
  view.convention = row.convention;
  view.format = format->name;
  view.block = format->block;
  view.order = format->order;
  view.codes = byte_runs::of(codes.bytes);
  view.scales = byte_runs::of(scales->bytes);
  view.arrays = {codes.name, scales->name};
  place_by_shapes(codes, *scales, row.axes, view);
  place_tensor_scale(file, *prefix, row, view);
  return view;
}

std::optional<coded_view> block_view(const tensor_file& file, const tensor& t,
                                     const block_row& row) {
  if (t.type != row.type) return {};
  const std::uint64_t bytes = row.scales + row.codes;
  coded_view view;
  view.name = t.name;
  view.convention = convention::gguf;
  view.format = row.format.name;
  view.shape = t.shape;
  view.axis = t.shape.size() - 1;
  view.block = row.format.block;
  view.order = code_order::split_half;
  view.codes = byte_runs::of(t.bytes, bytes, row.scales, row.codes);
  view.scales = byte_runs::of(t.bytes, bytes, 0, row.scales);
  view.arrays = {t.name};
  if (row.type == dtype::nvfp4_blocks && t.name.ends_with(".weight")) {
    const std::string beside = t.name.substr(0, t.name.size() - 6) + "scale";
    if (const tensor* scale = file.find(beside)) {
      take_tensor_scales(*scale, tensor_scale_use::multiplies, view);
    }
  }
  return view;
}

std::optional<coded_view> view_of(const tensor_file& file, const tensor& t) {
  for (const block_row& row : block_table) {
    if (auto view = block_view(file, t, row)) return view;
  }
  for (const name_row& row : name_table) {
    if (auto view = named_view(file, t, row)) return view;
  }
  return {};
}

}  // namespace

std::string_view name_of(convention which) {
  constexpr std::array<std::string_view, 5> names{"own", "gpt-oss", "compressed-tensors",
                                                  "modelopt", "gguf"};
  return names[static_cast<std::size_t>(which)];
}

std::vector<coded_view> coded_views(const tensor_file& file) {
  std::vector<coded_view> views;
  for (const tensor& t : file.tensors()) {
    if (auto view = view_of(file, t)) views.push_back(std::move(*view));
  }
  return views;
}

}  // namespace golden::io
