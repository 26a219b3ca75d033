// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/block_factor.cpp: factors of blocks along K, quantized here or stored by
// `quantize`.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "golden/io/counted.h"
#include "mx/presets/variants.h"
#include "sim/cli/products/gemm_factor.h"
#include "sim/cli/quantize/decoded_tensor.h"
#include "sim/cli/terminal/input_tensor.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

/// The format that a model's name specifies.
std::string format_of_model(const factor_request& r) {
  const mx::dot_model& m = r.model.model;
  const mx::format& f = r.side == factor_side::a ? m.a : m.b;
  if (m.scale == mx::formats::ue4m3 && m.block == 16) return "nvfp4";
  return fmt::format("{}:{}:{}", mx::spelling_of(f), scale_format_name(m.scale), m.block);
}

rule_options with_default_format(const factor_request& r) {
  rule_options o = r.rules;
  const bool of_model = r.model.operands == mx::operands::of_model;
  if (!o.format && !o.variant && of_model) o.format = format_of_model(r);
  return o;
}

/// Refuses recipes with more than codes and one scale a block, and blocks that the model rejects.
void expect_product_format(const mx::recipe& how, const factor_request& r) {
  const mx::block_format& f = how.format();
  const std::string name = mx::format_word(how);
  const auto refuse = [&](const std::string& why) {
    throw usage_error("--format {}: {}", name, why);
  };
  if (how.is_corrected()) {
    refuse("a product takes codes and scales alone; leave the correction out");
  }
  if (f.rows > 1) refuse("a product takes blocks along K; use blocks of one row");
  if (f.scale.width() > 8) refuse("a product takes scales of one byte, such as e8m0 and ue4m3");
  if (f.tensor == mx::tensor_scaling::per_row) {
    refuse("a product takes one tensor scale; use `tensor`");
  }
  const mx::dot_model& m = r.model.model;
  if (r.model.operands == mx::operands::any) return;
  const mx::format& own = r.side == factor_side::a ? m.a : m.b;
  if (m.block == 0) refuse(fmt::format("{} takes no scales", r.model.name));
  if (!(f.element == own) || !(f.scale == m.scale) || f.columns != m.block) {
    refuse(fmt::format("{} takes {} for {}", r.model.name, format_of_model(r),
                       r.side == factor_side::a ? "A" : "B"));
  }
}

std::optional<float> tensor_scale_in(io::byte_view bytes) {
  if (bytes.size() != sizeof(float)) return {};
  float scale = 1;
  std::memcpy(&scale, bytes.data(), sizeof scale);
  return scale;
}

/// A factor's shape, with blocks along an axis of a tensor.
gemm_factor shaped(const mx::coded_shape& s, const mx::recipe& how) {
  const mx::block_format& f = how.format();
  const std::vector<std::uint64_t>& extents = s.values.extents;
  gemm_factor factor;
  factor.name = mx::format_word(how);
  factor.rules = how.has_preset() ? fmt::format("as {} does", mx::preset_of(how).about.name)
                                  : fmt::format("{}, {}", scale_rule_name(how), rounding_name(how));
  factor.element = f.element;
  factor.scale = f.scale;
  factor.block = f.columns;
  factor.k = s.blocks.length;
  factor.padded = s.sizes.code_bytes_along;
  factor.lines = extents.size() == 1 ? 1 : extents[s.values.axis == 0 ? 1 : 0];
  return factor;
}

/// Codes and scales, transposed where lines run across the rows.
void place_codes(const mx::tensor_axes& t, io::byte_buffer codes, io::byte_buffer scales,
                 gemm_factor& factor) {
  const auto blocks = factor.padded / static_cast<std::uint64_t>(factor.block);
  const bool across = t.extents.size() == 2 && t.axis == 0;
  factor.codes =
      across ? transposed(codes.data(), factor.padded, factor.lines, 1) : std::move(codes);
  factor.scales = across ? transposed(scales.data(), blocks, factor.lines, 1) : std::move(scales);
}

/// Refuses a file in another format than the one requested.
void expect_requested_format(const io::tensor_file& file, const mx::recipe& how,
                             const std::string& requested) {
  mx::recipe_words words;
  words.format = requested;
  if (requested != "none" && mx::format_word(recipe_of(words)) == mx::format_word(how)) return;
  refuse_file(file, "its codes are in {}; --format asks for {}", mx::format_word(how), requested);
}

bool has_tensor_scale(const io::tensor_file& file) {
  return std::ranges::any_of(file.tensors(), [](const io::tensor& t) {
    return t.name == "tensor_scale" || t.name.ends_with(".tensor_scale");
  });
}

/// Whether a file of codes records its format.
bool records_format(const io::tensor_file& file) {
  return note(file, "format") != nullptr || note(file, "variant") != nullptr;
}

/// Refuses options that do not apply to a file of codes.
void expect_applicable(const io::tensor_file& file, const factor_request& r) {
  if (r.model.operands == mx::operands::of_model && r.model.model.block == 0) {
    refuse_file(file, "holds codes and scales; {} takes no scales", r.model.name);
  }
  if (r.order == matrix_order::row_major) return;
  throw usage_error(
      "--{}-order: {} holds codes, whose metadata give the axis of their blocks; leave it out",
      r.side == factor_side::a ? "a" : "b", file.path());
}

/// The recipe of a file of codes: from its metadata, else the requested format, or the model's.
file_recipe stored_recipe(const io::tensor_file& file, const factor_request& r) {
  const bool recorded = records_format(file);
  mx::recipe_words requested;
  if (!recorded) {
    const rule_options o = with_default_format(r);
    requested.format = o.format;
    requested.variant = o.variant;
  }
  file_recipe how = recipe_of(file, requested);
  expect_decoder(how.recipe);
  if (recorded && r.rules.format) expect_requested_format(file, how.recipe, *r.rules.format);
  try {
    expect_product_format(how.recipe, r);
  } catch (const usage_error& wrong) {
    if (!recorded) throw;
    refuse_file(file, "its metadata: {}", wrong.what());
  }
  // Blocks of NVFP4 may have no tensor scale at all.
  const bool bare = !how.recipe.has_preset() && !has_tensor_scale(file);
  if (bare) how.recipe.rules.format.tensor = mx::tensor_scaling::none;
  return how;
}

/// The recipe of a factor: codes one a byte and scales in linear order, as products read them.
mx::recipe factor_recipe(const factor_request& r) {
  mx::recipe how = recipe_of(with_default_format(r));
  how.codes = {mx::code_packing::unpacked, mx::nibble_order::low_first};
  how.layout = mx::scale_layout::linear;
  expect_quantizer(how);
  expect_product_format(how, r);
  return how;
}

}  // namespace

gemm_factor quantized_factor(const io::tensor& tensor, const factor_request& r) {
  const mx::recipe how = factor_recipe(r);
  const bool vector = tensor.shape.size() == 1;
  const mx::tensor_axes t = axes_of(tensor, r.has_k_last() && !vector ? 1 : 0, how);
  expect_storable(tensor, t, how);
  const mx::coded_shape shape = mx::coded_shape_of(how, t);
  gemm_factor factor = shaped(shape, how);
  progress_bar bar(io::printable(tensor.name), shape.sizes.blocks);
  coded_tensor made = coded(tensor, t, how, bar);
  io::byte_buffer codes, scales;
  for (io::owned_tensor& array : made.arrays) {
    if (array.name == "codes") codes = std::move(array.bytes);
    if (array.name == "scales") scales = std::move(array.bytes);
    if (array.name == "tensor_scale") factor.tensor_scale = tensor_scale_in(array.bytes.view());
  }
  place_codes(t, std::move(codes), std::move(scales), factor);
  factor.special_blocks = made.counts.special_blocks;
  factor.origin = factor_origin::quantized;
  factor.tensor = {tensor.name, tensor.type, tensor.shape, {}, tensor.source};
  return factor;
}

gemm_factor stored_factor(const io::tensor_file& file, const factor_request& r) {
  expect_applicable(file, r);
  const file_recipe how = stored_recipe(file, r);
  std::vector<coded_source> sources = sources_of(file, how, {});
  if (sources.size() != 1) {
    refuse_file(file, "has the codes of {}; expected those of one",
                io::counted(sources.size(), "tensor"));
  }
  const coded_source& s = sources.front();
  expect_factor_shape(*s.first.codes, s.values.empty() ? s.shape.values.extents : s.values,
                      r.side == factor_side::a ? "A is (M, K), or (K)" : "B is (N, K), or (K)");
  gemm_factor factor = shaped(s.shape, how.recipe);
  ordered_codes stored = ordered(s);
  place_codes(s.shape.values, std::move(stored.codes), std::move(stored.scales), factor);
  if (s.tensor_scale != nullptr) factor.tensor_scale = tensor_scale_in(s.tensor_scale->bytes);
  if (!records_format(file)) factor.rules = "by rules that the file does not tell";
  factor.tensor = {s.first.codes->name, s.first.codes->type, s.values, {}, file.path()};
  return factor;
}

}  // namespace sim::cli
