// SPDX-License-Identifier: Apache-2.0
// sim/report/explored_page.h: a page whose table sorts and filters, whose charts show the row of a
// mark under the pointer, and whose figures and rows are saved as SVG and CSV, offline.
#pragma once
#include <string>
#include <string_view>

#include "sim/report/html.h"

namespace sim {

/// The table whose rows the marks of a page's charts number, in the order of adding, from 0.
[[nodiscard]] std::string explored_table(const html_table& table);

/// A self-contained page with one explored_table.
///   title  plain text
[[nodiscard]] std::string explored_page(std::string_view title, const std::string& body);

/// The text of explored_page.js.
[[nodiscard]] std::string_view explored_page_script() noexcept;

}  // namespace sim
