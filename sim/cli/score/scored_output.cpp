// SPDX-License-Identifier: Apache-2.0
// sim/cli/score/scored_output.cpp: quantizes an input, and applies the mutants to what it becomes.
#include "sim/cli/score/scored_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "golden/io/widen.h"
#include "golden/validator/product_mutant.h"
#include "sim/cli/products/model_choice.h"
#include "sim/cli/quantize/coded_notes.h"
#include "sim/cli/quantize/coded_tensor.h"
#include "sim/policy/normal_numbers.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
namespace validator = golden::validator;
using validator::coded_rows;

void expect_mutable(const chosen_rules& rules) {
  const mx::block_format& f = rules.format();
  const bool simple = rules.is_plain() && f.rows == 1 && f.scale.width() <= 8 &&
                      f.tensor != mx::tensor_scaling::per_row &&
                      f.precision == mx::scale_precision::stored;
  if (simple) return;
  throw usage_error(
      fmt::format("--format {}: mutants are made of blocks of one row with one-byte scales, "
                  "without presets and "
                  "corrections; use one of these, such as mxfp4 or nvfp4",
                  rules.format_name()));
}

coded_rows rows_of(const io::tensor& x, const chosen_rules& rules) {
  coded_rows t;
  t.rules = rules.quantizer();
  t.length = x.shape.empty() ? 1 : x.shape.back();
  t.x = io::to_float32(x);
  t.rows = t.length == 0 ? 0 : t.x.size() / t.length;
  return t;
}

/// One tensor of the input, with what its arrays are called.
struct scored_tensor {
  io::tensor x;
  std::string prefix;
  blocked_tensor t;
  coded_rows rows;
};

/// Everything that the bugs of a file of codes are made from.
struct scored_file {
  io::tensor_file input;
  chosen_rules rules;
  storage how;
  std::vector<scored_tensor> tensors;
};

void add_arrays(const scored_file& file, const scored_tensor& s, const coded_rows& rows,
                std::vector<stored_array>& arrays) {
  progress_bar silent("", 0);
  const coding_job job{s.x, s.t, file.rules, file.how, silent};
  byte_buffer codes(rows.codes);
  if (is_halved(file.rules.format(), file.how.codes) &&
      job.core_packing() == mx::code_packing::packed) {
    codes = byte_buffer(rows.rows * ((rows.padded() + 1) / 2));
    pack_codes(file.how.codes.order, file.rules.format().columns, rows.codes.data(), rows.rows,
               rows.padded(), 1, codes.data());
  }
  arrays.push_back(stored_codes(job, s.prefix + "codes", rows.padded(), std::move(codes)));
  arrays.push_back(
      stored_scales(job, s.prefix + "scales", rows.blocks(), byte_buffer(rows.scales)));
  if (file.rules.format().has_tensor_scale()) {
    arrays.push_back(stored_floats(s.prefix + "tensor_scale", {1}, {rows.tensor_scale}));
  }
}

std::vector<stored_array> arrays_with(const scored_file& file, const validator::mutant* bug) {
  std::vector<stored_array> arrays;
  for (const scored_tensor& s : file.tensors) {
    coded_rows rows = s.rows;
    if (bug != nullptr && !rows.codes.empty()) bug->apply(rows);
    add_arrays(file, s, rows, arrays);
  }
  return arrays;
}

const io::tensor& matrix_of(const io::tensor_file& input, const std::string& name) {
  const io::tensor& t = input.at(name);
  if (t.shape.size() == 2 && t.shape[0] > 0 && t.shape[1] > 0) return t;
  throw io::file_error(t.source, t.name,
                       fmt::format("has the shape {}; expected a matrix: a (M, K) or b (K, N)",
                                   io::shape_text(t.shape)));
}

coded_rows transposed(const coded_rows& b) {
  coded_rows turned = b;
  turned.rows = b.length, turned.length = b.rows;
  for (std::uint64_t i = 0; i < b.x.size(); ++i) {
    turned.x[i % b.length * b.rows + i / b.length] = b.x[i];
  }
  return turned;
}

std::vector<stored_array> result_of(const validator::coded_product& p) {
  const std::vector<std::uint32_t> d = p.result();
  std::vector<float> values;
  for (const std::uint32_t bits : d) values.push_back(mx::float_of(bits));
  std::vector<stored_array> arrays;
  arrays.push_back(stored_floats("d", {p.a.rows, p.b.rows}, values));
  return arrays;
}

/// N(0, 1); every other row is of BF16 numbers, of which some are ties.
std::vector<float> usual_rows(std::uint32_t tensor, std::uint64_t rows, std::uint64_t length) {
  constexpr std::uint64_t seed = 7;
  std::vector<float> x(rows * length);
  fill_normal(seed, 0, tensor, 1, x.data(), static_cast<std::ptrdiff_t>(x.size()));
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    if (i / length % 2 == 0) x[i] = mx::rounded_to_bfloat16(x[i]);
  }
  return x;
}

/// Every fourth row gets blocks of sizes down to 2^-16: sums of blocks of one size are exact, and
/// tell no accumulator from another.
void spread_blocks(std::vector<float>& x, std::uint64_t length) {
  constexpr float sizes[] = {1, 0x1p-4F, 0x1p-8F, 0x1p-12F, 0x1p-16F};
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    if (i / length % 4 == 0) x[i] *= sizes[i % length / 32 % std::size(sizes)];
  }
}

}  // namespace

scored_output scored_codes(const io::tensor_file& input, const chosen_rules& rules,
                           const storage& how) {
  expect_mutable(rules);
  const auto file = std::make_shared<scored_file>(scored_file{input, rules, how, {}});
  scored_output result;
  result.notes = notes_of(rules, how);
  for (const io::tensor& x : file->input.tensors()) {
    const std::string prefix = input.tensors().size() == 1 ? "" : x.name + ".";
    const blocked_tensor t = blocked(x, std::nullopt, rules.format());
    expect_storable(x, t, rules, how);
    file->tensors.push_back({x, prefix, t, rows_of(x, rules)});
    validator::quantize(file->tensors.back().rows);
    result.notes[prefix + "shape"] = io::shape_text(x.shape);
    result.notes[prefix + "axis"] = std::to_string(t.axis);
  }
  result.right = arrays_with(*file, nullptr);
  for (const validator::mutant& m : validator::all_mutants()) {
    result.bugs.push_back({std::string(m.name), std::string(m.sentence),
                           [file, &m] { return arrays_with(*file, &m); }});
  }
  return result;
}

scored_output scored_product(const io::tensor_file& input, const chosen_rules& rules,
                             const std::string& model) {
  expect_mutable(rules);
  const mx::block_format& f = rules.format();
  const io::tensor &a = matrix_of(input, "a"), &b = matrix_of(input, "b");
  if (a.shape[1] != b.shape[0]) {
    throw io::file_error(b.source, b.name,
                         fmt::format("has the shape {}; a {} needs {} rows",
                                     io::shape_text(b.shape), io::shape_text(a.shape), a.shape[1]));
  }
  const auto product = std::make_shared<validator::coded_product>();
  product->a = rows_of(a, rules), product->b = transposed(rows_of(b, rules));
  product->model = model_of_operands(model_chosen(model),
                                     {f.element, f.element, f.scale, static_cast<int>(f.columns)});
  validator::quantize(product->a);
  validator::quantize(product->b);
  scored_output result;
  result.notes = {{"model", model}, {"format", rules.format_name()}};
  result.right = result_of(*product);
  for (const validator::product_mutant& m : validator::all_product_mutants()) {
    result.bugs.push_back({m.name, m.sentence, [product, &m] {
                             validator::coded_product wrong = *product;
                             m.apply(wrong);
                             return result_of(wrong);
                           }});
  }
  return result;
}

std::uint64_t bytes_changed(const stored_array& a, const stored_array& b) {
  const io::byte_view left = a.bytes.view(), right = b.bytes.view();
  if (left.size() != right.size()) return left.size() + right.size();
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < left.size(); ++i) changed += left[i] != right[i] ? 1 : 0;
  return changed;
}

void write_usual_input(const std::string& path, usual_numbers which) {
  constexpr std::uint64_t k = 2048;
  std::vector<stored_array> arrays;
  if (which == usual_numbers::of_quantizer) {
    arrays.push_back(stored_floats("x", {128, k}, usual_rows(0, 128, k)));
  } else {
    std::vector<float> a = usual_rows(0, 64, k);
    spread_blocks(a, k);
    arrays.push_back(stored_floats("a", {64, k}, a));
    arrays.push_back(stored_floats("b", {k, 64}, usual_rows(1, k, 64)));
  }
  std::vector<io::tensor> tensors;
  for (const stored_array& a : arrays) {
    tensors.push_back({a.name, a.type, a.shape, a.bytes.view(), path});
  }
  io::save(path, tensors);
}

}  // namespace sim::cli
