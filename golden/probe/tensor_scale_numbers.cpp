// SPDX-License-Identifier: Apache-2.0
// golden/probe/tensor_scale_numbers.cpp: tensor scales by every formula, and magnitudes on which
// they differ.
#include "golden/probe/tensor_scale_numbers.h"

#include "golden/probe/partition.h"
#include "golden/validator/tensor/numbers.h"
#include "golden/validator/tensor/tensor_formula.h"

namespace golden::probe {
namespace {

using validator::tensor_formula;
using validator::tensor_formulas;

/// Numbers from 1 to 2 of all bits of BF16, or of FP16.
std::vector<float> short_magnitudes(mx::number_type type) {
  const int count = type == mx::number_type::bf16 ? 1 << 7 : 1 << 10;
  std::vector<float> list;
  for (int k = 0; k < count; ++k) {
    list.push_back(1.0F + static_cast<float>(k) / static_cast<float>(count));
  }
  return list;
}

/// The groups of formulas, split by their numbers for one more magnitude.
partition refined(partition groups, const mx::block_format& f, float amax) {
  groups.split_by([&](std::size_t k) {
    return std::to_string(mx::bits_of(tensor_scale_by(tensor_formulas[k], f, amax)));
  });
  return groups;
}

/// Pairs of formulas that no magnitude has separated.
std::size_t equal_pairs(const partition& groups) {
  std::size_t pairs = 0;
  for (const std::vector<std::size_t>& group : groups.all()) {
    pairs += group.size() * (group.size() - 1) / 2;
  }
  return pairs;
}

}  // namespace

std::vector<float> magnitudes_of_scales(const mx::block_format& f, mx::number_type type) {
  const std::vector<float> candidates = short_magnitudes(type);
  partition groups(first_numbers(tensor_formulas.size()));
  std::vector<float> list;
  for (;;) {
    partition finest = groups;
    float best = 0;
    for (const float amax : candidates) {
      partition finer = refined(groups, f, amax);
      if (equal_pairs(finer) >= equal_pairs(finest)) continue;
      finest = std::move(finer);
      best = amax;
    }
    if (best == 0) return list;
    groups = std::move(finest);
    list.push_back(best);
  }
}

tensor_scale_numbers numbers_for(const mx::block_format& f, float amax) {
  using enum tensor_formula;
  return {.divided = tensor_scale_by(quotient, f, amax),
          .multiplied = tensor_scale_by(reciprocal, f, amax),
          .in_two = tensor_scale_by(bound_first, f, amax),
          .inverted = tensor_scale_by(of_encode, f, amax)};
}

std::vector<tensor_scale_numbers> tensor_scales_of(const mx::block_format& f,
                                                   std::span<const validator::subject> subjects) {
  std::vector<tensor_scale_numbers> list;
  if (f.tensor != mx::tensor_scaling::per_tensor) return list;
  for (const validator::subject& s : subjects) {
    if (s.tensor_scales.size() != 1) continue;
    const std::uint32_t amax = magnitudes_of(s, validator::precision::as_given).finite;
    if (amax == 0) continue;
    tensor_scale_numbers n = numbers_for(f, mx::float_of(amax));
    n.tensor = s.name;
    n.found = s.tensor_scales.front();
    const bool differ =
        n.divided != n.multiplied || n.divided != n.in_two || n.divided != n.inverted;
    if (differ) list.push_back(std::move(n));
  }
  return list;
}

}  // namespace golden::probe
