// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_bundle.cpp: a folder that replays the smallest block that shows a
// difference.
#include <fmt/format.h>

#include <optional>

#include "golden/io/replaced_file.h"
#include "golden/validator/tensor/numbers.h"
#include "golden/validator/tensor/rendering.h"
#include "sim/cli/quantize/coded_tensor.h"
#include "sim/cli/verify/bundle_folder.h"
#include "sim/cli/verify/verify_report.h"

namespace sim::cli {
namespace {

namespace gv = golden::validator;
namespace io = golden::io;

/// Blocks as rows: the input, and the output found.
struct bundle {
  std::vector<float> values;
  std::vector<std::uint8_t> codes, scales;
};

void add_block(const gv::prediction& p, std::uint64_t block, bundle& to) {
  gv::predicted_block made;
  p.make(block, made);
  const gv::found_block found = gv::found_at(p, block);
  to.values.insert(to.values.end(), made.given.begin(), made.given.end());
  to.codes.insert(to.codes.end(), found.codes.begin(), found.codes.end());
  for (std::uint64_t k = 0; k < p.where().bytes_a_scale(); ++k) {
    to.scales.push_back(static_cast<std::uint8_t>(found.scale >> (8 * k)));
  }
}

/// The block with the largest finite number, which determines a tensor scale; requires elements.
std::uint64_t largest_block(const gv::prediction& p) {
  std::uint64_t at = 0;
  std::uint32_t largest = 0;
  for (std::uint64_t k = 0; k < p.of().elements(); ++k) {
    const std::uint32_t size = mx::bits_of(gv::number_at(p.of(), k)) & 0x7FFFFFFFU;
    if (size > largest && size < 0x7F800000U) largest = size, at = k;
  }
  return p.where().block_of(at);
}

/// The block of the first difference, or else the largest; of a tensor without elements none.
bundle bundle_of(const gv::prediction& p, const std::optional<gv::difference>& first) {
  bundle b;
  if (p.of().elements() == 0) return b;
  const std::uint64_t block = first ? first->block : largest_block(p);
  add_block(p, block, b);
  const bool tensor = p.kernel().format().has_tensor_scale();
  if (tensor && largest_block(p) != block) add_block(p, largest_block(p), b);
  return b;
}

std::string command_of(const verified& v) {
  const mx::recipe_words recipe = mx::words_of(v.declared.recipe);
  const std::string words = "mxprism verify found.safetensors --input input.safetensors --format " +
                            *recipe.format + " --packing unpacked";
  if (recipe.variant) return words + " --variant " + *recipe.variant;
  return words + " --scale-rule " + *recipe.scale_rule + " --rounding " + *recipe.rounding;
}

template <class T>
io::byte_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)};
}

void write_coded(const std::string& path, const bundle& b, const gv::hypothesis& r,
                 const std::vector<float>& tensor_scales) {
  const auto columns = static_cast<std::uint64_t>(r.format().columns);
  const io::dtype type = scale_type(r.format());
  const std::uint64_t scales = b.scales.size() * 8 / io::bits_of(type);
  std::vector<io::tensor> tensors{
      {"codes", io::dtype::u8, {b.codes.size() / columns, columns}, bytes_of(b.codes), path},
      {"scales", type, {scales, 1}, bytes_of(b.scales), path}};
  if (!tensor_scales.empty()) {
    tensors.push_back(
        {"tensor_scale", io::dtype::f32, {tensor_scales.size()}, bytes_of(tensor_scales), path});
  }
  io::save(path, tensors);
}

}  // namespace

void write_bundle(const verified& v, const std::string& folder) {
  const std::size_t k = v.found.first_differing();
  const gv::tensor_result& r = v.found.tensors[k];
  make_bundle_folder(folder);
  gv::extent_memory extents;
  const gv::prediction whole(v.rules, v.files.subjects[k], extents);
  bundle found = bundle_of(whole, r.found.first);
  const auto columns = static_cast<std::uint64_t>(v.rules.format().columns);
  gv::subject s;
  s.shape = {found.values.size() / columns, columns};
  s.values = bytes_of(found.values);
  s.codes = found.codes;
  s.scales = found.scales;
  gv::hypothesis rules = v.rules;
  rules.axis = 0;
  rules.recipe.layout = mx::scale_layout::linear;
  rules.recipe.codes.packing = mx::code_packing::unpacked;
  gv::extent_memory of_bundle;
  const gv::prediction alone(rules, s, of_bundle);
  gv::rendered expected = gv::render(alone);
  write_coded(folder + "/found.safetensors", found, rules, v.files.subjects[k].tensor_scales);
  write_coded(folder + "/expected.safetensors",
              {{}, std::move(expected.codes), std::move(expected.scales)}, rules,
              alone.written_tensor_scales());
  const std::vector<io::tensor> input{
      {"x", io::dtype::f32, s.shape, bytes_of(found.values), folder}};
  io::save(folder + "/input.safetensors", input);
  golden::io::write_text(
      folder + "/README.txt",
      fmt::format("{}\n\n{}\n\n  {}\n", gv::first_text(v.found), replay_line, command_of(v)));
}

}  // namespace sim::cli
