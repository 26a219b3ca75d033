// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/quantized_rows.cpp: quantizes rows with the emulator's core.
#include "golden/vectors/packs/quantized_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "golden/vectors/packs/pack_bytes.h"
#include "mx/block/names.h"

namespace golden::packs {
namespace {

std::uint32_t step_of(mx::number_type type) {
  return type == mx::number_type::bf16 ? std::uint32_t{1} << 16 : 1;
}

template <class Table, class Value>
std::string name_in(const Table& table, const Value& value) {
  const auto entry = std::find_if(std::begin(table), std::end(table),
                                  [&](const auto& named) { return named.value == value; });
  return std::string(entry->name);
}

/// Codes and scales of rows, one code a byte.
struct coded_rows {
  std::vector<std::uint8_t> codes, scales;
  float tensor_scale = 1;
};

coded_rows coded(const mx::quantization& q, const std::vector<noted_row>& rows) {
  coded_rows result;
  mx::unpacked amax;
  for (const noted_row& row : rows) {
    const mx::unpacked one = mx::extent_of(row.x.data(), static_cast<int>(row.x.size())).amax;
    if (mx::compare_magnitudes(one, amax) > 0) amax = one;
  }
  if (q.format.has_tensor_scale()) result.tensor_scale = mx::tensor_scale_of(q.format, amax);
  const mx::unpacked tensor = mx::unpack(result.tensor_scale);
  const auto size = static_cast<std::size_t>(q.format.size());
  result.codes.resize(rows.size() * size);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const mx::chosen_scale scale =
        mx::quantize_block(q, rows[i].x.data(), tensor, i, result.codes.data() + i * size);
    result.scales.push_back(static_cast<std::uint8_t>(scale.code));
  }
  return result;
}

io::metadata notes_of(const mx::quantization& q, const pack_array& x) {
  return {{"format", name_of(q.format)},
          {"scale_rule", name_in(mx::scale_rule_table, q.rule)},
          {"rounding", name_in(mx::rounding_table, q.rounding)},
          {"packing", "packed"},
          {"layout", "linear"},
          {"block", std::to_string(q.format.columns)},
          {"shape", io::shape_text(x.shape)},
          {"axis", "1"}};
}

void add_expected(pack_contents& pack, const std::string& name, const std::string& list,
                  const mx::quantization& q, const pack_array& x, const coded_rows& coded) {
  const std::uint64_t count = x.shape[0], along = x.shape[1];
  pack_file file{name + ".expected", list, {}, notes_of(q, x)};
  file.arrays.push_back(code_array("codes", q.format.element, count, along, coded.codes));
  file.arrays.push_back({"scales", io::dtype::u8, {count, 1}, coded.scales});
  if (q.format.has_tensor_scale()) {
    const std::uint32_t bits = mx::bits_of(coded.tensor_scale);
    file.arrays.push_back(word_array("tensor_scale", io::dtype::f32, {1}, {bits}));
  }
  pack.files.push_back(std::move(file));
  pack.memories.push_back({name + ".codes",
                           list,
                           "codes that must come out",
                           q.format.element.width(),
                           along,
                           {coded.codes.begin(), coded.codes.end()}});
  pack.memories.push_back({name + ".scales",
                           list,
                           "scale codes that must come out",
                           8,
                           1,
                           {coded.scales.begin(), coded.scales.end()}});
  if (q.format.has_tensor_scale()) {
    pack.memories.push_back({name + ".tensor_scale",
                             "",
                             "FP32 tensor scale that must come out",
                             32,
                             1,
                             {mx::bits_of(coded.tensor_scale)}});
  }
}

/// Bit patterns of the numbers in their type.
std::vector<std::uint32_t> codes_of(const std::vector<noted_row>& rows, mx::number_type type) {
  std::vector<std::uint32_t> codes;
  for (const noted_row& row : rows) {
    for (const float value : row.x) {
      codes.push_back(mx::bits_of(value) >> (type == mx::number_type::fp32 ? 0 : 16));
    }
  }
  return codes;
}

pack_array input_of(const std::vector<noted_row>& rows, mx::number_type type) {
  const bool wide = type == mx::number_type::fp32;
  return word_array("x", wide ? io::dtype::f32 : io::dtype::bf16, {rows.size(), rows[0].x.size()},
                    codes_of(rows, type));
}

pack_memory input_memory(const std::string& tag, const std::vector<noted_row>& rows,
                         mx::number_type type) {
  const bool wide = type == mx::number_type::fp32;
  return {tag + ".x",
          tag,
          wide ? "FP32 inputs" : "BF16 inputs",
          wide ? 32 : 16,
          rows[0].x.size(),
          codes_of(rows, type)};
}

}  // namespace

std::string name_of(const mx::block_format& f) { return name_in(mx::block_format_table, f); }

std::string name_of(mx::number_type type) { return type == mx::number_type::fp32 ? "f32" : "bf16"; }

float stepped(float value, mx::number_type type, int steps) {
  const std::uint32_t step = step_of(type);
  const std::uint32_t bits = mx::bits_of(value);
  return mx::float_of(steps > 0 ? bits + step : bits - step);
}

bool holds(mx::number_type type, float value) {
  return (mx::bits_of(value) & (step_of(type) - 1)) == 0;
}

float scaled(double value, int exponent, mx::number_type type) {
  constexpr float nothing = std::numeric_limits<float>::quiet_NaN();
  const double exact = std::ldexp(value, exponent);
  if (std::abs(exact) > static_cast<double>(std::numeric_limits<float>::max())) return nothing;
  const auto narrow = static_cast<float>(exact);
  return static_cast<double>(narrow) == exact && holds(type, narrow) ? narrow : nothing;
}

std::vector<double> magnitudes(const mx::format& f) {
  std::vector<double> values;
  for (std::uint32_t code = 0; code <= f.max_code(); ++code) {
    values.push_back(static_cast<double>(mx::to_binary32(mx::decode(f, code))));
  }
  return values;
}

void add_quantized(pack_contents& pack, const std::string& tag, const mx::block_format& f,
                   mx::number_type type, std::span<const mx::scale_rule> rules,
                   const std::vector<noted_row>& rows) {
  std::vector<noted_row> held;
  for (const noted_row& row : rows) {
    const bool fits =
        std::all_of(row.x.begin(), row.x.end(), [type](float value) { return holds(type, value); });
    if (fits) held.push_back(row);
  }
  if (held.empty()) return;
  for (const noted_row& row : held) pack.rows[tag].push_back(row.sentence);
  const pack_array x = input_of(held, type);
  pack.files.push_back({tag + ".input", tag, {x}, {}});
  pack.memories.push_back(input_memory(tag, held, type));
  for (const mx::scale_rule rule : rules) {
    const mx::quantization q{f, rule};
    const std::string name = tag + "." + name_in(mx::scale_rule_table, rule);
    add_expected(pack, name, tag, q, x, coded(q, held));
  }
}

void add_power_of_two_formats(pack_contents& pack,
                              std::vector<noted_row> (*rows_of)(const mx::block_format&,
                                                                mx::number_type)) {
  using enum mx::scale_rule;
  constexpr std::array rules{floor, ceil, even, rceil};
  for (const auto& named : mx::block_format_table) {
    const mx::block_format& f = named.value;
    if (f.scale != mx::formats::e8m0) continue;
    for (const mx::number_type type : {mx::number_type::fp32, mx::number_type::bf16}) {
      add_quantized(pack, name_of(f) + "." + name_of(type), f, type, rules, rows_of(f, type));
    }
  }
}

}  // namespace golden::packs
