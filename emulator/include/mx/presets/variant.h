// SPDX-License-Identifier: Apache-2.0
// mx/presets/variant.h: common properties of the quantizers of public kernels, as values: identity,
// evidence, and conversion of an element. The families are mx_variants.h, nvfp4_variants.h and
// element_variants.h; the table of all names is variants.h.
// Source: of each preset in its `source`.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "mx/block/block_format.h"
#include "mx/number/rounding.h"
#include "mx/tensor/packing.h"

namespace mx {

/// Evidence for a preset.
///   run         the public code, or a port of it alone, was run and produced the tested witnesses
///   read        the public code was read
///   one_source  stated by a single third-party text or test
enum class evidence : std::uint8_t { run, read, one_source };

/// "run", "read", "one source"
[[nodiscard]] constexpr std::string_view name_of(evidence rests_on) noexcept {
  constexpr std::string_view names[] = {"run", "read", "one source"};
  return names[static_cast<int>(rests_on)];
}

/// Identity and evidence of a preset.
struct variant {
  std::string_view name;    ///< as typed: `torchao.rceil`
  std::string_view source;  ///< repository: file
  std::string_view doubts;  ///< what is undefined, approximate or unknown; may be empty
  evidence rests_on = evidence::read;
  std::span<const block_format> formats;           ///< supported formats; the first is the default
  nibble_order packing = nibble_order::low_first;  ///< of 4-bit codes
};

/// The preset of a name in a table of mx/presets; null if there is none.
template <class Table>
[[nodiscard]] constexpr auto preset_named(const Table& table, std::string_view name) noexcept
    -> decltype(&table[0]) {
  for (const auto& preset : table) {
    if (preset.about.name == name) return &preset;
  }
  return nullptr;
}

/// Code of a NaN element. Infinite elements of a preset may take the same code.
///   all_ones         every bit but the sign: NaN in E4M3 and E5M2, +max where there is no NaN
///   signed_all_ones  the same with the sign
///   fraction         as signed_all_ones where the format has a NaN; else 1.fraction of the NaN
///                    with the sign, rounded: 1.5 for a plain one
///   one_and_a_half   1.5, positive
///   zero             +0
///   opposite_zero    a zero with the opposite sign
enum class nan_element : std::uint8_t {
  all_ones,
  signed_all_ones,
  fraction,
  one_and_a_half,
  zero,
  opposite_zero
};

/// Code of an infinite element: the largest with the sign, or that of NaN.
enum class infinite_element : std::uint8_t { saturate, as_nan };

/// Sign of an element that becomes zero.
///   kept        of -0 and of what rounds to zero
///   of_nonzero  -0 becomes +0, what rounds to zero keeps its sign
///   positive    -0 is never produced
enum class zero_sign : std::uint8_t { kept, of_nonzero, positive };

/// Arithmetic by which an element is rounded.
///   exact          as specified by the rounding
///   cut_below_one  below 1, bits under 2^-23 are shifted out first, and do not count against a tie
///   fp32_sums      floor(RNE32(|x| + 1/2)) in the unit of the binade given by a rounded log2
///   search         the first of 16 codes with the smallest RNE32(|value * scale - x|), never -0
enum class element_method : std::uint8_t { exact, cut_below_one, fp32_sums, search };

/// Conversion of a value already divided by its scale to a code. Finite values saturate.
struct element_conversion {
  mx::rounding rounding = rounding::ties_to_even;
  nan_element nan = nan_element::all_ones;
  infinite_element infinite = infinite_element::saturate;
  zero_sign zero = zero_sign::kept;
  element_method method = element_method::exact;

  friend constexpr bool operator==(const element_conversion&, const element_conversion&) = default;
};

}  // namespace mx
