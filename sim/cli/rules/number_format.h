// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/number_format.h: names of the formats of numbers, narrow and wide, as typed and
// told.
#pragma once
#include <string>

#include "mx/format.h"

namespace sim::cli {

/// "e4m3", "bf16", "tf32", "f32"
[[nodiscard]] std::string number_format_name(const mx::format& f);

/// "e8m0", "ue4m3", "fp32"
[[nodiscard]] std::string scale_format_name(const mx::format& f);

/// The format of a name: f16 bf16 tf32 f32, or an element as --format spells it.
///   errors  std::invalid_argument with what was expected
[[nodiscard]] mx::format number_format_spelled(const std::string& name);

/// The format of scales of a name; ue8m0 is e8m0.
///   errors  std::invalid_argument with what was expected
[[nodiscard]] mx::format scale_format_spelled(const std::string& name);

}  // namespace sim::cli
