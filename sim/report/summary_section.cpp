// SPDX-License-Identifier: Apache-2.0
// sim/report/summary_section.cpp: the first screen: the effect of each component, in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "golden/io/counted.h"
#include "sim/report/divergences.h"
#include "sim/report/figure_text.h"
#include "sim/report/findings.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"
#include "sim/study/toggle_cells.h"

namespace sim {
namespace {

const char* colour_of(const claim_verdict& v) {
  if (v.verdict == agreement::not_resolved) return "no";
  if (v.verdict == agreement::disagree) return "open";
  return v.found == showing::shown ? "yes" : "against";
}

/// "x1: agree", with a colour by verdict.
std::string chip(long long outliers, const claim_verdict& v) {
  return fmt::format("<span class=\"chip {}\">\u00D7{}: {}</span> ", colour_of(v), outliers,
                     words_of(v));
}

std::string chips(const run_data& run, const claim& c, const figure& f) {
  std::string result;
  for (const long long outliers : run.figures.outliers()) {
    const auto e = effects_on(run.figures, f.metric, outliers);
    if (e) result += chip(outliers, verdict_of(*e, f, c.component));
  }
  return result;
}

/// "lowers it by 0.150 \u00B1 0.024", or that it is negligible or open, in two lines.
std::string effect_words(const estimate& e, effect_state state) {
  const estimate size{std::abs(e.value), e.standard_error};
  switch (state) {
    case effect_state::raises:
      return fmt::format("<b>raises it by</b><br/>{}", estimate_text(size));
    case effect_state::lowers:
      return fmt::format("<b>lowers it by</b><br/>{}", estimate_text(size));
    case effect_state::negligible:
      return fmt::format("negligible<br/>{}", signed_text(e));
    case effect_state::open:
      break;
  }
  return fmt::format("open<br/>{}", signed_text(e));
}

void add_effect(html_table& table, const char* part, const estimate& injection,
                const estimate& operation, double margin) {
  const effect_state i = state_of(injection, margin), o = state_of(operation, margin);
  table.row({fmt::format("{}<br/><small>{}</small>", part, words_of(agreement_of(i, o))),
             effect_words(injection, i), effect_words(operation, o)});
}

std::string component_table(const effects& e) {
  html_table table({"part", "injection", "operation"});
  const double margin = margin_of(e.injection.total);
  for (std::size_t i = 0; i < 3; ++i) {
    add_effect(table, component_words[i], e.injection.shapley[i], e.operation.shapley[i], margin);
  }
  add_effect(table, "all parts", e.injection.total, e.operation.total, margin);
  return table.html();
}

/// The figures of a claim other than the deciding one.
std::string further_figures(const run_data& run, const claim& c) {
  std::string result;
  for (std::size_t i = 1; i < c.figures.size(); ++i) {
    const figure& f = c.figures[i];
    const auto e = effects_on(run.figures, f.metric, 1);
    if (!e) continue;
    std::string line =
        fmt::format("<i>{}</i>: MXFP4 {}.", f.words, signed_text(e->injection.total));
    line += " Largest part: " + culprit_words(*e) + ".";
    result += paragraph(line + " " + chips(run, c, f));
  }
  return result.empty() ? "" : "<div class=\"further\">\n" + result + "</div>\n";
}

/// What is injected under an arm of the factorial.
///   cell  of toggle_cells
struct injected_parts {
  std::size_t cell;
  const char* words;
};
constexpr std::array<injected_parts, 5> each_alone{{{0, "nothing"},
                                                    {1, "scale bias alone"},
                                                    {2, "deadzone alone"},
                                                    {4, "grid noise alone"},
                                                    {7, "all parts"}}};

/// Whether the arm of this name is what its name says: any arm may have it.
bool has_mxfp4(const study& s) {
  const arm* a = find_arm(s, both_meanings.front().whole());
  return a != nullptr && is_plain_microscaled(*a);
}

/// The same of the arm of a cell.
bool has_cell(const study& s, std::size_t cell) {
  if (cell == 0) return true;
  if (cell == cells - 1) return has_mxfp4(s);
  const arm* a = find_arm(s, both_meanings.front().arms[cell]);
  if (a == nullptr) return false;
  const mx::operand& f = a->formats.forward.data;
  return f.toggle == mx::toggle::injection && f.parts == static_cast<mx::component>(cell);
}

/// For missing cells: the figure with each component alone, without a culprit.
std::string single_parts(const run_data& run, const figure& f) {
  html_table table({"injected", std::string(f.words)});
  const char* everywhere = f.metric.starts_with("gradient") ? "all" : "";
  for (const injected_parts& parts : each_alone) {
    if (!has_cell(run.of, parts.cell)) continue;
    const auto e = run.figures.frozen(both_meanings.front().arms[parts.cell], f.metric,
                                      {1, everywhere, everywhere});
    if (e) table.row({parts.words, estimate_text(*e)});
  }
  return table.empty() ? "" : table.html();
}

/// Why the figures of a claim are not compared.
std::string why_open(const study& s) {
  const std::string apart = why_not_compared(s);
  return apart.empty() ? "not all cells of the factorial were measured" : escaped(apart);
}

std::string card(const run_data& run, const claim& c) {
  const figure& f = c.figures.front();
  std::string body = fmt::format("<h3>{}</h3>\n", c.topic);
  const auto e = effects_on(run.figures, f.metric, 1);
  if (!e) {
    body += paragraph(
        fmt::format("The paper's claim: {}. Here it is left open: {}.", c.words, why_open(run.of)));
    return fmt::format("<div class=\"card\">\n{}{}</div>\n", body, single_parts(run, f));
  }
  body += paragraph(fmt::format("The paper's claim: {}. Here: {}", c.words, chips(run, c, f)));
  body += paragraph(culprit_sentence(*e));
  body += fmt::format(
      "<p class=\"caption\">What each part does to the <i>{}</i> (Shapley value \u00B1 one "
      "standard error, no outliers):</p>\n",
      f.words);
  body += component_table(*e) + further_figures(run, c);
  return fmt::format("<div class=\"card\">\n{}</div>\n", body);
}

std::string training_words(const run_data& run) {
  const auto both = [&](const char* metric) {
    return at_common_steps(run.figures.along("train", "fp32", metric),
                           run.figures.along("train", "mxfp4", metric));
  };
  const auto [reference, quantized] = both("reward");
  const auto [accuracy, lossy] = both("accuracy_sampled");
  if (!has_mxfp4(run.of) || reference.values.empty()) {
    return note("Training under FP32 and MXFP4 was not run.");
  }
  std::string result =
      fmt::format("In training, the mean reward over {} is {} under FP32 and {} under MXFP4",
                  golden::io::counted(reference.values.size(), "step"),
                  strong(number_text(mean_of(reference.values))),
                  strong(number_text(mean_of(quantized.values))));
  const double mean = mean_of(reference.values);
  if (mean > 0) {
    result += fmt::format(" (ratio {})", number_text(mean_of(quantized.values) / mean, 2));
  }
  if (!accuracy.values.empty()) {
    result +=
        fmt::format("; sampled accuracy goes from {} to {} and from {} to {}",
                    number_text(accuracy.values.front(), 3), number_text(accuracy.values.back(), 3),
                    number_text(lossy.values.front(), 3), number_text(lossy.values.back(), 3));
  }
  return paragraph(result + ". One training seed is an illustration, not evidence.");
}

/// One line a diverged arm.
std::string divergence_lines(const run_data& run) {
  std::string lines;
  for (const metric_row& mark : divergences_in(run.figures)) {
    lines += paragraph(strong(escaped(divergence_words(mark))) + ".");
  }
  return lines;
}

std::string frozen_words(const run_data& run) {
  const auto kl = run.figures.frozen("mxfp4", "kl");
  const auto entropy = run.figures.frozen("mxfp4", "entropy");
  const auto reference = run.figures.frozen("fp32", "entropy");
  const frozen_place all{.outliers = 1, .passes = "all", .layer = "all"};
  const frozen_place forward{.outliers = 1, .passes = "forward", .layer = "all"};
  const auto cosine = run.figures.frozen("mxfp4", "gradient_cosine", all);
  const auto of_forward = run.figures.frozen("mxfp4", "gradient_cosine", forward);
  if (!has_mxfp4(run.of) || !kl || !entropy || !reference || !cosine) return "";
  std::string result = fmt::format(
      "At frozen weights, MXFP4 in all products moves the policy by {} nats a token (KL) and its "
      "entropy from {} to {}",
      strong(estimate_text(*kl)), value_text(*reference), strong(estimate_text(*entropy)));
  if (std::isnan(cosine->value)) return paragraph(result + ".");  // FP32's gradient is 0
  result +=
      fmt::format(", and turns the gradient to a cosine of {}", strong(estimate_text(*cosine)));
  if (of_forward) {
    result +=
        fmt::format(" ({} where the forward pass alone is quantized)", estimate_text(*of_forward));
  }
  return paragraph(result + ".");
}

/// What "x4" means on a chip; empty where nothing was measured with outliers.
std::string factor_words(const std::vector<int>& factors) {
  std::string words;
  for (const int factor : factors) {
    if (factor == 1) continue;
    words += fmt::format("{}\u00D7{}", words.empty() ? " " : ", ", factor);
  }
  return words.empty() ? "" : words + ": with outlier channels of that factor.";
}

/// What the words of the verdicts mean, once for the page.
std::string verdict_note(const run_data& run) {
  return note(
      "The verdicts compare the two meanings of a toggle. <b>Agree</b>: both show the same, beyond "
      "two standard errors. <b>Disagree</b>: one shows it, the other shows the reverse or that "
      "it is negligible: less than a fifth of the effect of all parts, two standard errors "
      "included. <b>Not resolved</b>: anything else, which is no evidence for either. A chip is "
      "the verdict "
      "on the claim that its part does the largest harm: it must harm, and more than each of the "
      "two others; <b>refuted</b> where both meanings show that it does not. The error of a "
      "difference is taken as the sum of both errors." +
      factor_words(run.of.outliers.factors));
}

}  // namespace

std::string summary_section(const run_data& run) {
  std::string cards;
  for (const claim& c : claims()) cards += card(run, c);
  return section("summary", "What each part of the error did",
                 frozen_words(run) + training_words(run) + divergence_lines(run) +
                     "<div class=\"cards\">\n" + cards + "</div>\n" + verdict_note(run));
}

}  // namespace sim
