// SPDX-License-Identifier: Apache-2.0
// sim/report/html.h: the HTML elements of a report. Arguments are HTML unless noted.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sim {

/// title: plain text
[[nodiscard]] std::string section(std::string_view id, std::string_view title,
                                  const std::string& body);
[[nodiscard]] std::string heading(std::string_view title);
[[nodiscard]] std::string paragraph(const std::string& body);
/// A paragraph for each line of plain text.
[[nodiscard]] std::string lines(std::string_view plain_text);
/// A remark beside the figures.
[[nodiscard]] std::string note(const std::string& body);
[[nodiscard]] std::string code(std::string_view plain_text);
[[nodiscard]] std::string strong(const std::string& body);
/// A section that opens on a click, and in print.
[[nodiscard]] std::string fold(std::string_view title, const std::string& body);
/// Charts or tables side by side, as many as fit: three on a wide screen, two if they are wide.
enum class panel_width { third, half };
[[nodiscard]] std::string panels(const std::vector<std::string>& parts,
                                 panel_width width = panel_width::third);

/// A self-contained page in the style of style_sheet.h. Its tables sort and filter, its figures and
/// tables are saved as SVG and CSV, labels turn lines off. title: plain text
[[nodiscard]] std::string html_page(std::string_view title, const std::string& body);

/// A table on a narrow screen: scrolls sideways, or shows each row as a card with the column's head
/// before each number.
enum class narrow_screen { scrolls, cards };

/// A table; the first column holds names, the others numbers.
class html_table {
 public:
  /// head: one cell a column, plain text
  explicit html_table(std::vector<std::string> head, narrow_screen narrow = narrow_screen::scrolls);

  /// cells: HTML
  void row(const std::vector<std::string>& cells);
  [[nodiscard]] bool empty() const { return rows_ == 0; }
  [[nodiscard]] std::string html() const;

 private:
  std::vector<std::string> head_;
  narrow_screen narrow_;
  std::string body_;
  std::size_t rows_ = 0;
};

/// The table whose rows the marks of a page's charts number, in the order of adding, from 0; one a
/// page.
[[nodiscard]] std::string explored(const html_table& table);

}  // namespace sim
