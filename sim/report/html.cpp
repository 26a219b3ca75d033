// SPDX-License-Identifier: Apache-2.0
// sim/report/html.cpp: the HTML elements of a report.
#include "sim/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/report/figure_text.h"
#include "sim/report/style_sheet.h"

namespace sim {
namespace {

std::string head_row(const std::vector<std::string>& head) {
  std::string result = "<tr>";
  for (const std::string& cell : head) result += fmt::format("<th>{}</th>", escaped(cell));
  return result + "</tr>\n";
}

}  // namespace

std::string section(std::string_view id, std::string_view title, const std::string& body) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, escaped(title), body);
}

std::string heading(std::string_view title) { return fmt::format("<h3>{}</h3>\n", escaped(title)); }

std::string paragraph(const std::string& body) { return fmt::format("<p>{}</p>\n", body); }

std::string lines(std::string_view plain_text) {
  std::string html;
  for (std::size_t begin = 0; begin < plain_text.size();) {
    const std::size_t end = std::min(plain_text.find('\n', begin), plain_text.size());
    html += paragraph(escaped(plain_text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return html;
}

std::string note(const std::string& body) {
  return fmt::format("<p class=\"note\">{}</p>\n", body);
}

std::string code(std::string_view plain_text) {
  return fmt::format("<code>{}</code>", escaped(plain_text));
}

std::string strong(const std::string& body) { return fmt::format("<b>{}</b>", body); }

std::string fold(std::string_view title, const std::string& body) {
  return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", escaped(title), body);
}

std::string panels(const std::vector<std::string>& parts, panel_width width) {
  std::string result =
      fmt::format("<div class=\"panels{}\">\n", width == panel_width::half ? " wide" : "");
  for (const std::string& part : parts) result += fmt::format("<div>{}</div>\n", part);
  return result + "</div>\n";
}

std::string explored(const html_table& table) {
  return fmt::format("<div class=\"explored\">\n{}</div>\n", table.html());
}

std::string html_page(std::string_view title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n"
      "<script>//<![CDATA[\n{}//]]></script>\n</body>\n</html>\n",
      escaped(title), style_sheet(), body, page_script());
}

html_table::html_table(std::vector<std::string> head, narrow_screen narrow)
    : head_(std::move(head)), narrow_(narrow) {}

void html_table::row(const std::vector<std::string>& row_cells) {
  body_ += "<tr>";
  for (std::size_t i = 0; i < row_cells.size(); ++i) {
    const bool is_named = i > 0 && narrow_ == narrow_screen::cards;
    const std::string name = is_named ? fmt::format(" data-head=\"{}\"", escaped(head_[i])) : "";
    body_ += fmt::format("<{0}{2}>{1}</{0}>", i == 0 ? "th" : "td", row_cells[i], name);
  }
  body_ += "</tr>\n";
  ++rows_;
}

std::string html_table::html() const {
  return fmt::format(
      "<div class=\"scroll\"><table{}>\n<thead>\n{}</thead>\n<tbody>\n{}</tbody>\n</table></div>\n",
      narrow_ == narrow_screen::cards ? " class=\"rows\"" : "", head_row(head_), body_);
}

}  // namespace sim
