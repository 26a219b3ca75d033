// SPDX-License-Identifier: Apache-2.0
// sim/study/pass_refusal.cpp: whether a pass can compute its products, and why not.
#include "sim/study/pass_refusal.h"

#include <fmt/format.h>

#include "mx/recipe_words.h"
#include "sim/study/contractions.h"
#include "sim/study/operand_words.h"
#include "sim/study/study_words.h"

namespace sim {
namespace {

using refusal = pass_refusal;

/// A contraction of the pass that its rotation does not divide; null if there is none. The tokens
/// of wgrad are padded with zeros.
const contraction* undivided(const std::array<contraction, 8>& all, const pass_format& f, pass p) {
  if (f.rotation.size == 0 || p == pass::wgrad) return nullptr;
  for (const contraction& c : all) {
    const bool own = c.of == (p == pass::rollout ? pass::forward : p);
    if (own && c.length % f.rotation.size != 0) return &c;
  }
  return nullptr;
}

refusal forward_refusal(const arithmetic& a, pass p) {
  const pass_format& f = formats_of(a, p);
  if (f.source == operand_source::own) return refusal::none;
  if (p == pass::rollout || p == pass::forward) return refusal::forward_pass;
  if (!f.multiplies_values() || !a.forward.multiplies_values()) return refusal::forward_model;
  const bool rotated = f.rotation.size != 0 || a.forward.rotation.size != 0;
  return rotated ? refusal::forward_rotation : refusal::none;
}

/// Whether an operand is one code an element and one scale a block.
refusal code_refusal(const mx::operand& f) {
  const mx::block_format& blocks = f.recipe.format();
  if (f.toggle != mx::toggle::none || !(f.recipe.is_plain() || f.recipe.has_preset())) {
    return refusal::off_grid;
  }
  if (blocks.precision == mx::scale_precision::exact) return refusal::exact_scale;
  if (blocks.scale.width() > 8) return refusal::wide_scale;
  return blocks.tensor == mx::tensor_scaling::per_row ? refusal::row_scale : refusal::none;
}

bool has_own_format(const mx::operand& f, const mx::dot_model& m, operand_role role) {
  const mx::block_format& blocks = f.recipe.format();
  return blocks.element == (role == operand_role::data ? m.a : m.b) && blocks.scale == m.scale &&
         blocks.columns == m.block;
}

/// Of one operand, under a model that multiplies codes.
refusal side_refusal(const pass_format& f, operand_role role) {
  const mx::operand& o = f.of(role);
  const mx::dot_model& m = f.model->model;
  const bool own = f.model->operands == mx::operands::of_model;
  if (own && m.block == 0 && !(m.a == mx::formats::bfloat16)) return refusal::model_numbers;
  if (o.numbers == mx::operand_numbers::fp32) return refusal::fp32_operand;
  if (own && m.block == 0) return o.is_coded() ? refusal::unscaled : refusal::none;
  if (own && !o.is_coded()) return refusal::scaled;
  if (!o.is_coded()) return refusal::none;
  if (const refusal why = code_refusal(o); why != refusal::none) return why;
  return own && !has_own_format(o, m, role) ? refusal::other_format : refusal::none;
}

bool has_equal_blocks(const pass_format& f) {
  if (f.data.is_coded() != f.other.is_coded()) return false;
  const mx::block_format &a = f.data.recipe.format(), &b = f.other.recipe.format();
  return !f.data.is_coded() || (a.columns == b.columns && a.scale == b.scale);
}

/// Scales of one byte leave room for the sums of every model.
pass_fault model_fault(const pass_format& f) {
  if (f.multiplies_values()) return {};
  for (const operand_role role : {operand_role::data, operand_role::other}) {
    const refusal why = side_refusal(f, role);
    if (why != refusal::none) return {why, role};
  }
  if (has_equal_blocks(f)) return {};
  return {refusal::unequal_blocks};
}

std::string word_of(const mx::operand& f) {
  if (f.is_coded()) return mx::format_word(f.recipe);
  return std::string(text_of(number_words, f.numbers));
}

/// "e2m1:e8m0:32"
std::string model_format(const mx::named_model& model, operand_role role) {
  const mx::dot_model& m = model.model;
  const mx::format& element = role == operand_role::data ? m.a : m.b;
  return mx::spelling_of(mx::block_format{element, m.scale, 1, m.block});
}

std::string model_sentence(const pass_format& f, const pass_fault& fault) {
  const mx::named_model& model = *f.model;
  const std::string_view name = model.name;
  const std::string word = word_of(f.of(fault.role));
  switch (fault.why) {
    case refusal::fp32_operand:
      return fmt::format("FP32 is multiplied under fp32.fma alone; give it a format that {} takes",
                         name);
    case refusal::model_numbers:
      return fmt::format(
          "{} takes {} without scales, which no operand has; use fp32.fma, or a model of bf16 or "
          "of blocks",
          name, mx::number_format_name(model.model.a));
    case refusal::unscaled:
      return fmt::format("{} takes bf16, and not {}; use bf16, or a model of blocks", name, word);
    case refusal::scaled:
      return fmt::format("{} takes {}, and not {}; use such a recipe, or a model of bf16", name,
                         model_format(model, fault.role), word);
    case refusal::off_grid:
      return fmt::format(
          "{} multiplies codes and scales, and parts or corrections leave their grid; leave them "
          "out of {}, or use fp32.fma",
          name, word);
    case refusal::exact_scale:
      return fmt::format("{} multiplies codes, and an exact scale has none; use fp32.fma", name);
    case refusal::wide_scale:
      return fmt::format(
          "{} takes scales of one byte, such as e8m0 and ue4m3, and not those of {}; use such a "
          "scale, or fp32.fma",
          name, word);
    case refusal::row_scale:
      return fmt::format(
          "under {} an operand has one tensor scale; use `tensor` in {}, or fp32.fma", name, word);
    case refusal::other_format:
      return fmt::format("{} takes {}, and not {}; use its format, or another model", name,
                         model_format(model, fault.role), word);
    case refusal::unequal_blocks:
      return fmt::format(
          "{} takes the same blocks and scales on both sides, and these are {} and {}; use one of "
          "them, or fp32.fma",
          name, word_of(f.data), word_of(f.other));
    default:
      return "";
  }
}

}  // namespace

pass_fault fault_of(const arithmetic& a, pass p, const policy_shape& shape) {
  const pass_format& f = formats_of(a, p);
  if (mx::line_refusal_of(f.data) != mx::operand_refusal::none) return {refusal::whole};
  if (p == pass::wgrad && mx::line_refusal_of(f.other) != mx::operand_refusal::none) {
    return {refusal::whole, operand_role::other};
  }
  if (const refusal why = forward_refusal(a, p); why != refusal::none) {
    return {why, operand_role::other};
  }
  if (undivided(contractions_of(shape, {}), f, p) != nullptr) return {refusal::rotation};
  return model_fault(f);
}

std::string sentence_of(const arithmetic& a, pass p, const policy_shape& shape,
                        const pass_fault& fault) {
  const pass_format& f = formats_of(a, p);
  const std::string_view pass_name = text_of(pass_words, p);
  switch (fault.why) {
    case refusal::none:
      return "";
    case refusal::whole:
      return fmt::format("{} of {}: {}", name_of(p, fault.role), pass_name,
                         sentence_of(f.of(fault.role), mx::operand_refusal::whole));
    case refusal::forward_pass:
      return fmt::format("{} has a W of its own; name a format, \"forward\" is for dgrad and wgrad",
                         pass_name);
    case refusal::forward_model:
      return fmt::format(
          "the {} of forward are values, multiplied under fp32.fma; leave model out in forward and "
          "{}, or name a format",
          name_of(p, operand_role::other), pass_name);
    case refusal::forward_rotation:
      return fmt::format(
          "forward and {} contract {} along different axes, so rotated values do not serve both; "
          "leave rotate out, or name a format",
          pass_name, name_of(p, operand_role::other));
    case refusal::rotation: {
      const auto all = contractions_of(shape, {});
      const contraction& c = *undivided(all, f, p);
      return fmt::format("rotations of {} do not divide {} ({} elements); use a smaller one",
                         f.rotation.size, c.products, c.length);
    }
    default:
      return fmt::format("{} of {}: {}", name_of(p, fault.role), pass_name,
                         model_sentence(f, fault));
  }
}

std::string_view key_of(const pass_fault& fault) {
  if (fault.why >= refusal::fp32_operand) return "model";
  if (fault.why == refusal::rotation) return "rotate";
  return fault.role == operand_role::data ? "data" : "other";
}

std::string_view name_of(pass p, operand_role role) {
  const bool backward = p == pass::dgrad || p == pass::wgrad;
  if (role == operand_role::data) return backward ? "dY" : "X";
  return p == pass::wgrad ? "X" : "W";
}

}  // namespace sim
