// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/operand_lines.h: operands of all kinds, numbers of all kinds, and the values of
// a line of them by the functions of mx/block.
#pragma once
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "matrices.h"
#include "mx/presets/bulk_variants.h"
#include "mx/tensor/operand.h"

namespace tests {

struct named_operand {
  std::string name;
  mx::operand f;
};

inline mx::operand operand_of(const mx::quantization& q, const mx::corrections& c = {}) {
  mx::operand f;
  f.numbers = mx::operand_numbers::coded;
  f.recipe.rules = q;
  f.recipe.corrections = c;
  return f;
}

inline mx::operand toggled(mx::operand f, mx::toggle how, mx::component parts) {
  f.toggle = how;
  f.parts = parts;
  return f;
}

inline constexpr mx::block_format blocks_of_five{mx::formats::e2m1, mx::formats::e8m0, 1, 5};
inline constexpr mx::block_format exact_blocks{mx::formats::e2m1, mx::formats::e8m0, 1, 32,
                                               mx::scale_precision::exact};
inline constexpr mx::block_format fractional_blocks{mx::formats::e2m1, mx::formats::e8m(3)};
inline mx::block_format rows_of_nvfp4() {
  mx::block_format f = mx::block_formats::nvfp4;
  f.tensor = mx::tensor_scaling::per_row;
  return f;
}

/// Formats whose lines are independent.
inline std::vector<std::pair<std::string, mx::block_format>> line_formats() {
  return {{"mxfp4", mx::block_formats::mxfp4},
          {"mxfp6_e2m3", mx::block_formats::mxfp6_e2m3},
          {"mxfp6_e3m2", mx::block_formats::mxfp6_e3m2},
          {"mxfp8_e4m3", mx::block_formats::mxfp8_e4m3},
          {"mxfp8_e5m2", mx::block_formats::mxfp8_e5m2},
          {"mxint8", mx::block_formats::mxint8},
          {"nvfp4", mx::block_formats::nvfp4},
          {"nvfp4 per row", rows_of_nvfp4()},
          {"fp8_1x128", mx::block_formats::fp8_1x128},
          {"e2m1:e8m3:32", fractional_blocks},
          {"blocks of 5", blocks_of_five},
          {"exact scale", exact_blocks}};
}

inline mx::scale_rule usual_rule(const mx::block_format& f) {
  const bool exact = f.precision == mx::scale_precision::exact;
  return exact || f.scale.fraction_bits > 0 ? mx::scale_rule::ideal : mx::scale_rule::rceil;
}

enum class values {
  normal,
  grid_ties,
  beside_ties,
  wide_exponents,
  subnormal,
  any_pattern,
  any_finite,
  near_largest
};
inline constexpr values all_values[] = {
    values::normal,    values::grid_ties,   values::beside_ties, values::wide_exponents,
    values::subnormal, values::any_pattern, values::any_finite,  values::near_largest};

inline float draw(values kind, std::mt19937& random) {
  const auto word = static_cast<std::uint32_t>(random());
  const float sign = (word & 1) != 0 ? -1.0F : 1.0F;
  const float unit = sign * (0x1p-23F * static_cast<float>(word >> 9) + 0x1p-30F);
  switch (kind) {
    case values::normal:
      return 3 * unit * unit * unit;
    case values::grid_ties:
      return sign * static_cast<float>(random() % 49) / 8;
    case values::beside_ties:
      return mx::float_of(mx::bits_of(sign * static_cast<float>(random() % 48 + 1) / 8) +
                          static_cast<std::uint32_t>(random() % 3) - 1);
    case values::wide_exponents:
      return std::ldexp(unit, static_cast<int>(random() % 80) - 40);
    case values::subnormal:
      return mx::float_of((word & 0x80FFFFFF) >> (random() % 2 * 12));
    case values::any_pattern: {
      const bool special = (word & 0x7F800000) == 0x7F800000;
      return special && random() % 8 != 0 ? unit : mx::float_of(word);
    }
    case values::any_finite:
      return (word & 0x7F800000) == 0x7F800000 ? unit : mx::float_of(word);
    case values::near_largest:
      return mx::float_of((word & 0x81FFFFFF) | 0x7E000000) * (random() % 3 == 0 ? 0.25F : 1.0F);
  }
  return 0;
}

/// `near_largest` holds no Inf: its patterns end below 0x7F800000.
inline float finite_or_zero(values kind, float x) {
  return kind == values::near_largest && !std::isfinite(x) ? 0.0F : x;
}

inline floats matrix_of(values kind, int rows, int columns) {
  std::mt19937 random(static_cast<unsigned>(kind) * 100 + static_cast<unsigned>(columns));
  floats m(static_cast<std::size_t>(rows * columns));
  for (float& x : m) {
    x = finite_or_zero(kind, draw(kind, random));
    if (random() % 11 == 0) x = random() % 2 == 0 ? 0.0F : -0.0F;
  }
  return m;
}

/// A line padded as mx::quantize_line expects it.
inline floats padded_line(const mx::operand& f, floats x) {
  x.resize(static_cast<std::size_t>(mx::padded_length(f.recipe.rules, f.recipe.corrections,
                                                      static_cast<std::int64_t>(x.size()))));
  return x;
}

/// Values of a line by mx::quantize_line.
inline floats quantized_line(const mx::operand& f, const floats& line, float tensor,
                             const mx::block_numbers& numbers) {
  const mx::recipe& r = f.recipe;
  floats x = padded_line(f, line), result(x.size()), scratch(x.size());
  std::vector<std::uint8_t> codes(x.size()), more_codes(x.size());
  std::vector<std::uint32_t> scales(x.size()), more_scales(x.size());
  std::vector<std::uint16_t> factors(x.size()), more_factors(x.size());
  const mx::unpacked above =
      r.format().has_tensor_scale() ? mx::unpack(tensor) : mx::no_tensor_scale;
  const mx::coded_passes passes{{codes.data(), scales.data(), factors.data()},
                                {more_codes.data(), more_scales.data(), more_factors.data()}};
  mx::quantize_line(r.rules, r.corrections, x.data(), {static_cast<int>(x.size()), above, numbers},
                    passes, result.data(), scratch.data());
  result.resize(line.size());
  return result;
}

/// Values of a line by mx::inject or mx::operate of every element.
inline floats toggled_line(const mx::operand& f, floats line) {
  const std::size_t count = line.size(), size = static_cast<std::size_t>(f.recipe.format().columns);
  floats x = padded_line(f, line);
  for (std::size_t first = 0; first < x.size() && f.parts != mx::component::none; first += size) {
    const mx::chosen_scale scale =
        mx::scale_of(f.recipe.rules, x.data() + first, static_cast<int>(size), mx::no_tensor_scale);
    const mx::unpacked amax = mx::extent_of(x.data() + first, static_cast<int>(size)).amax;
    for (std::size_t i = first; i < first + size && i < count; ++i) {
      const mx::e8m0 code{static_cast<std::uint8_t>(scale.code)};
      const mx::unpacked value = mx::unpack(x[i]);
      if (scale.special) {
        line[i] = mx::float_of(mx::nan_bits);
      } else if (!value.is_zero()) {
        line[i] = f.toggle == mx::toggle::injection ? mx::inject(value, amax, code, f.parts)
                                                    : mx::operate(value, amax, code, f.parts);
      }
    }
  }
  return line;
}

/// Values of a line by its preset.
///   tensor  of the lines that share the tensor scale
inline floats preset_line(const mx::operand& f, const floats& line,
                          const mx::variant_tensor_scale& tensor,
                          const mx::block_numbers& numbers) {
  const mx::variant_entry& entry = mx::variant_table[static_cast<std::size_t>(f.recipe.preset)];
  mx::block_format format = f.recipe.format();
  if (format.has_tensor_scale()) format.tensor = mx::tensor_scaling::per_tensor;
  const mx::blocked_shape shape{.length = line.size()};
  const std::size_t padded = padded_line(f, line).size();
  std::vector<std::uint8_t> codes(padded), scales(padded);
  floats out(line.size());
  mx::quantize_by_variant(entry, format, line.data(), shape, {codes.data(), scales.data(), &tensor},
                          {f.recipe.rules.random, numbers});
  mx::dequantize_by_variant(entry, format, {codes.data(), scales.data(), &tensor}, shape,
                            out.data());
  return out;
}

/// The tensor scale of lines that share one.
inline mx::variant_tensor_scale shared_tensor_scale(const mx::operand& f,
                                                    const std::vector<floats>& lines) {
  mx::variant_tensor_scale scale;
  mx::block_format format = f.recipe.format();
  if (!f.is_coded() || !format.has_tensor_scale()) return scale;
  format.tensor = mx::tensor_scaling::per_tensor;
  floats all;
  for (const floats& line : lines) {
    floats x = line;
    if (!f.recipe.has_preset()) {
      x = padded_line(f, x);
      mx::rotate(f.recipe.corrections.rotation, x.data(), static_cast<int>(x.size()));
    }
    all.insert(all.end(), x.begin(), x.end());
  }
  const mx::blocked_shape shape{.length = all.size()};
  if (f.recipe.has_preset()) {
    mx::choose_variant_scales(mx::variant_table[static_cast<std::size_t>(f.recipe.preset)], format,
                              all.data(), shape, &scale);
  } else {
    mx::choose_tensor_scales(format, mx::number_type::fp32, all.data(), shape, &scale.scale);
  }
  return scale;
}

inline floats line_by_core(const mx::operand& f, const floats& line,
                           const mx::variant_tensor_scale& tensor,
                           const mx::block_numbers& numbers) {
  floats out = line;
  if (f.numbers == mx::operand_numbers::bf16) {
    for (float& x : out) x = mx::rounded_to_bfloat16(x);
  }
  if (!f.is_coded()) return out;
  if (f.recipe.has_preset()) return preset_line(f, line, tensor, numbers);
  if (f.toggle != mx::toggle::none) return toggled_line(f, line);
  return quantized_line(f, line, tensor.scale, numbers);
}

inline std::vector<floats> lines_of(const shape& s, const floats& x) {
  std::vector<floats> lines;
  for (int row = 0; row < s.rows; ++row) {
    lines.emplace_back(x.begin() + row * s.columns, x.begin() + (row + 1) * s.columns);
  }
  return lines;
}

inline std::uint64_t blocks_a_line(const mx::operand& f, int count) {
  if (!f.is_coded()) return 0;
  return static_cast<std::uint64_t>(mx::padded_length(f.recipe.rules, f.recipe.corrections, count) /
                                    f.recipe.format().columns);
}

/// Every row of a dense matrix; block numbers as mx::operand_rows specifies them.
inline floats rows_by_core(const mx::operand& f, const shape& s, const floats& x,
                           const std::uint64_t* first_blocks = nullptr) {
  floats out;
  const std::uint64_t blocks = blocks_a_line(f, s.columns);
  std::uint64_t row = 0;
  for (const floats& line : lines_of(s, x)) {
    const std::uint64_t first = first_blocks != nullptr ? first_blocks[row] : row * blocks;
    const floats y = line_by_core(f, line, shared_tensor_scale(f, {line}), {first, 1});
    out.insert(out.end(), y.begin(), y.end());
    ++row;
  }
  return out;
}

/// Every column; block numbers as mx::operand_columns specifies them.
inline floats columns_by_core(const mx::operand& f, const shape& s, const floats& x,
                              std::uint64_t first_block = 0) {
  const shape turned{s.columns, s.rows};
  const std::vector<floats> lines = lines_of(turned, transposed(s, x));
  const mx::variant_tensor_scale scale = shared_tensor_scale(f, lines);
  floats out;
  for (const floats& line : lines) {
    const floats y =
        line_by_core(f, line, scale, {first_block++, static_cast<std::uint64_t>(s.columns)});
    out.insert(out.end(), y.begin(), y.end());
  }
  return transposed(turned, out);
}

/// Runs `work(in, in_stride, out, out_stride)` on wider matrices, and extracts its result. Elements
/// between the rows must stay unchanged.
template <class Work>
floats with_strides(const shape& s, const floats& x, int in_gap, int out_gap, const Work& work) {
  const int in_stride = s.columns + in_gap, out_stride = s.columns + out_gap;
  floats in(static_cast<std::size_t>(s.rows * in_stride), -7.0F);
  floats out(static_cast<std::size_t>(s.rows * out_stride), -9.0F), result;
  for (int row = 0; row < s.rows; ++row) {
    std::copy_n(x.begin() + row * s.columns, s.columns, in.begin() + row * in_stride);
  }
  work(in.data(), in_stride, out.data(), out_stride);
  std::size_t touched = 0;
  for (int row = 0; row < s.rows; ++row) {
    const auto begin = out.begin() + row * out_stride;
    result.insert(result.end(), begin, begin + s.columns);
    touched += static_cast<std::size_t>(out_gap -
                                        std::count(begin + s.columns, begin + out_stride, -9.0F));
  }
  CHECK(touched == 0);
  return result;
}

}  // namespace tests
