// SPDX-License-Identifier: Apache-2.0
// mx/dot/models.h: the names of all models of dot products, and the readings of zeros that their
// sources dispute. For A and B of two formats, as in FP8 instructions: with_formats(model, a, b).
// Source: of each model in its `source`. Open choices: D-031, D-032.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

#include "mx/dot/amd_models.h"
#include "mx/dot/blackwell_models.h"
#include "mx/dot/block_scaled_models.h"
#include "mx/dot/generic_models.h"
#include "mx/dot/nvidia_models.h"

namespace mx {

/// Concatenates tables.
template <std::size_t... Sizes>
[[nodiscard]] constexpr auto joined_models(const std::array<named_model, Sizes>&... tables) {
  std::array<named_model, (Sizes + ...)> all{};
  std::size_t at = 0;
  const auto append = [&all, &at](const auto& table) {
    for (const named_model& entry : table) all[at++] = entry;
  };
  (append(tables), ...);
  return all;
}

inline constexpr auto model_table =
    joined_models(accumulations::generic_models(), tensor_cores::volta_to_ada_models(),
                  tensor_cores::hopper_models(), tensor_cores::blackwell_models(),
                  tensor_cores::block_scaled_models(), matrix_cores::amd_models());

/// Models whose C has a format of its own, in addition to those of model_table.
inline constexpr auto first_step_model_table = tensor_cores::first_step_models();

/// The entry of a name; null if there is none.
[[nodiscard]] constexpr const named_model* model_named(std::string_view name) noexcept {
  for (const named_model& entry : model_table) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

/// Another source's exponent of zeros for a model: with_zeros(model, zero_term::each_zero, exponent).
/// Results differ only if all terms are tiny.
struct zero_alternate {
  std::string_view name;  ///< of the model
  int zero_exponent;
  std::string_view source;
};

inline constexpr std::array zero_alternate_table{
    zero_alternate{"hopper.wgmma.e4m3.f32", -139, "badasherez/gpu-simulator, utils/utils.h"},
    zero_alternate{"hopper.wgmma.e5m2.f32", -139, "badasherez/gpu-simulator, utils/utils.h"},
    zero_alternate{"turing.mma.f16.f16", -21, "bksaiki/fpy, examples/mmasim/models/nv.py"},
    zero_alternate{"hopper.mma.f16.f16", -22, "bksaiki/fpy, examples/mmasim/models/nv.py"},
    zero_alternate{"hopper.wgmma.f16.f16", -133, "bksaiki/fpy, examples/mmasim/models/nv.py"}};

[[nodiscard]] constexpr bool all_models_are_sound() noexcept {
  for (const named_model& entry : model_table) {
    if (!is_sound(entry.model)) return false;
  }
  return true;
}
static_assert(all_models_are_sound());
static_assert(model_named("blackwell.mxf4")->model.sum.fraction_bits == 35);
static_assert(model_named("volta.mma.bf16.f32") == nullptr);

}  // namespace mx
