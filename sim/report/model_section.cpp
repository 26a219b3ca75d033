// SPDX-License-Identifier: Apache-2.0
// sim/report/model_section.cpp: see model_section.h.
#include "sim/report/model_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/study/contractions.h"
#include "sim/study/study_words.h"

namespace sim {
namespace {

/// In percent; a dash for a pass under `fp32.fma` itself.
std::string share_cell(const run_data& run, const std::string& arm, pass p) {
  for (const metric_row* row : run.figures.rows_of("train", arm, model_difference_metric)) {
    if (row->passes != text_of(pass_words, p)) continue;
    return row->value == 0 ? "0" : number_text(100 * row->value) + " %";
  }
  return "\u2013";
}

bool changes_something(const run_data& run, const std::string& arm) {
  return std::ranges::any_of(run.figures.rows_of("train", arm, model_difference_metric),
                             [](const metric_row* row) { return row->value != 0; });
}

/// "contract over 32 to 384 elements".
std::string lengths_of(const study& s) {
  const auto contractions = contractions_of(s.policy, s.task);
  const auto [low, high] = std::ranges::minmax(contractions, {}, &contraction::length);
  return fmt::format("contract over {} to {} elements", low.length, high.length);
}

}  // namespace

std::string model_section(const run_data& run) {
  std::vector<std::string> titles{"arm"}, unchanged;
  for (const pass p : all_passes) titles.emplace_back(text_of(pass_words, p));
  html_table table(titles, narrow_screen::cards);
  for (const arm& a : run.of.arms) {
    if (run.figures.rows_of("train", a.name, model_difference_metric).empty()) continue;
    std::vector<std::string> texts{escaped(a.name)};
    for (const pass p : all_passes) texts.push_back(share_cell(run, a.name, p));
    table.row(texts);
    if (!changes_something(run, a.name)) unchanged.push_back(escaped(a.name));
  }
  if (table.empty()) return "";
  std::string body = paragraph(
                         "Share of the results of step 1 that differ in any bit from those of "
                         "<code>fp32.fma</code> "
                         "on the same operands, for each pass under another model of products.") +
                     table.html();
  if (!unchanged.empty()) {
    body += note(fmt::format(
        "Where no result differs ({}), training repeats that of the same operands under fp32.fma: "
        "the products here {}, and sums that short of such narrow numbers keep all their bits in "
        "every accumulator compared.",
        fmt::join(unchanged, ", "), lengths_of(run.of)));
  }
  return section("models", "What a model of products changes", body);
}

}  // namespace sim
