// SPDX-License-Identifier: Apache-2.0
// golden/io/own_convention.cpp: converts foreign names of codes to those of `mxprism quantize`.
#include "golden/io/own_convention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <set>

namespace golden::io {
namespace {

/// Owner of the new file's bytes: the original file, and bytes that had to be gathered.
struct owned_bytes {
  tensor_file original;
  std::deque<std::vector<std::uint8_t>> copies;

  byte_view keep(std::vector<std::uint8_t> bytes) {
    copies.push_back(std::move(bytes));
    return copies.back();
  }
};

bool is_own(const tensor& t) {
  return t.type == dtype::u8 && (t.name == "codes" || t.name.ends_with(".codes"));
}

std::string_view packing_of(code_order order) {
  constexpr std::array<std::string_view, 4> names{"packed", "high-first", "split-half", "unpacked"};
  return names[static_cast<std::size_t>(order)];
}

byte_view shown(const byte_runs& runs, owned_bytes& owner) {
  if (runs.is_contiguous()) return runs.view();
  std::vector<std::uint8_t> bytes(runs.size);
  runs.copy(0, runs.size, bytes.data());
  return owner.keep(std::move(bytes));
}

float tensor_scale_of(const coded_view& view, const std::string& path) {
  if (view.use == tensor_scale_use::none) return 1;
  float scale = 0;
  if (view.tensor_scales.size() != sizeof scale) {
    throw file_error(path, view.name,
                     "has " + std::to_string(view.tensor_scales.size() / sizeof scale) +
                         " tensor scales, one for each matrix; expected one for all: split it");
  }
  std::memcpy(&scale, view.tensor_scales.data(), sizeof scale);
  if (view.use == tensor_scale_use::multiplies) return scale;
  if (!std::isfinite(scale) || scale <= 0) {
    throw file_error(path, view.arrays.back(),
                     "is " + std::to_string(scale) +
                         "; expected a finite positive number that the scales are divided by");
  }
  return 1 / scale;
}

void add(const coded_view& view, const std::string& path, owned_bytes& owner, tensor_list& list) {
  const auto add_array = [&](const char* what, dtype type, std::vector<std::uint64_t> shape,
                             byte_view bytes) {
    list.tensors.push_back({view.name + "." + what, type, std::move(shape), bytes, path});
  };
  std::vector<std::uint64_t> codes = view.shape, scales = view.shape;
  codes.back() /= view.order == code_order::one_a_byte ? 1 : 2;
  scales.back() /= view.block;
  add_array("codes", dtype::u8, codes, shown(view.codes, owner));
  add_array("scales", dtype::u8, scales, shown(view.scales, owner));
  if (view.format == "nvfp4") {
    const float scale = tensor_scale_of(view, path);
    std::vector<std::uint8_t> bytes(sizeof scale);
    std::memcpy(bytes.data(), &scale, sizeof scale);
    add_array("tensor_scale", dtype::f32, {1}, owner.keep(std::move(bytes)));
  }
  list.metadata[view.name + ".shape"] = shape_text(view.shape);
  list.metadata[view.name + ".axis"] = std::to_string(view.axis);
}

void expect_like(const coded_view& first, const coded_view& view, const std::string& path) {
  if (view.format == first.format && view.order == first.order) return;
  throw file_error(path, view.name,
                   "is " + view.format + ", " + std::string(packing_of(view.order)) + ", and " +
                       printable(first.name) + " is " + first.format + ", " +
                       std::string(packing_of(first.order)) +
                       "; expected one format in a file: split it");
}

std::vector<std::string> others(const tensor_file& file, const std::vector<coded_view>& views) {
  std::set<std::string> used;
  for (const coded_view& view : views) used.insert(view.arrays.begin(), view.arrays.end());
  std::vector<std::string> names;
  for (const tensor& t : file.tensors()) {
    if (!used.contains(t.name)) names.push_back(t.name);
  }
  for (const foreign_tensor& t : file.foreign()) names.push_back(t.name);
  return names;
}

}  // namespace

rewritten_file in_own_convention(const tensor_file& file) {
  const bool own = std::any_of(file.tensors().begin(), file.tensors().end(), is_own);
  const std::vector<coded_view> views = own ? std::vector<coded_view>{} : coded_views(file);
  if (views.empty()) return {file, {}};
  const auto owner = std::make_shared<owned_bytes>(owned_bytes{file, {}});
  tensor_list list;
  list.metadata = {{"format", views.front().format},
                   {"packing", std::string(packing_of(views.front().order))},
                   {"layout", "linear"},
                   {"block", std::to_string(views.front().block)}};
  for (const coded_view& view : views) {
    expect_like(views.front(), view, file.path());
    add(view, file.path(), *owner, list);
  }
  return {tensor_file(file.path(), owner, std::move(list)), others(file, views)};
}

}  // namespace golden::io
