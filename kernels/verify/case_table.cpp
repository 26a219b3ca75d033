// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_table.cpp: the cases, and their inputs.
#include "case_table.h"

#include "case_list.h"
#include "matrices.h"
#include "rectangle_cases.h"

namespace mx::kernels {
namespace {

constexpr number_type types[] = {number_type::fp32, number_type::fp16, number_type::bf16};

/// Power-of-two rules over rows of whole blocks; tiles and their boundaries; layouts.
void add_fast_quantizers(case_list& list) {
  for (const number_type type : types) {
    for (const auto& rule : scale_rule_table) {
      if (!is_power_of_two_rule(rule.value)) continue;
      list.quantize({block_formats::mxfp4, rule.value}, type, {39, 1024}, scale_layout::linear,
                    wanted::rows, "rows");
    }
    for (const matrix_shape& shape : {matrix_shape{32, 32}, {96, 160}, {64, 128}, {288, 32}}) {
      list.quantize({block_formats::mxfp4, scale_rule::rceil}, type, shape, scale_layout::linear,
                    wanted::columns, "tiles");
      list.quantize({block_formats::mxfp4, scale_rule::even}, type, shape,
                    scale_layout::blocked_128x4, wanted::both, "tiles");
    }
  }
  for (const scale_layout layout : {scale_layout::blocked_128x4, scale_layout::blocked_8x4}) {
    list.quantize({block_formats::mxfp4}, number_type::bf16, {130, 160}, layout, wanted::rows,
                  "rows");
  }
}

/// Random bits and NVFP4 over rows of whole blocks, and over columns.
void add_wide_pieces(case_list& list) {
  for (const number_type type : types) {
    for (const wanted results : {wanted::columns, wanted::both}) {
      list.quantize({block_formats::mxfp4, scale_rule::even, rounding::stochastic, {7, 8}}, type,
                    {96, 160}, scale_layout::blocked_128x4, results, "wide tiles");
      list.quantize({block_formats::nvfp4, scale_rule::ideal}, type, {80, 208},
                    scale_layout::blocked_8x4, results, "wide tiles");
    }
    for (const int bits : {1, 4, 8}) {
      list.quantize({block_formats::mxfp4, scale_rule::even, rounding::stochastic, {7, bits}}, type,
                    {25, 32 * (bits + 3)}, scale_layout::blocked_128x4, wanted::rows, "wide rows");
    }
    for (const matrix_shape& shape : {matrix_shape{37, 1040}, {42, 528}}) {
      list.quantize({block_formats::nvfp4, scale_rule::ideal}, type, shape,
                    scale_layout::blocked_128x4, wanted::rows, "wide rows");
    }
  }
}

/// Cases that only the core supports.
void add_core_quantizers(case_list& list) {
  using enum rounding;
  // One side is not a multiple of the tiles' blocks.
  for (const matrix_shape& shape : {matrix_shape{72, 64}, {64, 72}}) {
    const quantization how[] = {{block_formats::mxfp4},
                                {block_formats::mxfp4, scale_rule::even, stochastic, {7, 8}},
                                {block_formats::nvfp4, scale_rule::ideal}};
    for (const quantization& one : how) {
      list.quantize(one, number_type::bf16, shape, scale_layout::linear, wanted::both,
                    "blocks of tiles");
    }
  }
  for (const matrix_shape& shape : {matrix_shape{1, 1}, {7, 33}, {33, 31}, {5, 100}}) {
    list.quantize({block_formats::mxfp4}, number_type::fp32, shape, scale_layout::linear,
                  wanted::both, "blocks of tiles");
  }
  const quantization others[] = {
      {block_formats::mxfp4, scale_rule::floor, stochastic, {7, 8}},
      {block_formats::mxfp4, scale_rule::even, stochastic, {7, 13}},
      {block_formats::mxfp4, scale_rule::mse},
      {block_formats::mxfp4, scale_rule::quest},
      {block_formats::mxfp4, scale_rule::static_four, ties_away},
      {block_formats::mxfp6_e2m3},
      {block_formats::mxfp6_e3m2, scale_rule::rceil},
      {block_formats::mxfp8_e4m3, scale_rule::even},
      {block_formats::mxfp8_e5m2, scale_rule::floor, toward_zero},
      {block_formats::mxint8, scale_rule::rceil},
      {block_formats::nvfp4, scale_rule::ideal},
      {block_formats::nvfp4, scale_rule::four_over_six_mse},
      {block_formats::nvfp4, scale_rule::ideal, stochastic, {3, 8}},
      {block_formats::fp8_1x128, scale_rule::ideal},
  };
  for (const quantization& how : others) {
    list.quantize(how, number_type::fp32, {40, 300}, scale_layout::linear, wanted::both,
                  "blocks of tiles");
    list.quantize(how, number_type::bf16, {150, 70}, scale_layout::linear, wanted::columns,
                  "blocks of tiles");
  }
}

void add_dequantizers(case_list& list) {
  const block_format formats[] = {block_formats::mxfp4,      block_formats::mxfp6_e3m2,
                                  block_formats::mxfp8_e4m3, block_formats::mxfp8_e5m2,
                                  block_formats::mxint8,     block_formats::nvfp4,
                                  block_formats::fp8_1x128};
  for (const number_type type : types) {
    list.dequantize(block_formats::mxfp4, type, {24, 1024}, "rows");
    for (const block_format& f : formats) list.dequantize(f, type, {5, 1003}, "blocks");
    list.fake_quantize({block_formats::mxfp4, scale_rule::rceil}, type, {9, 256}, "rows");
    list.fake_quantize({block_formats::mxfp4, scale_rule::rceil}, type, {9, 77}, "blocks");
    list.fake_quantize({block_formats::nvfp4, scale_rule::ideal}, type, {9, 77}, "blocks");
    list.fake_quantize({block_formats::mxfp4, scale_rule::floor, rounding::stochastic, {7, 8}},
                       type, {35, 256}, "wide rows");
    list.fake_quantize({block_formats::mxfp4, scale_rule::even, rounding::stochastic, {8, 3}}, type,
                       {1, 32}, "wide rows");
  }
}

void add_rotations(case_list& list) {
  using enum rotation_signs;
  const quantization nearest{block_formats::mxfp4, scale_rule::rceil};
  const quantization drawn{block_formats::mxfp4, scale_rule::floor, rounding::stochastic, {9, 8}};
  const quantization nvfp4{block_formats::nvfp4, scale_rule::ideal};
  const quantization eight{block_formats::mxfp8_e4m3, scale_rule::floor};
  for (const number_type type : types) {
    for (const int size : {16, 32, 64, 128}) {
      list.rotate_quantize({size, random, 5}, nearest, type, {11, 384}, "rotated rows");
      list.rotate_quantize({size, fixed}, drawn, type, {11, 384}, "rotated rows");
      list.rotate_quantize({size, none}, nvfp4, type, {11, 384}, "rotated rows");
    }
    list.rotate_quantize({32, random, 6}, eight, type, {11, 384}, "rotated blocks");
  }
}

void add_decompositions(case_list& list) {
  for (const number_type type : types) {
    list.decompose({block_formats::mxfp4, scale_rule::floor}, type, {70, 1024}, "plain, sum");
    list.decompose({block_formats::mxfp4, scale_rule::rceil}, type, {3, 96}, "plain, sum");
    list.decompose({block_formats::mxfp4, scale_rule::rceil}, type, {9, 77}, "core, sum");
    list.decompose({block_formats::nvfp4, scale_rule::ideal}, type, {9, 77}, "core, sum");
  }
}

/// Makes every second row groups of one number each, which a rotation spreads over the group: at 1
/// or 1.5 times a power of two, where scale rules switch, or a few units beside.
void plant_single_numbers(const kernel_case& one, std::vector<std::uint8_t>& x) {
  const auto size = static_cast<std::size_t>(one.by.size);
  const auto columns = static_cast<std::size_t>(one.shape.columns);
  const float root = fp32::multiply(rotation_factor(one.by.size), static_cast<float>(size));
  std::uint32_t group = 0;
  for (std::size_t row = 1; row < static_cast<std::size_t>(one.shape.rows); row += 2) {
    for (std::size_t first = row * columns; first < (row + 1) * columns; first += size) {
      const float target = group / 5 % 2 == 0 ? 1.5F : 1.0F;
      const std::uint32_t code = bits_of(fp32::multiply(target, root)) + group % 5 - 2;
      const std::size_t at = first + group % size;
      for (std::size_t b = 4 * first; b < 4 * (first + size); ++b) x[b] = 0;
      for (std::size_t b = 0; b < 4; ++b) x[4 * at + b] = static_cast<std::uint8_t>(code >> 8 * b);
      ++group;
    }
  }
}

std::uint64_t seed_of(const std::string& name) {
  std::uint64_t seed = 0;
  for (const char c : name) seed = seed * 257 + static_cast<unsigned char>(c);
  return seed;
}

}  // namespace

std::vector<kernel_case> case_table() {
  case_list list;
  add_fast_quantizers(list);
  add_wide_pieces(list);
  add_core_quantizers(list);
  add_dequantizers(list);
  add_rotations(list);
  add_decompositions(list);
  add_rectangles(list);
  return list.cases();
}

case_input input_of(const kernel_case& one) {
  case_input input;
  const std::uint64_t seed = seed_of(one.name);
  // A number with many bits, or a power of two, under which elements can be ties.
  input.tensor_scale = one.shape.rows % 2 == 1 ? 0.0123F : 0x1p-6F;
  if (one.what != operation::dequantize) {
    input.x = adversarial_matrix(one.type, static_cast<std::uint64_t>(one.shape.rows),
                                 static_cast<std::uint64_t>(one.shape.columns), seed)
                  .bytes;
    const bool is_rotated = one.what == operation::rotate_quantize && one.by.size > 0;
    if (is_rotated && one.type == number_type::fp32) plant_single_numbers(one, input.x);
    return input;
  }
  const coded_size size = size_of(one.how.format, one.layout, one.shape.rows, one.shape.columns);
  for (std::int64_t i = 0; i < size.code_bytes; ++i) {
    const philox_counter drawn = philox(seed, {{static_cast<std::uint32_t>(i), 0, 0, 0}});
    input.codes.push_back(static_cast<std::uint8_t>(drawn.word[0]));
  }
  // Cycles through every scale byte, the last ones early.
  for (std::int64_t i = 0; i < size.scale_bytes; ++i) {
    input.scales.push_back(static_cast<std::uint8_t>(i < 4 ? 254 + i : i * 37));
  }
  return input;
}

std::vector<named_bytes> empty_results(const kernel_case& one) {
  const auto filled = [](std::int64_t bytes) {
    return std::vector<std::uint8_t>(static_cast<std::size_t>(bytes), 0xEE);
  };
  const std::int64_t elements = one.shape.rows * one.shape.columns;
  if (one.what == operation::decompose) {
    const std::int64_t entries = share_entries_of(one.how.format, one.shape);
    constexpr auto unit = static_cast<std::int64_t>(sizeof(error_energy));
    return {{"shares", filled(entries * unit)}, {"sum", filled(unit)}};
  }
  if (one.what == operation::dequantize || one.what == operation::fake_quantize) {
    const auto element = static_cast<std::int64_t>(bytes_of(one.type));
    std::vector<named_bytes> results{{"out", filled(elements * element)}};
    if (one.gap > 0) results.push_back({"gaps", filled((one.shape.rows - 1) * one.gap * element)});
    return results;
  }
  std::vector<named_bytes> results;
  const auto add = [&](const std::string& lines, std::int64_t count, std::int64_t length) {
    const coded_size size = size_of(one.how.format, one.layout, count, length);
    results.push_back({lines + ".codes", filled(size.code_bytes)});
    results.push_back({lines + ".scales", filled(size.scale_bytes)});
  };
  if (one.results != wanted::columns) add("rows", one.shape.rows, one.shape.columns);
  if (one.results != wanted::rows) add("columns", one.shape.columns, one.shape.rows);
  return results;
}

std::string difference_between(const std::vector<named_bytes>& expected,
                               const std::vector<named_bytes>& found) {
  constexpr char digits[] = "0123456789ABCDEF";
  const auto hexadecimal = [&](std::uint8_t byte) {
    return std::string("0x") + digits[byte >> 4] + digits[byte & 15];
  };
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const std::vector<std::uint8_t>& right = expected[k].bytes;
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (found[k].bytes[i] == right[i]) continue;
      return expected[k].name + ", byte " + std::to_string(i) + ": " +
             hexadecimal(found[k].bytes[i]) + " instead of " + hexadecimal(right[i]);
    }
  }
  return {};
}

}  // namespace mx::kernels
