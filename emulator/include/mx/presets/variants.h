// SPDX-License-Identifier: Apache-2.0
// mx/presets/variants.h: the names of all presets of public kernels, and the table of each.
// Source: of each preset in its `source`.
#pragma once
#include <array>
#include <cstddef>

#include "mx/presets/element_variants.h"
#include "mx/presets/mx_variants.h"
#include "mx/presets/nvfp4_variants.h"

namespace mx {

/// The table of a preset, which determines the functions that accept it.
///   mx       mx_variant_table         nvfp4    nvfp4_presets::all
///   element  element_variant_table    decoder  decoder_variant_table
enum class variant_family : std::uint8_t { mx, nvfp4, element, decoder };

struct variant_entry {
  variant about;
  variant_family family = variant_family::mx;
  std::size_t index = 0;  ///< in the table of its family
};

/// All presets, family by family.
[[nodiscard]] constexpr auto joined_variants() {
  std::array<variant_entry, std::size(mx_variant_table) + std::size(nvfp4_presets::all) +
                                std::size(element_variant_table) + std::size(decoder_variant_table)>
      all{};
  std::size_t at = 0;
  const auto append = [&all, &at](const auto& table, variant_family family) {
    std::size_t index = 0;
    for (const auto& v : table) all[at++] = {v.about, family, index++};
  };
  append(mx_variant_table, variant_family::mx);
  append(nvfp4_presets::all, variant_family::nvfp4);
  append(element_variant_table, variant_family::element);
  append(decoder_variant_table, variant_family::decoder);
  return all;
}

inline constexpr auto variant_table = joined_variants();

/// The entry of a name; null if there is none.
[[nodiscard]] constexpr const variant_entry* variant_named(std::string_view name) noexcept {
  return preset_named(variant_table, name);
}

/// Whether a preset quantizes to a format.
[[nodiscard]] constexpr bool covers(const variant& v, const block_format& f) noexcept {
  for (const block_format& covered : v.formats) {
    if (covered == f) return true;
  }
  return false;
}

/// The same of any preset; only those of NVFP4 may.
[[nodiscard]] constexpr bool draws_bits(const variant_entry& v) noexcept {
  return v.family == variant_family::nvfp4 && draws_bits(nvfp4_presets::all[v.index]);
}

static_assert(variant_named("torchao.rceil")->family == variant_family::mx);
static_assert(variant_named("te.nvfp4")->family == variant_family::nvfp4);

}  // namespace mx
