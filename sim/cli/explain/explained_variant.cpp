// SPDX-License-Identifier: Apache-2.0
// sim/cli/explain/explained_variant.cpp: one block as a preset's kernel quantizes it.
#include "sim/cli/explain/explained_variant.h"

#include <fmt/format.h>

#include <algorithm>

#include "mx/number/element.h"
#include "mx/spelling.h"
#include "sim/cli/formats/listed_formats.h"
#include "sim/cli/terminal/exact_text.h"

namespace sim::cli {
namespace {

std::string scale_text(const explained_variant& b) {
  const mx::unpacked value = mx::decode(b.format.scale, b.scale);
  return fmt::format("  code = {} = 0x{:02X} = {}; as a number {}\n", b.scale, b.scale,
                     binary_text(b.scale, b.format.scale.width()), decimal_text(value));
}

std::string element_text(const explained_variant& b, std::size_t i) {
  const mx::unpacked element = mx::decode(b.format.element, b.codes[i]);
  return fmt::format("  [{}] x = {:<14} ({})  code {} = {:<9} value {} ({})\n", i,
                     decimal_text(b.x[i]), hex_text(b.x[i]),
                     binary_text(b.codes[i], b.format.element.width()), decimal_text(element),
                     decimal_text(b.values[i]), hex_text(b.values[i]));
}

}  // namespace

explained_variant explained_by(const mx::recipe& r, const std::vector<float>& x) {
  expect_quantizer(r);
  const mx::variant_entry& entry = mx::preset_of(r);
  const mx::block_format& f = r.format();
  const auto rows = static_cast<std::uint64_t>(f.rows),
             columns = static_cast<std::uint64_t>(f.columns);
  const mx::blocked_shape shape{1, rows, columns, 1};
  std::vector<float> padded(shape.elements()), values(shape.elements());
  std::ranges::copy(x, padded.begin());
  explained_variant b{&entry, f, false, {}, 0, x, {}, std::vector<std::uint8_t>(padded.size())};
  b.tensor.resize(mx::sizes_of(f, shape, mx::code_packing::unpacked).tensor_scales);
  choose_variant_scales(entry, f, padded.data(), shape, b.tensor.data());
  b.special =
      quantize_by_variant(entry, f, padded.data(), shape,
                          {b.codes.data(), &b.scale, b.tensor.data()}, {r.rules.random, {}}) > 0;
  dequantize_by_variant(entry, f, {b.codes.data(), &b.scale, b.tensor.data()}, shape,
                        values.data());
  b.values.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(x.size()));
  return b;
}

std::string text_of(const explained_variant& b) {
  std::string text = fmt::format("{}: {}; {} given, then zeros.\n", b.entry->about.name,
                                 mx::spelling_of(b.format), b.x.size());
  text += described(*b.entry) + "\n1. The scale\n";
  if (!b.tensor.empty()) {
    text += fmt::format("  tensor_scale = {} ({}) from the tensor's amax {}\n",
                        decimal_text(b.tensor.front().scale), hex_text(b.tensor.front().scale),
                        decimal_text(b.tensor.front().amax));
  }
  text += scale_text(b) + "\n2. The elements, and their values by the preset's own decoder\n";
  for (std::size_t i = 0; i < b.x.size(); ++i) text += element_text(b, i);
  return text;
}

ordered_json json_of(const explained_variant& b) {
  ordered_json result{{"format", mx::spelling_of(b.format)},
                      {"variant", json_of(*b.entry)},
                      {"block", b.format.size()},
                      {"special", b.special}};
  if (!b.tensor.empty()) {
    result["tensor_scale"] = {{"value", json_number(double{b.tensor.front().scale})},
                              {"bits", hex_text(b.tensor.front().scale)},
                              {"amax", json_number(double{b.tensor.front().amax})}};
  }
  result["scale"] = {{"code", b.scale},
                     {"code_bits", binary_text(b.scale, b.format.scale.width())}};
  result["elements"] = ordered_json::array();
  for (std::size_t i = 0; i < b.x.size(); ++i) {
    result["elements"].push_back({{"index", i},
                                  {"x", json_number(double{b.x[i]})},
                                  {"bits", hex_text(b.x[i])},
                                  {"code", b.codes[i]},
                                  {"code_bits", binary_text(b.codes[i], b.format.element.width())},
                                  {"value", json_number(double{b.values[i]})},
                                  {"value_bits", hex_text(b.values[i])}});
  }
  return result;
}

}  // namespace sim::cli
