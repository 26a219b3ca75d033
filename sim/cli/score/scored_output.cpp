// SPDX-License-Identifier: Apache-2.0
// sim/cli/score/scored_output.cpp: quantizes an input, and applies the mutants to the result.
#include "sim/cli/score/scored_output.h"

#include <fmt/format.h>

#include <memory>

#include "golden/io/widen.h"
#include "golden/validator/mutants/product_mutant.h"
#include "sim/cli/products/model_choice.h"
#include "sim/cli/quantize/coded_notes.h"
#include "sim/cli/quantize/coded_tensor.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/policy/normal_numbers.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
namespace validator = golden::validator;
using validator::coded_rows;

void expect_mutable(const mx::recipe& r) {
  const mx::block_format& f = r.format();
  const bool simple = r.is_plain() && f.rows == 1 && f.scale.width() <= 8 &&
                      f.tensor != mx::tensor_scaling::per_row &&
                      f.precision == mx::scale_precision::stored;
  if (simple) return;
  throw usage_error(
      "{}: mutants are made of blocks of one row with one-byte scales and at most one tensor scale, "
      "without presets and corrections; use one of these, such as --format mxfp4 or nvfp4",
      option_of(r));
}

coded_rows rows_of(const io::tensor& x, const mx::recipe& r) {
  coded_rows t;
  t.rules = r.rules;
  t.order = r.codes;
  t.length = x.shape.empty() ? 1 : x.shape.back();
  t.x = io::to_float32(x);
  t.rows = t.length == 0 ? 0 : t.x.size() / t.length;
  return t;
}

/// One tensor of the input, with the names of its arrays.
struct scored_tensor {
  io::tensor x;
  std::string prefix;
  mx::coded_shape shape;
  coded_rows rows;
};

/// Everything needed to create the bugs of a file of codes.
struct scored_file {
  io::tensor_file input;
  mx::recipe recipe;
  std::vector<scored_tensor> tensors;
};

void add_arrays(const scored_file& file, const scored_tensor& s, const coded_rows& rows,
                std::vector<io::owned_tensor>& arrays) {
  coded_space space(file.recipe, s.shape);
  mx::store_pass(file.recipe, s.shape, rows.codes.data(), rows.scales.data(), space.places.first);
  for (io::owned_tensor& array : space.arrays) {
    if (array.name == "tensor_scale")
      array = io::float_tensor(array.name, {1}, {rows.tensor_scale});
    array.name = s.prefix + array.name;
    arrays.push_back(std::move(array));
  }
}

std::vector<io::owned_tensor> arrays_with(const scored_file& file, const validator::mutant* bug) {
  std::vector<io::owned_tensor> arrays;
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
  refuse_tensor(t, "has the shape {}; expected a matrix: a (M, K) or b (K, N)",
                io::shape_text(t.shape));
}

coded_rows transposed(const coded_rows& b) {
  coded_rows turned = b;
  turned.rows = b.length, turned.length = b.rows;
  for (std::uint64_t i = 0; i < b.x.size(); ++i) {
    turned.x[i % b.length * b.rows + i / b.length] = b.x[i];
  }
  return turned;
}

std::vector<io::owned_tensor> result_of(const validator::coded_product& p) {
  const std::vector<std::uint32_t> d = p.result();
  std::vector<float> values;
  for (const std::uint32_t bits : d) values.push_back(mx::float_of(bits));
  std::vector<io::owned_tensor> arrays;
  arrays.push_back(io::float_tensor("d", {p.a.rows, p.b.rows}, values));
  return arrays;
}

/// N(0, 1); every other row consists of BF16 numbers, some of which are ties.
std::vector<float> usual_rows(std::uint32_t tensor, std::uint64_t rows, std::uint64_t length) {
  constexpr std::uint64_t seed = 7;
  std::vector<float> x(rows * length);
  fill_normal(seed, 0, tensor, 1, x.data(), static_cast<std::ptrdiff_t>(x.size()));
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    if (i / length % 2 == 0) x[i] = mx::rounded_to_bfloat16(x[i]);
  }
  return x;
}

/// Every fourth row gets blocks of magnitudes down to 2^-16: sums of equally large blocks are exact
/// and do not distinguish accumulators.
void spread_blocks(std::vector<float>& x, std::uint64_t length) {
  constexpr float sizes[] = {1, 0x1p-4F, 0x1p-8F, 0x1p-12F, 0x1p-16F};
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    if (i / length % 4 == 0) x[i] *= sizes[i % length / 32 % std::size(sizes)];
  }
}

}  // namespace

scored_output scored_codes(const io::tensor_file& input, const mx::recipe& r) {
  expect_mutable(r);
  const auto file = std::make_shared<scored_file>(scored_file{input, r, {}});
  scored_output result;
  result.notes = notes_of(r);
  for (const io::tensor& x : file->input.tensors()) {
    const std::string prefix = input.tensors().size() == 1 ? "" : x.name + ".";
    const mx::tensor_axes t = axes_of(x, std::nullopt, r);
    expect_storable(x, t, r);
    file->tensors.push_back({x, prefix, mx::coded_shape_of(r, t), rows_of(x, r)});
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

scored_output scored_product(const io::tensor_file& input, const mx::recipe& r,
                             const std::string& model) {
  expect_mutable(r);
  const mx::block_format& f = r.format();
  const io::tensor &a = matrix_of(input, "a"), &b = matrix_of(input, "b");
  if (a.shape[1] != b.shape[0]) {
    refuse_tensor(b, "has the shape {}; a {} needs {} rows", io::shape_text(b.shape),
                  io::shape_text(a.shape), a.shape[1]);
  }
  const auto product = std::make_shared<validator::coded_product>();
  product->a = rows_of(a, r), product->b = transposed(rows_of(b, r));
  product->model = model_of_operands(model_chosen(model),
                                     {f.element, f.element, f.scale, static_cast<int>(f.columns)});
  validator::quantize(product->a);
  validator::quantize(product->b);
  scored_output result;
  result.notes = {{"model", model}, {"format", mx::format_word(r)}};
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

std::uint64_t bytes_changed(const io::owned_tensor& a, const io::owned_tensor& b) {
  const io::byte_view left = a.bytes.view(), right = b.bytes.view();
  if (left.size() != right.size()) return left.size() + right.size();
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < left.size(); ++i) changed += left[i] != right[i] ? 1 : 0;
  return changed;
}

void write_usual_input(const std::string& path, usual_numbers which) {
  constexpr std::uint64_t k = 2048;
  std::vector<io::owned_tensor> arrays;
  if (which == usual_numbers::of_quantizer) {
    arrays.push_back(io::float_tensor("x", {128, k}, usual_rows(0, 128, k)));
  } else {
    std::vector<float> a = usual_rows(0, 64, k);
    spread_blocks(a, k);
    arrays.push_back(io::float_tensor("a", {64, k}, a));
    arrays.push_back(io::float_tensor("b", {k, 64}, usual_rows(1, k, 64)));
  }
  save_arrays(path, arrays, {});
}

void save_arrays(const std::string& path, const std::vector<io::owned_tensor>& arrays,
                 const io::metadata& notes) {
  std::vector<io::tensor> tensors;
  for (const io::owned_tensor& a : arrays) tensors.push_back(a.view(path));
  io::save(path, tensors, notes);
}

}  // namespace sim::cli
