// SPDX-License-Identifier: Apache-2.0
// kernels/verify/product_bundle.cpp: writes the files of a product.
#include "bundle.h"
#include "format_names.h"
#include "packed_lines.h"
#include "safetensors.h"
#include "whole_file.h"

namespace mx::kernels {
namespace {

namespace fs = std::filesystem;

/// Whether every element is one dot product, which `mxprism dot` can trace step by step.
bool is_plain(const gemm_plan& p) {
  return p.promote == 0 && p.split_k == 1 && p.alpha == 1.0F && p.c_entry == c_entry::first_step &&
         p.output == p.model.sum.result;
}

std::string block_format_of(const dot_model& m) {
  for (const auto& entry : block_format_table) {
    const block_format& f = entry.value;
    const bool fits = f.element == m.a && m.a == m.b && f.rows == 1 && f.columns == m.block;
    if (fits && f.scale == m.scale && f.element.width() == 4) return std::string(entry.name);
  }
  return {};
}

/// Numbers of the width in which a format's codes are stored.
stored_tensor words_of(const std::string& name, const std::vector<std::int64_t>& shape,
                       const std::vector<std::uint32_t>& codes, const format& f) {
  const int bytes = f.width() <= 8 ? 1 : f.width() <= 16 ? 2 : 4;
  const char* type = bytes == 1 ? "U8" : bytes == 2 ? "U16" : "U32";
  return {name, type, shape, packed_numbers(codes, bytes)};
}

std::vector<std::uint8_t> scales_of_line(const lines_of_codes& of, std::int64_t line,
                                         std::int64_t blocks) {
  const auto first = of.scales.begin() + static_cast<std::ptrdiff_t>(line * blocks);
  return {first, first + static_cast<std::ptrdiff_t>(blocks)};
}

void write_word(const fs::path& path, const product_case& one, const product_input& input,
                const std::vector<std::uint32_t>& found, std::size_t element) {
  const dot_model& m = one.plan.model;
  const std::int64_t k = one.shape.k, row = static_cast<std::int64_t>(element) / one.shape.n,
                     column = static_cast<std::int64_t>(element) % one.shape.n;
  const std::uint32_t c = input.c.empty() ? 0 : input.c[element];
  std::vector<stored_tensor> tensors{words_of("a", {1, k}, codes_of_line(input.a, row, k), m.a),
                                     words_of("b", {1, k}, codes_of_line(input.b, column, k), m.b),
                                     words_of("c", {1}, {c}, m.sum.result),
                                     words_of("d", {1}, {found[element]}, m.sum.result)};
  stored_notes notes{{"a_format", name_of_format(m.a)}, {"b_format", name_of_format(m.b)}};
  if (m.block > 0) {
    const std::int64_t blocks = (k + m.block - 1) / m.block;
    tensors.push_back({"scale_a", "U8", {1, blocks}, scales_of_line(input.a, row, blocks)});
    tensors.push_back({"scale_b", "U8", {1, blocks}, scales_of_line(input.b, column, blocks)});
    notes.emplace_back("scale", name_of_scale(m.scale));
    notes.emplace_back("block", std::to_string(m.block));
  }
  write_safetensors(path, tensors, notes);
}

void write_factor(const fs::path& path, const product_case& one, const lines_of_codes& factor,
                  std::int64_t lines) {
  const std::int64_t k = one.shape.k, block = one.plan.model.block;
  std::vector<std::uint32_t> codes;
  for (std::int64_t line = 0; line < lines; ++line) {
    const std::vector<std::uint32_t> more = codes_of_line(factor, line, k);
    codes.insert(codes.end(), more.begin(), more.end());
  }
  const std::string shape = "[" + std::to_string(lines) + ", " + std::to_string(k) + "]";
  write_safetensors(path,
                    {{"codes", "U8", {lines, k}, packed_numbers(codes, 1)},
                     {"scales", "U8", {lines, k / block}, factor.scales}},
                    {{"format", block_format_of(one.plan.model)},
                     {"packing", "unpacked"},
                     {"layout", "linear"},
                     {"axis", "1"},
                     {"block", std::to_string(block)},
                     {"shape", shape}});
}

/// A, B, C and D for `mxprism verify --gemm`; returns its command line.
std::string write_matrices(const fs::path& at, const product_case& one, const product_input& input,
                           const std::vector<std::uint32_t>& found) {
  const std::vector<std::int64_t> shape{one.shape.m, one.shape.n};
  const format& result = one.plan.model.sum.result;
  write_factor(at / "a.safetensors", one, input.a, one.shape.m);
  write_factor(at / "b.safetensors", one, input.b, one.shape.n);
  write_safetensors(at / "d.safetensors", {words_of("d", shape, found, result)});
  std::string command = "mxprism verify d.safetensors --gemm a.safetensors b.safetensors --model " +
                        name_of_model(one.plan.model);
  if (!input.c.empty()) {
    write_safetensors(at / "c.safetensors", {words_of("c", shape, input.c, result)});
    command += " --c c.safetensors";
  }
  return command + "\n";
}

void write_arrays(const fs::path& at, const product_case& one, const product_input& input,
                  const std::vector<std::uint32_t>& found) {
  const int result = one.plan.model.sum.result.width() / 8, output = one.plan.output.width() / 8;
  for (const auto& [name, factor] : {std::pair{"a", &input.a}, {"b", &input.b}}) {
    write_file(at / (std::string(name) + ".codes.bin"), {}, factor->codes);
    write_file(at / (std::string(name) + ".scales.bin"), {}, factor->scales);
  }
  write_file(at / "c.bin", {}, packed_numbers(input.c, result));
  write_file(at / "d.bin", {}, packed_numbers(found, output));
}

}  // namespace

void write_bundle(const fs::path& folder, const product_case& one, const product_input& input,
                  const std::vector<std::uint32_t>& found, std::size_t element,
                  const std::string& difference) {
  const fs::path at = folder / one.name;
  fs::create_directories(at);
  const std::string model = name_of_model(one.plan.model);
  std::string text = one.name + "\n" + difference + "\n";
  if (!is_plain(one.plan) || model.empty()) {
    write_arrays(at, one, input, found);
  } else {
    write_word(at / "words.safetensors", one, input, found, element);
    text += "mxprism dot words.safetensors --model " + model + " --explain 0\n";
    if (!block_format_of(one.plan.model).empty()) text += write_matrices(at, one, input, found);
  }
  write_file(at / "README.txt", text);
}

namespace {

void write_values(const fs::path& file, const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(bits_of(value));
  write_file(file, {}, packed_numbers(bits, 4));
}

}  // namespace

void write_bundle(const fs::path& folder, const corrected_case& one, const corrected_input& input,
                  const std::vector<std::uint32_t>& found, const std::string& difference) {
  const fs::path at = folder / one.name;
  fs::create_directories(at);
  for (const auto& [name, factor] :
       {std::pair{"a", &input.a}, {"b", &input.b}, {"rest", &input.rest}}) {
    write_file(at / (std::string(name) + ".codes.bin"), {}, factor->codes);
    write_file(at / (std::string(name) + ".scales.bin"), {}, factor->scales);
  }
  for (const auto& [name, numbers] : {std::pair{"a.reciprocals.bin", &input.a_reciprocals},
                                      {"b.reciprocals.bin", &input.b_reciprocals}}) {
    write_values(at / name, *numbers);
  }
  write_file(at / "d.bin", {}, packed_numbers(found, 4));
  write_file(at / "README.txt", one.name + "\n" + difference + "\n");
}

void write_bundle(const fs::path& folder, const value_case& one, const value_input& input,
                  const std::vector<std::uint32_t>& found, const std::string& difference) {
  const fs::path at = folder / one.name;
  fs::create_directories(at);
  for (std::size_t i = 0; i < input.products.size(); ++i) {
    write_values(at / ("left." + std::to_string(i) + ".bin"), input.products[i].left);
    write_values(at / ("right." + std::to_string(i) + ".bin"), input.products[i].right);
  }
  write_values(at / "before.bin", input.results);
  write_file(at / "results.bin", {}, packed_numbers(found, 4));
  write_file(at / "README.txt", one.name + "\n" + difference + "\n");
}

}  // namespace mx::kernels
