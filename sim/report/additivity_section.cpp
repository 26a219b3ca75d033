// SPDX-License-Identifier: Apache-2.0
// sim/report/additivity_section.cpp: whether the effects of the parts add up, on a training step
// and in the KL divergence.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"
#include "sim/study/toggle_cells.h"

namespace sim {
namespace {

struct step_quantity {
  const char *metric, *words;
};
constexpr std::array<step_quantity, 4> step_quantities{
    {{"logits", "logits"}, {"gradient", "gradient"}, {"sgd", "SGD"}, {"adam", "Adam"}}};
constexpr std::array<const char*, 3> part_letters{"S", "D", "G"};

std::vector<std::string> head_with(std::vector<std::string> head) {
  for (const step_quantity& q : step_quantities) head.emplace_back(q.words);
  return head;
}

/// A figure of the phase "additivity" at a step.
std::string cell_at(const run_data& run, const std::string& arm, const std::string& metric,
                    double step) {
  const curve c = run.figures.along("additivity", arm, metric);
  const auto found = std::ranges::find(c.steps, step);
  if (found == c.steps.end()) return "\u2013";
  return number_text(c.values[static_cast<std::size_t>(found - c.steps.begin())]);
}

std::vector<double> replayed_steps(const run_data& run) {
  const char* whole = both_meanings.front().whole();
  return run.figures.along("additivity", whole, "additivity.injection.logits").steps;
}

std::string share_table(const run_data& run) {
  html_table table(head_with({"meaning", "step"}));
  for (const toggle_cells& meaning : both_meanings) {
    for (const double step : replayed_steps(run)) {
      std::vector<std::string> row{meaning.meaning, fmt::format("{}", step)};
      for (const step_quantity& q : step_quantities) {
        row.push_back(cell_at(run, meaning.whole(),
                              fmt::format("additivity.{}.{}", meaning.meaning, q.metric), step));
      }
      table.row(row);
    }
  }
  return table.html();
}

std::string change_table(const run_data& run) {
  const toggle_cells& injection = both_meanings.front();
  html_table table(head_with({"arm", "step"}));
  for (const char* arm :
       {injection.part(0), injection.part(1), injection.part(2), injection.whole()}) {
    for (const double step : replayed_steps(run)) {
      std::vector<std::string> row{escaped(arm), fmt::format("{}", step)};
      for (const step_quantity& q : step_quantities) {
        row.push_back(cell_at(run, arm, fmt::format("change.{}", q.metric), step));
      }
      table.row(row);
    }
  }
  return table.html();
}

/// One sentence on the weights that the arms' own trainings ended with.
std::string trained_sentence(const run_data& run) {
  const char* whole = both_meanings.front().whole();
  const curve way = run.figures.along("additivity", whole, "change.weights");
  if (way.values.empty()) return "";
  const double step = way.steps.back();
  const std::string distance = fmt::format(
      "Trained apart, each on its own rollouts, the arms part: at step {} MXFP4's weights are away "
      "from FP32's by {} of the way that FP32 went",
      step, number_text(way.values.back()));
  const curve floor =
      run.figures.along("additivity", both_meanings.front().reference(), "change.weights");
  if (floor.values.empty()) return paragraph(distance + ".");
  const std::string between =
      fmt::format("{}, and those of a second training under FP32, on independent rollouts, by {}",
                  distance, number_text(floor.values.back()));
  if (!(way.values.back() > 2 * floor.values.back())) {
    return paragraph(between +
                     ". MXFP4's distance is not above twice that of other rollouts, so additivity "
                     "of weights trained apart is not resolved.");
  }
  return paragraph(
      fmt::format("{}. The ratio of the weights is {} under injection, {} under "
                  "operation.",
                  between, cell_at(run, whole, "additivity.injection.weights", step),
                  cell_at(run, whole, "additivity.operation.weights", step)));
}

/// What a replay lacks of a training step, as sentences.
std::string left_out_of(const study& s) {
  const grpo_constants& g = s.grpo;
  const optimizer_kind optimizer = optimizer_of(s.arms.front(), g);
  std::string words;
  if (g.minibatches > 1) words += " Of the updates of a batch the first is computed again.";
  if (g.kl_coefficient > 0) words += " The KL term is left out.";
  if (optimizer == optimizer_kind::adamw) words += " Weight decay is left out.";
  if (optimizer == optimizer_kind::sgd) {
    words += " Training is by SGD, so Adam's moments are 0 before every step.";
  }
  return words;
}

std::string replay_part(const run_data& run) {
  if (replayed_steps(run).empty()) {
    const std::string apart = why_not_compared(run.of);
    if (!apart.empty()) return note(escaped(fmt::format("Additivity is left out: {}.", apart)));
    return note(
        "No step was replayed: that needs the arms inj-s, inj-d, inj-g and mxfp4, and "
        "measurement.additivity_steps.");
  }
  return paragraph(
             "Steps of FP32's own training, computed again from the same weights, moments and "
             "rollouts with each part of the error alone, and with all. D is the change of a "
             "quantity from FP32's; the tables have \u2016D(SDG) \u2212 D(S) \u2212 D(D) \u2212 "
             "D(G)\u2016 / \u2016D(SDG)\u2016: 0 where the parts add up; a sum of 0 would leave 1. "
             "Logits at response tokens; the gradient before its norm is "
             "clipped; weight changes after it, so that SGD's equals the gradient where no "
             "norm reaches the clip. Adam's first step is the learning rate times the gradient's "
             "sign: at step 1 its column counts signs, whatever the sizes." +
             left_out_of(run.of)) +
         share_table(run) +
         fold("Norm of each change over that of FP32's quantity", change_table(run)) +
         trained_sentence(run);
}

std::optional<estimate> entry(const run_data& run, const char* meaning, const std::string& name,
                              long long outliers) {
  return run.figures.frozen(both_meanings.front().whole(),
                            fmt::format("kl_matrix.{}.{}", meaning, name), {.outliers = outliers});
}

std::string entry_cell(const std::optional<estimate>& e) { return e ? signed_cell(*e) : "\u2013"; }

/// The matrix of one meaning, with row sums and the Shapley values that were measured.
std::string matrix_table(const run_data& run, const char* meaning, long long outliers) {
  html_table table({meaning, "S", "D", "G", "row", "Shapley, measured"});
  const auto measured = run.figures.terms("kl", meaning, outliers);
  for (std::size_t i = 0; i < part_letters.size(); ++i) {
    std::vector<std::string> row{part_letters[i]};
    for (std::size_t j = 0; j < part_letters.size(); ++j) {
      const auto [low, high] = std::minmax(i, j);
      row.push_back(entry_cell(entry(
          run, meaning, fmt::format("{}.{}", part_letters[low], part_letters[high]), outliers)));
    }
    row.push_back(
        entry_cell(entry(run, meaning, fmt::format("row.{}", part_letters[i]), outliers)));
    row.push_back(measured ? signed_cell(measured->shapley[i]) : "\u2013");
    table.row(row);
  }
  return table.html();
}

std::string matrix_sentence(const run_data& run, long long outliers) {
  const char* whole = both_meanings.front().whole();
  const auto form = run.figures.frozen(whole, "kl_matrix.whole", {.outliers = outliers});
  return paragraph(fmt::format(
      "Sum of the nine entries: {} under injection, {} under operation. The form of MXFP4's own "
      "error: {}. Its measured KL: {}.",
      cell_or_dash(entry(run, "injection", "sum", outliers)),
      cell_or_dash(entry(run, "operation", "sum", outliers)), cell_or_dash(form),
      cell_or_dash(run.figures.frozen(whole, "kl", {.outliers = outliers}))));
}

std::string matrix_part(const run_data& run) {
  std::string body;
  for (const long long outliers : run.figures.outliers()) {
    if (!entry(run, "injection", "sum", outliers)) continue;
    std::string part;
    for (const toggle_cells& meaning : both_meanings) {
      part += matrix_table(run, meaning.meaning, outliers);
    }
    part += matrix_sentence(run, outliers);
    const std::string title = fmt::format("KL to second order, outliers \u00D7{}", outliers);
    body += body.empty() ? heading(title) + part : fold(title, part);
  }
  if (body.empty()) return "";
  return body +
         paragraph(
             "KL is quadratic in the errors \u03B4 of the logits: \u00BD \u03B4\u1D62\u1D40 F "
             "\u03B4\u2C7C, with the softmax's Fisher matrix F at FP32, a mean over response "
             "tokens. Entries off the diagonal belong to two parts at once; a row's sum is the "
             "part's Shapley value if errors of logits add up. Under operation the scale alone "
             "is the identity, so it acts through the other parts only, and the sum lacks it. What "
             "separates the sum from the form of the whole error is that errors of logits do not "
             "add up; what separates that from the measured KL is of third order and above.");
}

}  // namespace

std::string additivity_section(const run_data& run) {
  return section("additivity", "Do the parts add up?", replay_part(run) + matrix_part(run));
}

}  // namespace sim
