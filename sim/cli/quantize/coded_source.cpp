// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/coded_source.cpp: finds the arrays of every tensor in a file, and checks that
// they fit.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "sim/cli/quantize/decoded_tensor.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/json_text.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
using extents = std::vector<std::uint64_t>;

/// Reads "[2, 32]".
extents parsed_shape(const io::tensor_file& file, const std::string& key, const std::string& text) {
  const ordered_json parsed = ordered_json::parse(text, nullptr, false);
  const bool whole = parsed.is_array() &&
                     std::all_of(parsed.begin(), parsed.end(),
                                 [](const ordered_json& n) { return n.is_number_unsigned(); });
  if (!whole) {
    refuse_file(file, "its metadata `{}` is {}; expected a shape such as [2, 32]", key,
                io::printable(text));
  }
  return parsed.get<extents>();
}

int axis_of(const io::tensor_file& file, const std::string& key, int axes,
            std::optional<int> requested) {
  const std::string* text = note(file, key);
  std::int64_t axis = requested.value_or(-1);
  if (!requested && text != nullptr) {
    const ordered_json parsed = ordered_json::parse(*text, nullptr, false);
    const bool huge = parsed.is_number_unsigned() && parsed.get<std::uint64_t>() >> 63 != 0;
    axis = parsed.is_number_integer() && !huge ? parsed.get<std::int64_t>() : axes;
  }
  if (axis >= -axes && axis < axes) return static_cast<int>(axis < 0 ? axis + axes : axis);
  if (requested) refuse_file(file, "has {} axes; --axis {} is out of range", axes, *requested);
  refuse_file(file, "its metadata `{}` is {}; expected one of the {} axes", key,
              io::printable(*text), axes);
}

void expect_type(const io::tensor& t, io::dtype type) {
  if (t.type == type) return;
  refuse_tensor(t, "is {}; expected {}", io::name_of(t.type), io::name_of(type));
}

void expect_shape(const io::tensor& t, const extents& shape, const coded_source& s) {
  if (t.shape == shape) return;
  refuse_tensor(t, "has the shape {}; values {} with blocks along axis {} need {}",
                io::shape_text(t.shape), io::shape_text(s.shape.values.extents),
                s.shape.values.axis, io::shape_text(shape));
}

/// Values along the axis whose codes have a length there: whole blocks.
std::uint64_t length_of_codes(const mx::recipe& r, std::uint64_t length) {
  const auto columns = static_cast<std::uint64_t>(r.format().columns);
  const std::uint64_t values =
      r.has_pairs() ? 2 * length : (r.is_dense() ? length * 4 / 3 : length);
  return values / columns * columns;
}

/// The shapes of values whose codes and scales have those of a file, under every order of codes
/// that the file may have. Codes keep all extents but that of the axis.
std::vector<extents> shapes_by_codes(const coded_source& s, packing_source packing) {
  std::vector<extents> shapes;
  std::vector<mx::code_order> orders{s.recipe.codes};
  if (packing == packing_source::shapes) orders = mx::orders_by_size(s.recipe);
  mx::recipe stored = s.recipe;
  for (const mx::code_order& order : orders) {
    stored.codes = order;
    mx::tensor_axes t{s.first.codes->shape, s.first.codes->shape.size() - 1};
    t.extents[t.axis] = length_of_codes(stored, t.extents[t.axis]);
    if (mx::storage_refusal_of(stored, t) != mx::tensor_refusal::none) continue;
    const mx::coded_shape shape = mx::coded_shape_of(stored, t);
    const bool fits = shape.codes.extents == s.first.codes->shape &&
                      shape.scales.extents == s.first.scales->shape;
    if (fits && std::ranges::count(shapes, t.extents) == 0) shapes.push_back(t.extents);
  }
  return shapes;
}

/// The shape of the values by their codes, for layouts and tiles, which need the last axis.
extents values_by_codes(const io::tensor_file& file, const coded_source& s,
                        packing_source packing) {
  const io::tensor &codes = *s.first.codes, &scales = *s.first.scales;
  if (codes.shape.empty()) throw io::file_error(file.path(), codes.name, "has no axis");
  const std::vector<extents> shapes = shapes_by_codes(s, packing);
  if (shapes.size() == 1) return shapes.front();
  const std::string both = fmt::format("codes {} and scales {}", io::shape_text(codes.shape),
                                       io::shape_text(scales.shape));
  if (shapes.empty()) {
    refuse_file(file,
                "its {} are of no tensor in {}, layout {}; --format, --layout and --packing say "
                "what they are",
                both, mx::format_word(s.recipe), *mx::words_of(s.recipe).layout);
  }
  refuse_file(file, "its {} are of values {} or {}; --packing says which", both,
              io::shape_text(shapes[0]), io::shape_text(shapes[1]));
}

/// The shape of the values if the metadata have none: whole blocks, one for every linear scale.
extents values_of(const io::tensor_file& file, const coded_source& s, std::optional<int> requested,
                  packing_source packing) {
  const io::tensor& scales = *s.first.scales;
  const mx::block_format& f = s.recipe.format();
  if (s.recipe.layout != mx::scale_layout::linear || f.rows > 1) {
    return values_by_codes(file, s, packing);
  }
  if (scales.shape.empty()) {
    throw io::file_error(file.path(), scales.name, "has no axis; expected one scale a block");
  }
  const int axes = static_cast<int>(scales.shape.size());
  const auto axis = static_cast<std::size_t>(axis_of(file, s.prefix + "axis", axes, requested));
  extents values = scales.shape;
  values[axis] *= static_cast<std::uint64_t>(f.columns);
  return values;
}

mx::tensor_axes placed(const io::tensor_file& file, std::optional<int> requested,
                       const coded_source& s) {
  const int axes = std::max(1, static_cast<int>(s.values.size()));
  const int axis = axis_of(file, s.prefix + "axis", axes, requested);
  const io::tensor described{s.name, io::dtype::f32, s.values, {}, file.path()};
  mx::tensor_axes t = axes_of(described, axis, s.recipe);
  expect_storable(described, t, s.recipe);
  return t;
}

/// Shapes decide how codes are stored if nothing specifies it.
mx::code_order order_in(const coded_source& s, const mx::tensor_axes& t) {
  const extents& codes = s.first.codes->shape;
  if (codes.size() <= t.axis) return s.recipe.codes;
  mx::recipe stored = s.recipe;
  for (const mx::code_order& order : mx::orders_by_size(s.recipe)) {
    stored.codes = order;
    if (mx::coded_shape_of(stored, t).codes.extents[t.axis] == codes[t.axis]) return order;
  }
  return s.recipe.codes;
}

void expect_arrays(const stored_pass& a, const coded_source& s) {
  expect_type(*a.codes, io::dtype::u8);
  expect_type(*a.scales, scale_type(s.recipe.format()));
  expect_shape(*a.scales, s.shape.scales.extents, s);
  expect_shape(*a.codes, s.shape.codes.extents, s);
  if (a.macro_fractions == nullptr) return;
  const bool narrow = s.shape.macro_fractions.bytes_a_number == 1;
  expect_type(*a.macro_fractions, narrow ? io::dtype::u8 : io::dtype::u16);
  expect_shape(*a.macro_fractions, s.shape.macro_fractions.extents, s);
}

/// Looks arrays up, and records which of the file were needed.
class array_finder {
 public:
  explicit array_finder(const io::tensor_file& file) : file_(file) {}

  const io::tensor& at(const std::string& name) {
    used_.insert(name);
    return file_.at(name);
  }
  const io::tensor* find(const std::string& name) {
    used_.insert(name);
    return file_.find(name);
  }
  stored_pass pass(const std::string& prefix, const mx::corrections& c) {
    stored_pass a{&at(prefix + "codes"), &at(prefix + "scales"), nullptr};
    if (c.macro_block > 0) a.macro_fractions = &at(prefix + "macro_fractions");
    return a;
  }
  void expect_all_used() const {
    for (const io::tensor& t : file_.tensors()) {
      if (used_.contains(t.name)) continue;
      throw io::file_error(
          file_.path(), t.name,
          "does not belong to codes and scales of the file's format; expected what `mxprism "
          "quantize` writes: `codes` and `scales`, or NAME.codes and NAME.scales");
    }
  }

 private:
  const io::tensor_file& file_;
  std::set<std::string> used_;
};

/// Under a format without a tensor scale, one of 1 is read as none: a checkpoint that stores none
/// is shown with it (golden/io/own_convention.h). Any other would be lost.
void expect_ones(const io::tensor_file& file, const io::tensor& t, const coded_source& s) {
  expect_type(t, io::dtype::f32);
  for (std::size_t at = 0; at < t.bytes.size(); at += sizeof(float)) {
    float scale = 0;
    std::memcpy(&scale, t.bytes.data() + at, sizeof scale);
    if (scale == 1) continue;
    throw io::file_error(
        file.path(), s.name,
        fmt::format("has the tensor scale {} beside its codes, and {} has none; --format nvfp4 "
                    "without --variant multiplies by it",
                    scale, mx::format_word(s.recipe)));
  }
}

void find_tensor_scales(const io::tensor_file& file, coded_source& s, array_finder& arrays) {
  const std::string scale = s.prefix + "tensor_scale";
  if (!s.recipe.format().has_tensor_scale()) {
    if (const io::tensor* stored = arrays.find(scale)) expect_ones(file, *stored, s);
    return;
  }
  s.tensor_scale = s.recipe.has_preset() ? arrays.find(scale) : &arrays.at(scale);
  if (s.recipe.has_preset()) s.tensor_amax = &arrays.at(s.prefix + "tensor_amax");
  for (const io::tensor* t : {s.tensor_scale, s.tensor_amax}) {
    if (t == nullptr) continue;
    expect_type(*t, io::dtype::f32);
    expect_shape(*t, s.shape.tensor_scales.extents, s);
  }
}

coded_source source_of(const io::tensor_file& file, const file_recipe& how,
                       const std::string& prefix, std::optional<int> requested,
                       array_finder& arrays) {
  const mx::corrections& c = how.recipe.corrections;
  coded_source s;
  s.recipe = how.recipe;
  s.prefix = prefix;
  s.name = prefix.empty() ? "x" : prefix.substr(0, prefix.size() - 1);
  s.first = arrays.pass(prefix, c);
  if (c.has_residual()) s.residual = arrays.pass(prefix + "residual.", c);
  const std::string* text = note(file, prefix + "shape");
  s.values = text != nullptr ? parsed_shape(file, prefix + "shape", *text)
                             : values_of(file, s, requested, how.packing);
  const mx::tensor_axes t = placed(file, requested, s);
  if (how.packing == packing_source::shapes) s.recipe.codes = order_in(s, t);
  s.shape = mx::coded_shape_of(s.recipe, t);
  expect_arrays(s.first, s);
  if (c.has_residual()) expect_arrays(s.residual, s);
  find_tensor_scales(file, s, arrays);
  return s;
}

bool ends_with_codes(const std::string& name) {
  return name == "codes" || name.ends_with(".codes");
}

}  // namespace

std::vector<coded_source> sources_of(const io::tensor_file& file, const file_recipe& how,
                                     std::optional<int> axis) {
  array_finder arrays(file);
  std::vector<coded_source> sources;
  const bool residuals = how.recipe.corrections.has_residual();
  for (const io::tensor& t : file.tensors()) {
    if (!ends_with_codes(t.name)) continue;
    const std::string prefix = t.name.substr(0, t.name.size() - 5);
    const bool of_residual = residuals && (prefix == "residual." || prefix.ends_with(".residual."));
    const std::string parent = of_residual ? prefix.substr(0, prefix.size() - 9) : "";
    if (of_residual && file.find(parent + "codes") != nullptr) continue;
    sources.push_back(source_of(file, how, prefix, axis, arrays));
  }
  arrays.expect_all_used();
  return sources;
}

}  // namespace sim::cli
