// SPDX-License-Identifier: Apache-2.0
// sim/report/cost_section.cpp: bits that the operands of every arm take, pass by pass.
#include <fmt/format.h>

#include <algorithm>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"
#include "sim/study/stored_bits.h"
#include "sim/study/study_words.h"

namespace sim {
namespace {

/// "4.25", "4.3125": up to four decimals, without zeros at the end.
std::string bits_text(const std::optional<double>& bits) {
  if (!bits) return "\u2013";
  std::string text = fmt::format("{:.4f}", *bits);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string bits_text(const study& s, const arm& a, pass p) {
  const pass_format& f = formats_of(a.formats, p);
  const std::string data = bits_text(bits_an_element(s, f, p, operand_role::data)),
                    other = bits_text(bits_an_element(s, f, p, operand_role::other));
  return data == other ? data : fmt::format("{} by {}", data, other);
}

/// Arms whose passes take the same bits, in the order of the study.
struct cost_row {
  std::vector<std::string> bits, arms;
};

std::vector<cost_row> rows_of(const study& s) {
  std::vector<cost_row> rows;
  for (const arm& a : s.arms) {
    std::vector<std::string> bits;
    for (const pass p : all_passes) bits.push_back(bits_text(s, a, p));
    auto row = std::ranges::find(rows, bits, &cost_row::bits);
    if (row == rows.end()) row = rows.insert(row, {bits, {}});
    row->arms.push_back(escaped(a.name));
  }
  return rows;
}

}  // namespace

std::string cost_section(const run_data& run) {
  std::vector<std::string> titles{"arms"};
  for (const pass p : all_passes) titles.emplace_back(text_of(pass_words, p));
  html_table table(titles, narrow_screen::cards);
  for (const cost_row& row : rows_of(run.of)) {
    std::vector<std::string> texts{fmt::format("{}", fmt::join(row.arms, ", "))};
    texts.insert(texts.end(), row.bits.begin(), row.bits.end());
    table.row(texts);
  }
  const std::string body =
      paragraph(
          "Bits that an element of both operands takes where it is stored, with its share of "
          "scales, "
          "of the factors of macro blocks, and of the residual of an outlier fallback, as if "
          "every block had one: the mean over the elements of all linears, of which some may have "
          "a format of their own, and some a contraction that is shorter than a macro block. A "
          "dash: parts of an error alone are no stored format.") +
      table.html() +
      note(
          "Seconds depend on the machine and are no part of a run, whose files are the same on "
          "every one; <code>mxprism bench</code> measures a training step of each kind of arm "
          "beside FP32's.");
  return section("cost", "Cost", body);
}

}  // namespace sim
