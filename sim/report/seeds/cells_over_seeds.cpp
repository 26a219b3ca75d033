// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/cells_over_seeds.cpp: trained under FP32 or an arm, evaluated under FP32 or that
// arm: means over seeds.
#include <fmt/format.h>

#include <algorithm>

#include "golden/io/counted.h"
#include "sim/report/figure_text.h"
#include "sim/report/four_cells.h"
#include "sim/report/html.h"
#include "sim/report/interval_chart.h"
#include "sim/report/seeds/over_seeds.h"
#include "sim/report/seeds/seed_sections.h"

namespace sim {
namespace {

using figure_of_cells = double (*)(const four_cells&);

/// The last step that every seed reached.
std::optional<double> common_step(const seed_runs& seeds) {
  std::optional<double> result;
  for (const run_data& run : seeds.runs) {
    const auto last = last_step_of_cells(run);
    if (!last) return {};
    result = std::min(result.value_or(*last), *last);
  }
  return result;
}

class cells_of_seeds {
 public:
  cells_of_seeds(const seed_runs& seeds, double step) : seeds_(seeds), step_(step) {}

  [[nodiscard]] std::optional<seed_estimate> over(const std::string& arm,
                                                  figure_of_cells figure) const {
    return over_seeds(seeds_, [&](const run_data& run) -> std::optional<double> {
      const auto found = cells_of(run, arm, step_);
      return found ? std::optional{figure(*found)} : std::nullopt;
    });
  }

  /// Of all arms that every seed has, but the reference, whose differences are 0.
  [[nodiscard]] std::string chart(const char* title, figure_of_cells figure) const {
    interval_chart result{title, 0, {}};
    for (const arm& a : seeds_.of().arms) {
      const auto e = over(a.name, figure);
      if (!e || &a == &seeds_.of().arms.front()) continue;
      result.rows.push_back(
          {a.name, signed_interval_cell(e), e->sample.mean, e->mean.low, e->mean.high});
    }
    return result.rows.empty() ? "" : draw(result);
  }

 private:
  const seed_runs& seeds_;
  double step_;
};

std::string final_cell(const seed_runs& seeds, const std::string& arm) {
  return interval_cell(over_seeds(seeds, [&](const run_data& run) -> std::optional<double> {
    const curve c = run.figures.along("train", arm, "accuracy_final_in_fp32");
    return c.values.empty() ? std::nullopt : std::optional{c.values.back()};
  }));
}

constexpr auto of_fp32 = [](const four_cells& c) { return c.fp32_arm; };
constexpr auto in_fp32 = [](const four_cells& c) { return c.arm_fp32; };
constexpr auto own = [](const four_cells& c) { return c.arm_arm; };
constexpr auto inference = [](const four_cells& c) { return c.inference(); };
constexpr auto learning = [](const four_cells& c) { return c.learning(); };
constexpr auto interaction = [](const four_cells& c) { return c.interaction(); };

html_table table_of(const seed_runs& seeds, const cells_of_seeds& all) {
  html_table table(
      {"arm", "trained FP32, evaluated arm", "trained arm, evaluated FP32",
       "trained and evaluated arm", "inference", "learning", "interaction", "final, under FP32"},
      narrow_screen::cards);
  for (const arm& a : seeds.of().arms) {
    if (!all.over(a.name, own)) continue;
    table.row({escaped(a.name), interval_cell(all.over(a.name, of_fp32)),
               interval_cell(all.over(a.name, in_fp32)), interval_cell(all.over(a.name, own)),
               signed_interval_cell(all.over(a.name, inference)),
               signed_interval_cell(all.over(a.name, learning)),
               signed_interval_cell(all.over(a.name, interaction)), final_cell(seeds, a.name)});
  }
  return table;
}

}  // namespace

std::string cells_over_seeds(const seed_runs& seeds) {
  const auto step = common_step(seeds);
  if (!step) {
    return section("cells", cells_title, note("No arm was evaluated under FP32 in every seed."));
  }
  const cells_of_seeds all(seeds, *step);
  const html_table table = table_of(seeds, all);
  if (table.empty()) {
    return section("cells", cells_title, note("No arm was evaluated under FP32 in every seed."));
  }
  const auto reference = all.over(seeds.of().arms.front().name, own);
  std::string body = paragraph(fmt::format(
      "Sampled accuracy after {} on {}: means over {}, with the 95 % interval of Student's t over "
      "seeds. Trained and evaluated under FP32 it is {}. {} The last column is the arm's final "
      "accuracy under FP32 on {}. Differences are taken within a seed.",
      golden::io::counted(*step, "step"),
      golden::io::counted(seeds.of().measurement.evaluation_problems, "problem"), seeds_text(seeds),
      strong(interval_cell(reference)), words_of_cells,
      golden::io::counted(seeds.of().measurement.final_problems, "problem")));
  body += panels({all.chart("Learning", learning), all.chart("Inference", inference),
                  all.chart("Interaction", interaction)});
  return section("cells", cells_title, body + fold("All four cells of each arm", table.html()));
}

}  // namespace sim
