// SPDX-License-Identifier: Apache-2.0
// sim/report/factorial_section.cpp: all terms of the factorial, under both meanings.
#include <fmt/format.h>

#include "sim/report/figure_text.h"
#include "sim/report/findings.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"
#include "sim/study/toggle_cells.h"

namespace sim {
namespace {

std::string effect_table(const effects& e) {
  html_table table({"term", "injection", "operation"});
  for (const std::size_t t : {1, 2, 4, 3, 5, 6, 7}) {
    table.row({fmt::format("m({})", cell_names[t]), signed_cell(e.injection.moebius[t]),
               signed_cell(e.operation.moebius[t])});
  }
  for (std::size_t i = 0; i < 3; ++i) {
    table.row({fmt::format("Shapley, {}", component_words[i]), signed_cell(e.injection.shapley[i]),
               signed_cell(e.operation.shapley[i])});
  }
  table.row({"total", signed_cell(e.injection.total), signed_cell(e.operation.total)});
  table.row({"non-additivity", estimate_cell(e.injection.non_additivity),
             estimate_cell(e.operation.non_additivity)});
  return table.html();
}

/// Tables of one outlier factor, side by side.
std::string effect_tables(const run_data& run, long long outliers) {
  std::vector<std::string> tables;
  for (const figure& f : all_figures) {
    const auto e = effects_on(run.figures, f.metric, outliers);
    if (!e) continue;
    tables.push_back(fmt::format("<div>\n<h4>{}</h4>\n{}{}</div>\n", f.words, effect_table(*e),
                                 paragraph("Largest part: " + culprit_words(*e) + ".")));
  }
  return tables.empty() ? "" : panels(tables, panel_width::half);
}

}  // namespace

std::string factorial_section(const run_data& run) {
  std::string body = paragraph(
      "Each figure over the eight cells of scale (S), deadzone (D) and grid (G). m(T) is what the "
      "parts of T do together beyond what fewer of them do; the seven terms add up to the total. A "
      "Shapley value is a part's own term, half of its pairs and a third of the triple; the three "
      "add up to the total too. Non-additivity is |total \u2212 main terms| over the sum of all "
      "|m|. Standard errors by a paired jackknife. Under each table the largest part and whether "
      "the "
      "meanings agree on it, as in the summary; of two parts, that of injection comes first.");
  bool any = false;
  for (const long long outliers : run.figures.outliers()) {
    const std::string tables = effect_tables(run, outliers);
    if (tables.empty()) continue;
    const std::string title = fmt::format("Outliers \u00D7{}", outliers);
    body += any ? fold(title, tables) : heading(title) + tables;
    any = true;
  }
  if (const std::string apart = why_not_compared(run.of); !any && !apart.empty()) {
    body = note(escaped(fmt::format("The factorial is left out: {}.", apart)));
  } else if (!any) {
    body = note(
        "The factorial was not measured: it needs the arms inj-s, inj-d, inj-g, inj-sd, inj-sg, "
        "inj-dg, op-sd and op-sg.");
  }
  return section("factorial", "Factorial of the three parts", body);
}

}  // namespace sim
