// SPDX-License-Identifier: Apache-2.0
// sim/report/four_cells.cpp: see four_cells.h; and the section of one run.
#include "sim/report/four_cells.h"

#include <fmt/format.h>

#include <cmath>

#include "golden/io/counted.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"

namespace sim {
namespace {

std::optional<double> value_at(const curve& c, double step) {
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    if (c.steps[i] == step) return c.values[i];
  }
  return {};
}

/// "0.352 ± 0.005", the error of a share of independent answers.
std::string final_cell(const run_data& run, const std::string& arm) {
  const curve c = run.figures.along("train", arm, "accuracy_final_in_fp32");
  if (c.values.empty()) return "\u2013";
  const double p = c.values.back();
  return estimate_cell({p, std::sqrt(p * (1 - p) / run.of.measurement.final_problems)});
}

std::string signed_number(double v) {
  if (std::abs(v) < 0.0005) return "0.000";  // also what rounding leaves of a sum of zero
  return (v > 0 ? "+" : "") + number_text(v, 3);
}

void add_row(html_table& table, const run_data& run, const std::string& arm, const four_cells& c) {
  table.row({escaped(arm), number_text(c.fp32_arm, 3), number_text(c.arm_fp32, 3),
             number_text(c.arm_arm, 3), signed_number(c.inference()), signed_number(c.learning()),
             signed_number(c.interaction()), final_cell(run, arm)});
}

}  // namespace

std::optional<four_cells> cells_of(const run_data& run, const std::string& arm, double step) {
  const auto at = [&](const std::string& name, const char* metric) {
    return value_at(run.figures.along("train", name, metric), step);
  };
  const auto reference = at(run.of.arms.front().name, "accuracy_sampled");
  const auto of_fp32 = at(arm, "accuracy_sampled_of_fp32");
  const auto in_fp32 = at(arm, "accuracy_sampled_in_fp32");
  const auto own = at(arm, "accuracy_sampled");
  if (!reference || !of_fp32 || !in_fp32 || !own) return {};
  return four_cells{*reference, *of_fp32, *in_fp32, *own};
}

std::optional<double> last_step_of_cells(const run_data& run) {
  const curve c = run.figures.along("train", run.of.arms.front().name, "accuracy_sampled_in_fp32");
  return c.steps.empty() ? std::nullopt : std::optional{c.steps.back()};
}

std::string cells_section(const run_data& run) {
  html_table table(
      {"arm", "trained FP32, evaluated arm", "trained arm, evaluated FP32",
       "trained and evaluated arm", "inference", "learning", "interaction", "final, under FP32"},
      narrow_screen::cards);
  const auto step = last_step_of_cells(run);
  std::optional<double> reference;
  for (const std::string& arm : arms_of(run, "train")) {
    const auto found = step ? cells_of(run, arm, *step) : std::nullopt;
    if (!found) continue;
    reference = found->fp32_fp32;
    add_row(table, run, arm, *found);
  }
  if (table.empty()) return section("cells", cells_title, note("No arm was evaluated under FP32."));
  const std::string body = paragraph(fmt::format(
      "Sampled accuracy after {} on {}. Trained and evaluated under FP32 it is {}. "
      "{} The last column is the arm's final accuracy under FP32 of {} sampled answers, with the "
      "standard error of as many independent ones; between seeds, and where a task has fewer "
      "problems, it is larger.",
      golden::io::counted(*step, "step"),
      golden::io::counted(run.of.measurement.evaluation_problems, "problem"),
      strong(number_text(*reference, 3)), words_of_cells, run.of.measurement.final_problems));
  return section("cells", cells_title, body + table.html());
}

}  // namespace sim
