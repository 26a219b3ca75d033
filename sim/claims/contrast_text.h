// SPDX-License-Identifier: Apache-2.0
// sim/claims/contrast_text.h: parses a contrast: "mbs - mxfp4", "0.2 fp32 - 0.2 mxfp4".
#pragma once
#include <optional>
#include <string_view>

#include "sim/claims/stated_claim.h"

namespace sim {

/// Words apart by blanks: names, each after an optional weight, and between them + or -, since
/// names contain these characters too. The first may follow a -.
///   returns  no value for any other text
[[nodiscard]] std::optional<linear_contrast> contrast_in(std::string_view text);

}  // namespace sim
