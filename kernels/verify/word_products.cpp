// SPDX-License-Identifier: Apache-2.0
// kernels/verify/word_products.cpp: words of equal length, packed into the lines of two factors.
#include "word_products.h"

#include <map>

#include "format_names.h"
#include "gemm/request.h"
#include "kernel_names.h"
#include "mx/dot/dot.h"
#include "mx/dot/mixed_models.h"
#include "packed_lines.h"

namespace mx::kernels {
namespace {

using golden::words::dot_word;
using golden::words::word_section;

dot_model model_of(const std::string& name, const golden::words::operand_names& operands) {
  const named_model* known = any_model_named(name);
  if (known == nullptr) throw std::invalid_argument("no model has the name " + name);
  dot_model made = with_formats(known->model, format_named(operands.a), format_named(operands.b));
  made.block = operands.block;
  if (operands.block > 0) made.scale = format_named(operands.scale);
  return made;
}

code_storage storage_of(const dot_model& m, const format& f) {
  const int bits = f.width() + m.unread_bits;
  if (bits <= 4) return code_storage::pairs;
  if (bits <= 8) return code_storage::bytes;
  return bits <= 16 ? code_storage::halves : code_storage::words;
}

std::uint32_t dot_of(const dot_model& model, const dot_word& word) {
  const std::uint32_t* none = nullptr;
  const bool scaled = !word.scale_a.empty();
  return dot(model, word.a.data(), word.b.data(), static_cast<int>(word.a.size()), word.c,
             scaled ? word.scale_a.data() : none, scaled ? word.scale_b.data() : none);
}

/// Pads the word with zeros to whole blocks; returns whether the sum is unchanged.
bool is_filled_up(const dot_model& model, dot_word& word) {
  const auto block = static_cast<std::size_t>(model.block);
  if (block == 0 || word.a.size() % block == 0) return true;
  const std::uint32_t before = dot_of(model, word);
  const std::size_t size = (word.a.size() + block - 1) / block * block;
  word.a.resize(size), word.b.resize(size);
  return dot_of(model, word) == before;
}

/// The codes and scales of one factor in a word.
struct word_side {
  std::vector<std::uint32_t> dot_word::*codes;
  std::vector<std::uint32_t> dot_word::*scales;
};

lines_of_codes lines_of(const std::vector<dot_word>& words, const word_side& side,
                        code_storage storage) {
  std::vector<std::vector<std::uint32_t>> codes;
  std::vector<std::uint8_t> scales;
  for (const dot_word& word : words) {
    codes.push_back(word.*side.codes);
    for (const std::uint32_t scale : word.*side.scales) {
      scales.push_back(static_cast<std::uint8_t>(scale));
    }
  }
  lines_of_codes lines = packed_lines(codes, storage);
  lines.scales = scales;
  return lines;
}

word_product product_of(const std::string& name, const dot_model& model,
                        const std::vector<dot_word>& words) {
  word_product made;
  const auto count = static_cast<std::int64_t>(words.size());
  made.product.plan.model = model;
  made.product.plan.output = model.sum.result;
  made.product.shape = {count, count, static_cast<std::int64_t>(words.front().a.size())};
  made.product.name = "words." + name + "." + name_of_format(model.a) + "." +
                      name_of_format(model.b) + "." + name_of_scale(model.scale) +
                      std::to_string(model.block) + ".k" + std::to_string(made.product.shape.k);
  made.input.a = lines_of(words, {&dot_word::a, &dot_word::scale_a}, storage_of(model, model.a));
  made.input.b = lines_of(words, {&dot_word::b, &dot_word::scale_b}, storage_of(model, model.b));
  for (const dot_word& word : words) {
    // One addend a row: word i's own is on the diagonal.
    made.input.c.insert(made.input.c.end(), words.size(), word.c);
    made.labels.push_back(word.label);
    made.d.push_back(word.d);
  }
  return made;
}

/// Whether a kernel supports a product: only its memory is missing.
bool is_served(const product_case& one, const product_input& input, gemm_kernel kernel) {
  gemm_request request{one.plan, one.shape, input.a.operand(), input.b.operand()};
  request.kernel = kernel;
  return checked(request).error != launch_error::format;
}

void add_kernels(const word_product& made, std::vector<word_product>& products) {
  for (const auto& [kernel, name] : kernel_names) {
    if (kernel == gemm_kernel::best) continue;
    const bool serves_all = kernel == gemm_kernel::core;
    if (!serves_all && !is_served(made.product, made.input, kernel)) continue;
    products.push_back(made);
    products.back().product.kernel = kernel;
    products.back().product.name += "." + std::string(name);
  }
}

void add_section(const std::string& name, const word_section& section, word_products& to) {
  const dot_model model = model_of(name, section.operands);
  if (refusal_of(gemm_plan{.model = model}) == gemm_refusal::c_format) return;
  std::map<std::size_t, std::vector<dot_word>> by_length;
  for (dot_word word : section.words) {
    ++to.words;
    if (is_filled_up(model, word)) {
      by_length[word.a.size()].push_back(word);
    } else {
      ++to.ragged;
    }
  }
  for (const auto& [length, words] : by_length) {
    if (length > 0) add_kernels(product_of(name, model, words), to.products);
  }
}

}  // namespace

word_products word_products_of(const std::vector<golden::words::word_file>& files) {
  word_products made;
  for (const golden::words::word_file& file : files) {
    for (const word_section& section : file.sections) add_section(file.model, section, made);
  }
  return made;
}

std::vector<std::uint32_t> expected_of(const word_product& one) {
  std::vector<std::uint32_t> expected = product_of_core(one.product, one.input);
  for (std::size_t i = 0; i < one.d.size(); ++i) expected[i * one.d.size() + i] = one.d[i];
  return expected;
}

std::string difference_between(const word_product& one, const std::vector<std::uint32_t>& expected,
                               const std::vector<std::uint32_t>& found) {
  const std::string text = difference_between(one.product.shape, expected, found);
  const std::size_t element = first_difference(expected, found);
  const bool is_word = !text.empty() && element / one.d.size() == element % one.d.size();
  return is_word ? text + ", golden's word " + one.labels[element / one.d.size()] : text;
}

}  // namespace mx::kernels
