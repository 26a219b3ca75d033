// SPDX-License-Identifier: Apache-2.0
// mx/presets/mx_variants.h: all presets with E8M0 scales, and their quantizer.
// Source: of each preset in its `source`.
#pragma once
#include <array>

#include "mx/presets/mx_presets_cpp.h"
#include "mx/presets/mx_presets_cuda.h"
#include "mx/presets/mx_presets_triton.h"
#include "mx/presets/mx_variant_quantizer.h"

namespace mx {

/// Concatenates tables.
template <std::size_t... Counts>
[[nodiscard]] constexpr auto joined_mx_variants(const mx_variant (&... tables)[Counts]) {
  std::array<mx_variant, (Counts + ...)> all{};
  std::size_t at = 0;
  const auto append = [&all, &at](const auto& table) {
    for (const mx_variant& v : table) all[at++] = v;
  };
  (append(tables), ...);
  return all;
}

inline constexpr auto mx_variant_table =
    joined_mx_variants(mx_presets::torch_table, mx_presets::triton_table, mx_presets::cuda_table,
                       mx_presets::cpp_table);

}  // namespace mx
