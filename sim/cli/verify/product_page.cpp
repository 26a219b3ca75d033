// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_page.cpp: a diagnosis of a product as a page.
#include <fmt/format.h>

#include "sim/cli/verify/product_report.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/page_frame.h"

namespace sim::cli {
namespace {

namespace gv = golden::validator;

/// Every model, against D under the declared plan.
std::string models_table(const product_diagnosis& d) {
  html_table table(
      {"model", "evidence", "verdict", "differ", "first, row", "column", "expected", "found"});
  for (const gv::judged_model& model : d.models) {
    std::vector<std::string> cells{code(model.entry->name),
                                   escaped(mx::name_of(model.entry->rests_on)),
                                   model.is_consistent() ? "consistent" : "excluded"};
    if (const auto& first = model.found.first) {
      cells.insert(cells.end(), {grouped_text(static_cast<long long>(model.found.mismatches())),
                                 fmt::format("{}", first->row), fmt::format("{}", first->column),
                                 escaped(gv::word_text(d.output(), first->expected)),
                                 escaped(gv::word_text(d.output(), first->found))});
    } else {
      cells.insert(cells.end(), {"0", "", "", "", ""});
    }
    table.row(cells);
  }
  return table.html();
}

}  // namespace

std::string page_of(const product_diagnosis& d, const std::string& source) {
  const std::string title = fmt::format("Verdict: {}", name_of(d.verdict));
  return titled_page(title, source,
                     {{"verdict", "Verdict",
                       section("verdict", "What the product follows", lines(report_text(d)))},
                      {"models", "Models", section("models", "Models", models_table(d))}});
}

}  // namespace sim::cli
