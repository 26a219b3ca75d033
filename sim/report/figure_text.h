// SPDX-License-Identifier: Apache-2.0
// sim/report/figure_text.h: numbers and names as text.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sim/study/statistics.h"

namespace sim {

/// Text in one line, escaped for HTML and SVG. Control characters and invalid UTF-8, which neither
/// can hold, are shown as golden::io::shown does.
[[nodiscard]] std::string escaped(std::string_view text);

/// Number of characters shown: all bytes but UTF-8 continuation bytes.
[[nodiscard]] std::size_t characters_in(std::string_view text);

/// The last `count` characters, all of a text that has fewer.
[[nodiscard]] std::string_view last_characters(std::string_view text, std::size_t count);

/// Whether a number's text has no digit but 0: it needs no sign.
[[nodiscard]] bool shows_zero(std::string_view number);

/// Three significant digits, or the number of decimals of an axis' step; from 1e15 on "1.5e15",
/// with ten digits at most.
[[nodiscard]] std::string number_text(double v);
[[nodiscard]] std::string number_text(double v, int decimals);
/// For narrow places: "0.0112", and below 0.001 "3.5e-4", with a minus sign.
[[nodiscard]] std::string short_text(double v);

/// Decimals that show one significant digit of the standard error, or two if it begins
/// with less than 3.55: the rounding of the Particle Data Group. Without a finite one, those of
/// three significant digits.
[[nodiscard]] int decimals_of(const estimate& e);

/// "0.063"; with "+0.063" from `signed_text`.
[[nodiscard]] std::string value_text(const estimate& e);
/// "0.0633 ± 0.0021"; without the error if it is 0, or if there is no value.
[[nodiscard]] std::string estimate_text(const estimate& e);
/// "+0.0633 ± 0.0021", for effects.
[[nodiscard]] std::string signed_text(const estimate& e);

/// The same as HTML for the cells of tables, with the error in small print.
[[nodiscard]] std::string estimate_cell(const estimate& e);
[[nodiscard]] std::string signed_cell(const estimate& e);
[[nodiscard]] std::string cell_or_dash(const std::optional<estimate>& e);

/// "398,080"
[[nodiscard]] std::string grouped_text(long long v);

}  // namespace sim
