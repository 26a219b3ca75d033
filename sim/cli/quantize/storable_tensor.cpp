// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/storable_tensor.cpp: what can be quantized but not stored as asked, each with
// its remedy.
#include <fmt/format.h>

#include "sim/cli/quantize/coded_tensor.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

void expect_storable_scales(const mx::block_format& f, const std::string& name) {
  if (f.precision == mx::scale_precision::exact) {
    throw usage_error(fmt::format(
        "--format {}: an exact scale cannot be stored; `mxprism decompose` measures what it would "
        "change, and fp32 scales are the nearest that can",
        name));
  }
  if (f.rows > 1 && f.tensor == mx::tensor_scaling::per_row) {
    throw usage_error(fmt::format(
        "--format {}: a tile has several rows, so no row has a scale of its own; use `tensor`, or "
        "blocks of one row",
        name));
  }
}

void expect_even_halves(const mx::block_format& f, const storage& how) {
  if (!is_halved(f, how.codes) || how.codes.order != mx::nibble_order::split_half) return;
  if (f.columns % 2 == 0) return;
  throw usage_error(fmt::format(
      "--packing split-half: a block of {} has no halves; use packed or unpacked", f.columns));
}

void expect_arrangeable(const io::tensor& x, const blocked_tensor& t, const mx::block_format& f,
                        mx::scale_layout layout) {
  if (layout == mx::scale_layout::linear) return;
  const std::string_view name = mx::scale_layout_table[static_cast<std::size_t>(layout)].name;
  if (f.scale.width() > 8) {
    throw usage_error(fmt::format(
        "--layout {}: it arranges scales of one byte, and these have {} bits; use linear", name,
        f.scale.width()));
  }
  if (t.axis + 1 != static_cast<int>(t.values.size())) {
    throw io::file_error(
        x.source, x.name,
        fmt::format("--layout {} takes blocks along the last axis; transpose the tensor first, or "
                    "use linear",
                    name));
  }
  const auto columns = static_cast<std::uint64_t>(f.columns);
  const scale_matrices m =
      matrices_of(scales_shape(t, f, t.shape.length / columns + (t.shape.length % columns != 0)));
  if (!mx::has_size(layout, m.rows, m.columns)) {
    throw io::file_error(x.source, x.name, "has more scales than a layout can number");
  }
}

void expect_two_passes(const io::tensor& x, const blocked_tensor& t) {
  const int axes = static_cast<int>(x.shape.size());
  if (axes >= 2 && t.axis >= axes - 2) return;
  throw io::file_error(
      x.source, x.name,
      fmt::format("has the shape {} and --axis {}; +double quantizes along both of the last two "
                  "axes, so {}",
                  io::shape_text(x.shape), t.axis,
                  axes < 2 ? "leave a tensor with fewer out of the file" : "use one of them"));
}

}  // namespace

void expect_storable(const io::tensor& x, const blocked_tensor& t, const chosen_rules& rules,
                     const storage& how) {
  const mx::block_format& f = rules.format();
  expect_storable_scales(f, rules.format_name());
  expect_even_halves(f, how);
  expect_arrangeable(x, t, f, how.layout);
  if (rules.spelled.passes == mx::passes::twice) expect_two_passes(x, t);
  const bool corrected = !(rules.spelled.corrections == mx::corrections{});
  if (corrected && t.shape.length > std::uint64_t{1} << 30) {
    throw io::file_error(x.source, x.name,
                         "is longer than 2^30 along its axis, which corrections "
                         "do not take; split it");
  }
}

}  // namespace sim::cli
