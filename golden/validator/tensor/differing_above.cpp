// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/differing_above.cpp: tensor scales and macro fractions that differ, by
// their lines along the axis and their macro blocks.
#include "differing_above.h"

#include <algorithm>

#include "mx/tensor/corrected.h"

namespace golden::validator {
namespace {

/// The tensor, its axis padded to whole blocks.
mx::blocked_shape padded(const geometry& g) {
  mx::blocked_shape shape = g.shape();
  shape.length = g.blocks_along() * g.columns();
  return shape;
}

std::uint64_t lines_of(const geometry& g) {
  return g.shape().outer * g.shape().rows * g.shape().inner;
}

void mark(std::vector<char>& marks, std::uint64_t extent,
          const std::vector<std::uint64_t>& places) {
  if (!places.empty()) marks.resize(extent);
  for (const std::uint64_t place : places) marks[place] = 1;
}

bool are_all(const std::vector<char>& marks) {
  return !marks.empty() && std::ranges::find(marks, 0) == marks.end();
}

}  // namespace

differing_above::differing_above(const prediction& p)
    : g_(p.where()),
      macro_block_(static_cast<std::uint64_t>(p.kernel().recipe.corrections.macro_block)),
      fractions_along_(mx::macro_blocks_along(p.kernel().recipe.corrections, padded(p.where()))) {
  add_tensor_scales(p);
  add_fractions(p);
  if (const auto residual = p.residual()) add_fractions(*residual);
  // Numbers that the hypothesis lacks are no line's and no macro block's.
  const bool placed = !lines_.empty() || !macro_blocks_.empty();
  all_ = all_ ||
         (placed ? are_all(lines_) || are_all(macro_blocks_) : p.differing_numbers().has_value());
}

void differing_above::add_tensor_scales(const prediction& p) {
  const std::vector<std::uint64_t> differing = p.differing_tensor_scales();
  numbers_ += differing.size();
  if (p.of().tensor_scales.size() == lines_of(g_)) {
    mark(lines_, lines_of(g_), differing);
  } else {
    all_ = !differing.empty();  // one of the tensor, or of no line
  }
}

void differing_above::add_fractions(const prediction& p) {
  const std::vector<std::uint64_t> differing = p.differing_fractions();
  numbers_ += differing.size();
  mark(macro_blocks_, lines_of(g_) * fractions_along_, differing);
}

bool differing_above::is_above(std::uint64_t block) const {
  if (all_ || numbers_ == 0) return all_;
  const block_place at = g_.place(block);
  const std::uint64_t line = g_.vector_of(at);
  if (!lines_.empty() && lines_[line] != 0) return true;
  if (macro_blocks_.empty()) return false;
  // In the order (o, r, macro block along the axis, i) of mx::coded_pass.
  const std::uint64_t along = at.along * g_.columns() / macro_block_;
  const std::uint64_t inner = g_.shape().inner;
  return macro_blocks_[(line / inner * fractions_along_ + along) * inner + line % inner] != 0;
}

}  // namespace golden::validator
