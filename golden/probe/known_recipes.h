// SPDX-License-Identifier: Apache-2.0
// golden/probe/known_recipes.h: known kernel behaviour for a format, as recipes that a probe is to
// distinguish.
#pragma once
#include <string>
#include <vector>

#include "golden/validator/dimension.h"
#include "golden/validator/hypothesis.h"
#include "golden/validator/tensor/subject.h"

namespace golden::probe {

/// The inputs that determine whether two recipes differ.
///   block   a block's numbers, and the amax of the tensor
///   amax    the amax of the tensor, by its tensor scale
///   places  also the positions of blocks and bytes
enum class decided_by : std::uint8_t { block, amax, places };

struct known_recipe {
  std::string name;  ///< "scale_rule ceil, element_rounding toward-zero", "variant torchao.rceil"
  validator::hypothesis rules;
  decided_by by = decided_by::block;
};

/// The format's own rules, in tensors of two axes.
[[nodiscard]] validator::hypothesis plain_recipe(const mx::block_format& f);

/// Every scale rule with every rounding, some with numbers in BF16; presets, orders of operations;
/// and each other change of the plain recipe by itself. The plain recipe comes first.
///   shape  of a tensor for which they are meant
[[nodiscard]] std::vector<known_recipe> known_recipes(const mx::block_format& f,
                                                      const std::vector<std::uint64_t>& shape);

/// Scale rules with roundings only; the plain recipe's come first.
[[nodiscard]] std::vector<known_recipe> ruled_recipes(const mx::block_format& f);

}  // namespace golden::probe
