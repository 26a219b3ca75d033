// SPDX-License-Identifier: Apache-2.0
// golden/bindings/energy.h: energies of the core as the structure of the C ABI.
#pragma once
#include "mx/block/energy_sums.h"
#include "mxprism/tensor.h"

namespace bindings {

[[nodiscard]] inline mx_energy energy_of(const mx::error_energy& e) {
  const auto count = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  const mx::energy_sums& s = e.sums;
  mx_energy made = {};
  made.total = s.total, made.scale = s.scale, made.deadzone = s.deadzone;
  made.grid = s.grid, made.clip = s.clip, made.scale_dead = s.scale_dead;
  made.scale_deadzone = s.scale_deadzone, made.scale_grid = s.scale_grid;
  made.scale_clip = s.scale_clip, made.deadzone_grid = s.deadzone_grid;
  made.deadzone_clip = s.deadzone_clip, made.grid_clip = s.grid_clip;
  made.x_squared = s.x_squared, made.x_quantized = s.x_quantized;
  made.elements = count(e.elements), made.dead = count(e.dead);
  made.dead_actual = count(e.dead_actual), made.blocks = count(e.blocks);
  made.special_blocks = count(e.special_blocks);
  made.identity_violations = count(e.identity_violations);
  return made;
}

}  // namespace bindings
