// SPDX-License-Identifier: Apache-2.0
// sim/report/style_sheet.h: the style of the page: light, dark and printed.
#pragma once
#include <string>

namespace sim {

/// CSS, with the colours of svg.h's styles.
[[nodiscard]] std::string style_sheet();

}  // namespace sim
