// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/format_figures.h: widths, limits and values of formats, as listed.
#pragma once
#include <string>

#include "mx/block/block_format.h"
#include "sim/cli/terminal/json_text.h"

namespace sim::cli {

/// "e8m0", "exact": the scales of a format.
[[nodiscard]] std::string scale_name_of(const mx::block_format& f);

/// "1/2/1": bits of sign, exponent, fraction.
[[nodiscard]] std::string fields_of(const mx::format& f);
/// Smallest positive and largest finite number.
[[nodiscard]] std::string limits_of(const mx::format& f);
/// "NaN Inf -0": the special values of a format.
[[nodiscard]] std::string specials_of(const mx::format& f);

/// Bits, bias, limits, specials.
[[nodiscard]] ordered_json figures_json(const mx::format& f);
/// Element, scale, block, tensor scale.
[[nodiscard]] ordered_json figures_json(const mx::block_format& f);

/// Magnitudes of the codes 0, 1, 2, ... without sign, of at most 8 bits.
[[nodiscard]] std::vector<float> magnitudes_of(const mx::format& f);

}  // namespace sim::cli
