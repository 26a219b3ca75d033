// SPDX-License-Identifier: Apache-2.0
// sim/study/stored_bits.cpp: see stored_bits.h.
#include "sim/study/stored_bits.h"

#include <algorithm>

#include "sim/study/contractions.h"
#include "sim/study/format_rules.h"

namespace sim {
namespace {

/// A fraction of at most 8 bits takes one byte, else two.
double bits_of_macro_blocks(const mx::corrections& c, int length) {
  if (c.macro_block == 0) return 0;
  return (c.macro_bits <= 8 ? 8.0 : 16.0) / std::min(c.macro_block, length);
}

/// X, W or dY of a linear: how many elements it has for each token of a batch, or of a weight in
/// all, and the length of its lines.
///   at  the operand that it is, in the pass that quantizes it
struct stored_operand {
  double elements;
  int length;
};

stored_operand stored_at(const study& s, const pass_format& f, const operand_origin& at,
                         const product_place& of) {
  const auto [inputs, outputs] = extents_of(s.policy, of.which);
  const bool backward = at.pass == pass::dgrad || at.pass == pass::wgrad;
  const double tokens = is_of_experts(of.which) ? static_cast<double>(s.policy.parts_a_token()) /
                                                      s.policy.parts_of_layer()
                                                : 1;
  const int length = at.pass == pass::wgrad   ? s.task.sequence * f.sequences
                     : at.pass == pass::dgrad ? outputs
                                              : inputs;
  if (at.role == operand_role::data && backward) return {tokens * outputs, length};
  if (at.role == operand_role::other && at.pass != pass::wgrad) {
    return {static_cast<double>(inputs) * outputs, length};
  }
  const bool counted = owner_of_input(of.which) == of.which;
  return {counted ? tokens * inputs : 0, length};
}

}  // namespace

double bits_an_element(const mx::block_format& f) {
  const int bits = f.scale.width();
  const int stored = f.precision == mx::scale_precision::exact ? 0
                     : bits <= 8                               ? 8
                     : bits <= 16                              ? 16
                                                               : 32;
  return f.element.width() + static_cast<double>(stored) / f.size();
}

std::optional<double> bits_an_element(const mx::operand& f, int length) {
  if (f.numbers == mx::operand_numbers::fp32) return 32;
  if (f.numbers == mx::operand_numbers::bf16) return 16;
  if (f.toggle != mx::toggle::none) return {};
  const mx::corrections& c = f.recipe.corrections;
  const double one_pass = bits_an_element(f.recipe.format()) + bits_of_macro_blocks(c, length);
  return c.has_residual() ? 2 * one_pass : one_pass;
}

std::optional<double> bits_an_element(const study& s, const pass_format& f, pass p,
                                      operand_role role) {
  double bits = 0, elements = 0;
  for (int layer = 0; layer < s.policy.layers; ++layer) {
    for (const product_place& at : linears_of(s.policy, layer)) {
      const stored_operand stored = stored_at(s, f, origin_of(f, p, role), at);
      const auto each = bits_an_element(format_at(f, p, at).of(role), stored.length);
      if (!each) return {};
      bits += *each * stored.elements;
      elements += stored.elements;
    }
  }
  return bits / elements;
}

}  // namespace sim
