// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_files.cpp: finds a kernel's codes and scales, and the recipe they should
// follow.
#include "sim/cli/verify/verify_files.h"

#include <fmt/format.h>

#include <cstring>
#include <set>

#include "golden/validator/tensor/diagnosis_words.h"
#include "sim/cli/quantize/coded_tensor.h"
#include "sim/cli/terminal/input_tensor.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
namespace gv = golden::validator;

const io::tensor& needed(const io::tensor_file& output, const std::string& tensor,
                         const std::string& array, array_names names) {
  if (const io::tensor* found = array_of(output, tensor, array, names)) return *found;
  const bool single = names == array_names::bare_too;
  refuse_file(output, "has no tensor {}; expected {}{} as `mxprism quantize` writes them",
              io::printable(tensor + "." + array), single ? "codes and scales, or " : "",
              io::printable(tensor + ".codes and .scales"));
}

void expect_bytes(const io::tensor& codes) {
  if (io::bits_of(codes.type) <= 8) return;
  refuse_tensor(codes, "is {}; expected codes, U8 or of a type of at most 8 bits",
                io::name_of(codes.type));
}

std::vector<float> floats_of(const io::tensor* t) {
  if (t == nullptr) return {};
  if (t->type != io::dtype::f32) refuse_tensor(*t, "is {}; expected F32", io::name_of(t->type));
  std::vector<float> values(t->bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), t->bytes.data(), t->bytes.size());
  return values;
}

/// The further arrays of a recipe with corrections or two passes, all of which it needs.
void add_corrections(const mx::recipe& r, const io::tensor_file& output, array_names names,
                     gv::subject& s) {
  const auto bytes_of = [&](const char* array) {
    if (const io::tensor* found = array_of(output, s.name, array, names)) return found->bytes;
    refuse_file(output, "has no tensor {}; expected it as `mxprism quantize` writes it",
                io::printable(s.name + "." + array));
  };
  const bool is_of_whole = gv::is_of_whole({{}, r});
  if (is_of_whole && r.format().has_tensor_scale()) static_cast<void>(bytes_of("tensor_scale"));
  const bool has_factors = r.corrections.macro_block > 0;
  if (has_factors) s.macro_fractions = bytes_of("macro_fractions");
  if (!r.corrections.has_residual()) return;
  s.residual.codes = bytes_of("residual.codes");
  s.residual.scales = bytes_of("residual.scales");
  if (has_factors) s.residual.macro_fractions = bytes_of("residual.macro_fractions");
}

/// The axis counts from the end, which is the same number for tensors of any number of axes unless
/// it was given from the front.
void place_axis(const declared_recipe& declared, const verified_files& files, gv::hypothesis& r) {
  std::set<std::size_t> axes, ranks;
  for (const io::tensor& x : files.input.tensors()) {
    const mx::tensor_axes t = axes_of(x, declared.axis, declared.recipe);
    expect_storable(x, t, declared.recipe);
    ranks.insert(t.extents.size());
    axes.insert(t.extents.size() - 1 - t.axis);
  }
  if (axes.size() > 1) {
    throw usage_error(
        "--axis: counted from the front it is another axis of each tensor; count from the end, or "
        "verify the tensors one by one");
  }
  r.axis = *axes.begin();
  r.axes = ranks.size() == 1 ? *ranks.begin() : 0;
}

/// The tensor that NAME.codes or NAME.residual.codes belongs to.
std::string owner_of(std::string codes) {
  for (const std::string_view end : {".codes", ".residual"}) {
    if (codes.ends_with(end)) codes.resize(codes.size() - end.size());
  }
  return codes;
}

}  // namespace

const io::tensor* array_of(const io::tensor_file& output, const std::string& tensor,
                           const std::string& array, array_names names) {
  const io::tensor* found = output.find(tensor + "." + array);
  return found == nullptr && names == array_names::bare_too ? output.find(array) : found;
}

gv::subject subject_of(const io::tensor& x, const io::tensor_file& output, array_names names) {
  gv::subject s;
  s.name = x.name;
  s.shown = io::printable(x.name);
  s.type = number_type_of(x);
  s.values = x.bytes;
  s.shape = x.shape;
  if (s.shape.empty()) s.shape.push_back(1);
  const io::tensor& codes = needed(output, x.name, "codes", names);
  expect_bytes(codes);
  s.codes = codes.bytes;
  s.scales = needed(output, x.name, "scales", names).bytes;
  s.tensor_scales = floats_of(array_of(output, x.name, "tensor_scale", names));
  return s;
}

verified_files files_of(const std::string& input, const io::name_patterns& names,
                        const std::string& output, const mx::recipe& declared) {
  verified_files files{load_numbers(input, names), io::load(output), {}};
  const bool single = files.input.tensors().size() == 1;
  const array_names called = single ? array_names::bare_too : array_names::with_tensor;
  std::set<std::string> verified;
  for (const io::tensor& x : files.input.tensors()) {
    files.subjects.push_back(subject_of(x, files.output, called));
    add_corrections(declared, files.output, called, files.subjects.back());
    verified.insert(x.name);
  }
  if (files.subjects.empty()) throw io::file_error(input, "has no tensors; expected at least one");
  for (const io::tensor& t : files.output.tensors()) {
    if (!t.name.ends_with(".codes") || !io::matches(names, owner_of(t.name))) continue;
    const bool has_owner = verified.contains(t.name.substr(0, t.name.size() - 6)) ||
                           verified.contains(owner_of(t.name));
    if (has_owner || (single && t.name == "residual.codes")) continue;
    throw io::file_error(output, t.name, fmt::format("has no tensor to compare with in {}", input));
  }
  return files;
}

gv::hypothesis recipe_of(const declared_recipe& declared, const verified_files& files) {
  expect_quantizer(declared.recipe);
  gv::hypothesis r;
  r.recipe = declared.recipe;
  place_axis(declared, files, r);
  if (declared.packing == packing_source::shapes) {
    r.recipe.codes = order_of_codes(r, files.subjects.front());
  }
  return r;
}

void expect_sizes(const gv::hypothesis& r, const verified_files& files, const gv::diagnosis& d) {
  if (d.verdict == gv::verdict::explained) return;
  for (std::size_t k = 0; k < d.tensors.size(); ++k) {
    if (d.tensors[k].fits) continue;
    const gv::subject& s = files.subjects[k];
    throw io::file_error(files.output.path(), s.name, gv::sizes_text(r, s));
  }
}

}  // namespace sim::cli
