// SPDX-License-Identifier: Apache-2.0
// sim/report/style_sheet.h: the style of the page, light, dark and printed, and its script.
#pragma once
#include <string>
#include <string_view>

namespace sim {

/// CSS, with the colours of svg.h's styles.
[[nodiscard]] std::string style_sheet();

/// The text of page_script.js.
[[nodiscard]] std::string_view page_script() noexcept;

}  // namespace sim
