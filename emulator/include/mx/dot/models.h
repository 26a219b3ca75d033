// SPDX-License-Identifier: Apache-2.0
// mx/dot/models.h: the names of all models of dot products, and the readings of zeros that their
// sources dispute. For A and B of two formats, as in FP8 instructions: with_formats(model, a, b).
// Source: of each model in its `source`. Open choices: D-031, D-032, D-045.
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

/// Another source's exponent of zeros for a model: with_zeros(model, zero_term::each_zero,
/// exponent). Results differ only if all terms are tiny, and of FP8 and narrower factors not at
/// all.
struct zero_alternate {
  std::string_view name;  ///< of the model
  int zero_exponent;
  std::string_view source;
};

/// Whether a model's result is FP16, whose zeros MMA-Sim 2.0 and fpy read lower (D-045).
[[nodiscard]] constexpr bool has_lower_zeros(const named_model& entry) noexcept {
  return entry.model.sum.result == formats::binary16;
}

/// Their exponent: that of the instruction's FP32 results in `wgmma` and `tcgen05`, else one lower.
[[nodiscard]] constexpr int lower_zero_exponent(const named_model& entry) noexcept {
  const bool wide = entry.name.find(".wgmma.") != std::string_view::npos ||
                    entry.name.find(".tcgen05.") != std::string_view::npos;
  return wide ? -133 : entry.model.sum.zero_exponent - 1;
}

[[nodiscard]] constexpr std::size_t count_of_lower_zeros() noexcept {
  std::size_t count = 0;
  for (const named_model& entry : model_table) count += has_lower_zeros(entry) ? 1 : 0;
  return count;
}

/// Hopper's FP8, then every model with an FP16 result.
[[nodiscard]] constexpr auto zero_alternates() noexcept {
  constexpr std::string_view hopper = "badasherez/gpu-simulator, utils/utils.h";
  std::array<zero_alternate, 2 + count_of_lower_zeros()> all{
      zero_alternate{"hopper.wgmma.e4m3.f32", -139, hopper},
      zero_alternate{"hopper.wgmma.e5m2.f32", -139, hopper}};
  std::size_t at = 2;
  for (const named_model& entry : model_table) {
    if (!has_lower_zeros(entry)) continue;
    all[at++] = {entry.name, lower_zero_exponent(entry),
                 "microsoft/MMA-Sim 2.0, nv_ptx/sim.py; bksaiki/fpy, "
                 "examples/mmasim/models/nv.py"};
  }
  return all;
}

inline constexpr auto zero_alternate_table = zero_alternates();

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
