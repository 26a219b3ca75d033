// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/coded_source.cpp: finds the arrays of every tensor in a file, and checks that
// they fit.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mx/bulk_corrected.h"
#include "sim/cli/quantize/decoded_tensor.h"
#include "sim/cli/rules/variant_choice.h"
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
    throw io::file_error(
        file.path(), fmt::format("its metadata `{}` is {}; expected a shape such as [2, 32]", key,
                                 io::printable(text)));
  }
  return parsed.get<extents>();
}

int axis_of(const io::tensor_file& file, const std::string& key, int axes,
            std::optional<int> asked) {
  const std::string* text = note(file, key);
  std::int64_t axis = asked.value_or(-1);
  if (!asked && text != nullptr) {
    const ordered_json parsed = ordered_json::parse(*text, nullptr, false);
    const bool huge = parsed.is_number_unsigned() && parsed.get<std::uint64_t>() >> 63 != 0;
    axis = parsed.is_number_integer() && !huge ? parsed.get<std::int64_t>() : axes;
  }
  if (axis >= -axes && axis < axes) return static_cast<int>(axis < 0 ? axis + axes : axis);
  if (asked) {
    throw io::file_error(file.path(), fmt::format("has {} axes, so no --axis {}", axes, *asked));
  }
  throw io::file_error(file.path(),
                       fmt::format("its metadata `{}` is {}; expected one of the {} axes", key,
                                   io::printable(*text), axes));
}

void expect_type(const io::tensor& t, io::dtype type) {
  if (t.type == type) return;
  throw io::file_error(t.source, t.name,
                       fmt::format("is {}; expected {}", io::name_of(t.type), io::name_of(type)));
}

void expect_shape(const io::tensor& t, const extents& shape, const coded_source& s) {
  if (t.shape == shape) return;
  throw io::file_error(t.source, t.name,
                       fmt::format("has the shape {}; values {} with blocks along axis {} need {}",
                                   io::shape_text(t.shape), io::shape_text(s.t.values), s.t.axis,
                                   io::shape_text(shape)));
}

/// The shape of the values where nobody tells it: whole blocks, one for every linear scale.
extents values_of(const io::tensor_file& file, const coded_source& s, const coding& how,
                  std::optional<int> asked) {
  const io::tensor& scales = *s.first.scales;
  const mx::block_format& f = how.rules.format();
  if (how.how.layout != mx::scale_layout::linear || f.rows > 1) {
    throw io::file_error(file.path(),
                         fmt::format("its metadata has no `{}shape`, without which a layout other "
                                     "than linear, and tiles, cannot be read",
                                     s.prefix));
  }
  if (scales.shape.empty()) {
    throw io::file_error(file.path(), scales.name, "has no axis; expected one scale a block");
  }
  const int axes = static_cast<int>(scales.shape.size());
  const int axis = axis_of(file, s.prefix + "axis", axes, asked);
  return with_length(
      scales.shape, axis,
      scales.shape[static_cast<std::size_t>(axis)] * static_cast<std::uint64_t>(f.columns));
}

/// Bounds under which no product of the geometry overflows in a way that matters: shapes are compared
/// with those of the arrays, extent by extent. Without elements there is nothing to decode.
void expect_countable(const io::tensor_file& file, const extents& values) {
  constexpr std::uint64_t longest = std::uint64_t{1} << 48;
  const std::optional<std::uint64_t> count = io::element_count(values);
  const bool fits = count == 0 || std::all_of(values.begin(), values.end(),
                                              [](std::uint64_t n) { return n <= longest; });
  if (fits && count) return;
  throw io::file_error(file.path(), fmt::format("its values have the shape {}, too many to be held",
                                                io::shape_text(values)));
}

void place(const io::tensor_file& file, const coding& how, std::optional<int> asked,
           coded_source& s) {
  const std::string key = s.prefix + "shape";
  const std::string* text = note(file, key);
  const extents values =
      text != nullptr ? parsed_shape(file, key, *text) : values_of(file, s, how, asked);
  expect_countable(file, values);
  const int axes = std::max(1, static_cast<int>(values.size()));
  const int axis = axis_of(file, s.prefix + "axis", axes, asked);
  s.t = blocked({s.name, io::dtype::f32, values, {}, file.path()}, axis, how.rules.format());
  s.values = values;
  s.how = how.how;
}

/// The values' shape as codes have it; an axis of extents without elements may be of any length, and
/// only corrections bound it.
mx::blocked_shape padded_for(const chosen_rules& rules, mx::blocked_shape shape) {
  const mx::corrections& c = rules.spelled.corrections;
  if (!(c == mx::corrections{})) return mx::padded_shape(rules.quantizer(), c, shape);
  const mx::block_format& f = rules.format();
  shape.length = mx::sizes_of(f, shape, mx::code_packing::unpacked).code_bytes_along;
  return shape;
}

/// Shapes decide whether codes are packed where nobody tells it.
void settle_packing(const coding& how, std::uint64_t padded, coded_source& s) {
  if (how.packing_known || how.rules.format().element.width() != 4) return;
  const auto at = static_cast<std::size_t>(s.t.axis);
  const extents& codes = s.first.codes->shape;
  if (codes.size() > at && codes[at] == padded && padded > 1) {
    s.how.codes.packing = mx::code_packing::unpacked;
  }
}

void expect_arrays(const coding& how, const mx::blocked_shape& padded, const coded_arrays& a,
                   const coded_source& s) {
  const mx::block_format& f = how.rules.format();
  const mx::corrections& c = how.rules.spelled.corrections;
  const mx::blocked_sizes sizes = mx::sizes_of(f, padded, s.how.codes.packing);
  expect_type(*a.codes, io::dtype::u8);
  expect_type(*a.scales, scale_type(f));
  extents scales = scales_shape(s.t, f, sizes.blocks_along);
  if (s.how.layout != mx::scale_layout::linear) {
    const scale_matrices m = matrices_of(scales);
    scales.resize(scales.size() < 2 ? 0 : scales.size() - 2);
    scales.push_back(mx::size(s.how.layout, m.rows, m.columns));
  }
  expect_shape(*a.scales, scales, s);
  expect_shape(*a.codes, with_length(s.t.values, s.t.axis, sizes.code_bytes_along), s);
  if (a.macro_fractions == nullptr) return;
  expect_type(*a.macro_fractions, c.macro_bits <= 8 ? io::dtype::u8 : io::dtype::u16);
  expect_shape(*a.macro_fractions,
               with_length(s.t.values, s.t.axis, mx::macro_blocks_along(c, padded)), s);
}

/// Looks arrays up, and remembers which of the file were needed.
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
  coded_arrays pass(const std::string& prefix, const mx::corrections& c) {
    coded_arrays a{&at(prefix + "codes"), &at(prefix + "scales"), nullptr};
    if (c.macro_block > 0) a.macro_fractions = &at(prefix + "macro_fractions");
    return a;
  }
  void expect_all_used() const {
    for (const io::tensor& t : file_.tensors()) {
      if (used_.contains(t.name)) continue;
      throw io::file_error(file_.path(), t.name,
                           "does not belong to codes and scales of the file's format; expected "
                           "what `mxprism quantize` writes: `codes` and `scales`, or NAME.codes "
                           "and NAME.scales");
    }
  }

 private:
  const io::tensor_file& file_;
  std::set<std::string> used_;
};

coded_source source_of(const io::tensor_file& file, const coding& how, const std::string& prefix,
                       std::optional<int> asked, array_finder& arrays) {
  const chosen_rules& rules = how.rules;
  const mx::corrections& c = rules.spelled.corrections;
  coded_source s;
  s.prefix = prefix;
  s.name = prefix.empty() ? "x" : prefix.substr(0, prefix.size() - 1);
  s.first = arrays.pass(prefix, c);
  if (c.has_residual()) s.residual = arrays.pass(prefix + "residual.", c);
  place(file, how, asked, s);
  const mx::blocked_shape padded = padded_for(rules, s.t.shape);
  settle_packing(how, padded.length, s);
  expect_storable({s.name, io::dtype::f32, s.t.values, {}, file.path()}, s.t, rules, s.how);
  expect_arrays(how, padded, s.first, s);
  if (c.has_residual()) expect_arrays(how, padded, s.residual, s);
  if (rules.format().has_tensor_scale()) {
    const bool preset = rules.variant != nullptr;
    s.tensor_scale =
        preset ? arrays.find(prefix + "tensor_scale") : &arrays.at(prefix + "tensor_scale");
    if (preset) s.tensor_amax = &arrays.at(prefix + "tensor_amax");
    for (const io::tensor* t : {s.tensor_scale, s.tensor_amax}) {
      if (t == nullptr) continue;
      expect_type(*t, io::dtype::f32);
      expect_shape(*t, tensor_scales_shape(s.t, rules.format()), s);
    }
  }
  return s;
}

bool ends_with_codes(const std::string& name) {
  return name == "codes" || name.ends_with(".codes");
}

}  // namespace

std::vector<coded_source> sources_of(const io::tensor_file& file, const coding& how,
                                     std::optional<int> axis) {
  array_finder arrays(file);
  std::vector<coded_source> sources;
  const bool residuals = how.rules.spelled.corrections.has_residual();
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
