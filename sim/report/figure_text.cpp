// SPDX-License-Identifier: Apache-2.0
// sim/report/figure_text.cpp: numbers and names as text.
#include "sim/report/figure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "golden/io/shown_text.h"

namespace sim {
namespace {

constexpr int most_decimals = 6;
constexpr const char* minus_sign = "\u2212";

/// Decimals that show `digits` significant digits of v.
int decimals_for(double v, int digits) {
  int decimals = digits - 1;
  for (double size = std::abs(v); size < 1 && decimals < 9; size *= 10) ++decimals;
  for (double size = std::abs(v); size >= 10 && decimals > 0; size /= 10) --decimals;
  return decimals;
}

std::string with_minus(std::string text) {
  if (!text.empty() && text.front() == '-') {
    return (shows_zero(text) ? "" : minus_sign) + text.substr(1);
  }
  return text;
}

bool is_tiny(double v) { return v != 0 && std::abs(v) < 1e-5; }

std::string tiny_text(double v) {
  const std::string text = fmt::format("{:.1e}", v);
  const std::size_t e = text.find('e');
  return with_minus(text.substr(0, e)) + "e" + minus_sign +
         text.substr(text[e + 2] == '0' ? e + 3 : e + 2);
}

/// "3e15"
std::string huge_text(double v) {
  std::string text = fmt::format("{:.10g}", v);
  std::erase(text, '+');
  return with_minus(text);
}

/// Whether a byte is no continuation byte of UTF-8.
bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

}  // namespace

bool shows_zero(std::string_view number) {
  return number.find_first_of("123456789") == std::string_view::npos;
}

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string_view last_characters(std::string_view text, std::size_t count) {
  std::size_t begin = text.size();
  while (begin > 0 && count > 0) count -= begins_character(text[--begin]) ? 1 : 0;
  return text.substr(begin);
}

std::string escaped(std::string_view text) {
  constexpr std::string_view special = "&<>\"";
  constexpr std::array<std::string_view, 4> entities{"&amp;", "&lt;", "&gt;", "&quot;"};
  std::string result;
  while (!text.empty()) {
    const std::size_t i = special.find(text[0]);
    const golden::io::shown_character next = golden::io::first_shown(text);
    result += i < special.size() ? std::string(entities[i]) : next.text;
    text.remove_prefix(next.length);
  }
  return result;
}

std::string number_text(double v, int decimals) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "Inf" : std::string(minus_sign) + "Inf";
  if (std::abs(v) >= 1e15) return huge_text(v);
  return with_minus(fmt::format("{:.{}f}", v, decimals));
}

std::string number_text(double v) {
  if (v == 0 || !std::isfinite(v)) return number_text(v, 0);
  if (is_tiny(v)) return tiny_text(v);
  return number_text(v, std::min(decimals_for(v, 3), most_decimals));
}

std::string short_text(double v) {
  return v != 0 && std::abs(v) < 1e-3 ? tiny_text(v) : number_text(v);
}

int decimals_of(const estimate& e) {
  if (!std::isfinite(e.value)) return 0;
  if (std::isfinite(e.standard_error) && e.standard_error > 0) {
    const int decimals = decimals_for(e.standard_error, 1);
    double lead = e.standard_error;
    for (int i = 0; i < decimals; ++i) lead *= 10;
    return std::min(decimals + (lead < 3.55 ? 1 : 0), most_decimals);
  }
  return e.value == 0 ? 0 : std::min(decimals_for(e.value, 3), most_decimals);
}

std::string value_text(const estimate& e) {
  const bool scientific = is_tiny(e.value) && (e.standard_error == 0 || is_tiny(e.standard_error));
  return scientific ? tiny_text(e.value) : number_text(e.value, decimals_of(e));
}

std::string estimate_text(const estimate& e) {
  if (e.standard_error == 0 || std::isnan(e.value)) return value_text(e);
  if (is_tiny(e.standard_error)) {
    const bool is_short = e.value == 0 || is_tiny(e.value) || !std::isfinite(e.value);
    return fmt::format("{} \u00B1 {}",
                       is_short ? number_text(e.value) : number_text(e.value, most_decimals),
                       number_text(e.standard_error));
  }
  return fmt::format("{} \u00B1 {}", value_text(e), number_text(e.standard_error, decimals_of(e)));
}

std::string signed_text(const estimate& e) { return (e.value > 0 ? "+" : "") + estimate_text(e); }

std::string estimate_cell(const estimate& e) {
  const std::string text = estimate_text(e);
  const std::size_t error = text.find(" \u00B1");
  if (error == std::string::npos) return text;
  return text.substr(0, error) + " <small>" + text.substr(error + 1) + "</small>";
}

std::string signed_cell(const estimate& e) { return (e.value > 0 ? "+" : "") + estimate_cell(e); }

std::string cell_or_dash(const std::optional<estimate>& e) {
  return e ? estimate_cell(*e) : "\u2013";
}

std::string grouped_text(long long v) {
  std::string result = fmt::format("{}", v);
  for (std::size_t i = result.size(); i > 3 && result[i - 4] != '-';) {
    i -= 3;
    result.insert(i, ",");
  }
  return result;
}

}  // namespace sim
