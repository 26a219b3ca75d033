// SPDX-License-Identifier: Apache-2.0
// sim/cli/explain/explained_variant.h: one block as a preset's kernel quantizes it.
#pragma once
#include <string>
#include <vector>

#include "mx/presets/bulk_variants.h"
#include "sim/cli/rules/chosen_recipe.h"
#include "sim/cli/terminal/json_text.h"

namespace sim::cli {

struct explained_variant {
  const mx::variant_entry* entry = nullptr;
  mx::block_format format;
  bool special = false;  ///< the values include a NaN or an Inf
  std::vector<mx::variant_tensor_scale> tensor;
  std::uint8_t scale = 0;
  std::vector<float> x, values;  ///< the input, and the preset's decoded values
  std::vector<std::uint8_t> codes;
};

/// One block of the values, padded with zeros, as the whole tensor.
///   r       with a preset
///   errors  usage_error where the preset computes no scales
[[nodiscard]] explained_variant explained_by(const mx::recipe& r, const std::vector<float>& x);

[[nodiscard]] std::string text_of(const explained_variant& block);
[[nodiscard]] ordered_json json_of(const explained_variant& block);

}  // namespace sim::cli
