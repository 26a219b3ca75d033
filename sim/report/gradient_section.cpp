// SPDX-License-Identifier: Apache-2.0
// sim/report/gradient_section.cpp: each arm's gradient against FP32's, at frozen weights.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/report/chart.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/repeated_arms.h"
#include "sim/report/run_data.h"
#include "sim/study/study_words.h"

namespace sim {
namespace {

constexpr std::array<const char*, 4> passes{"all", "forward", "dgrad", "wgrad"};
constexpr std::array<const char*, 4> pass_titles{"all passes", "forward alone", "dgrad alone",
                                                 "wgrad alone"};

bool is_number(const std::string& layer) {
  return layer.find_first_not_of("0123456789") == std::string::npos;
}

/// Layers in display order: "all" first, then by number, then the others as measured.
std::vector<std::string> layers_of(const run_data& run, const char* metric) {
  std::vector<std::string> result = run.figures.layers(metric);
  std::erase(result, "");
  const auto all = std::ranges::stable_partition(result, [](const auto& l) { return l == "all"; });
  const auto others = std::ranges::stable_partition(all, is_number);
  std::ranges::sort(all.begin(), others.begin(), {},
                    [](const std::string& number) { return std::pair(number.size(), number); });
  return result;
}

/// All layers together, and of more than three the first, the middle and the last: more marks
/// cannot be distinguished in a row.
std::vector<std::string> marked_layers(std::vector<std::string> layers) {
  const auto first = std::ranges::find_if(layers, is_number);
  const auto numbers = std::ranges::count_if(layers, is_number);
  if (numbers > 3) {
    std::vector<std::string> marked(layers.begin(), first);
    marked.insert(marked.end(), {first[0], first[numbers / 2], first[numbers - 1]});
    return marked;
  }
  if (layers.size() > 4) layers.resize(4);
  return layers;
}

std::string layer_words(const std::string& layer) {
  if (layer == "all") return "all layers";
  return is_number(layer) ? "layer " + layer : layer;
}

/// Arms whose gradients are those of another one, such as an arm whose noise is in the rollout
/// alone.
std::vector<repeated_arm> repeated_gradients(const run_data& run) {
  return repeated_arms(run, "frozen", "gradient");
}

/// Arms to compare: all but the reference, whose gradient is the reference itself, and but those
/// that repeat another one.
std::vector<std::string> compared_arms(const run_data& run) {
  std::vector<std::string> result = without(arms_of(run, "frozen"), repeated_gradients(run));
  std::erase(result, "fp32");
  return result;
}

std::string note_of_repeated(const run_data& run) {
  const std::vector<repeated_arm> repeated = repeated_gradients(run);
  if (repeated.empty()) return "";
  return note(fmt::format("Left out, since every figure here is that of another arm: {}.",
                          words_of(repeated)));
}

std::string gradient_chart(const run_data& run, const char* metric, const char* title,
                           const char* x_label) {
  dot_chart chart{title, x_label, compared_arms(run), {}, {}, {}, 1.0};
  const std::vector<std::string> layers = marked_layers(layers_of(run, metric));
  for (const std::string& layer : layers) chart.marks.push_back(layer_words(layer));
  for (const char* words : pass_titles) chart.columns.emplace_back(words);
  bool any = false;
  for (const std::string& arm : chart.rows) {
    auto& row = chart.cells.emplace_back();
    for (const char* of_pass : passes) {
      auto& cell = row.emplace_back();
      for (const std::string& layer : layers) {
        cell.push_back(run.figures.frozen(arm, metric, {1, of_pass, layer}));
        any = any || cell.back().has_value();
      }
    }
  }
  return any ? draw(chart) : note(fmt::format("{}: not measured.", title));
}

std::string gradient_table(const run_data& run, const char* metric) {
  std::vector<std::string> head{"arm", "layer"};
  for (const char* words : pass_titles) head.emplace_back(words);
  html_table table(head);
  for (const std::string& arm : compared_arms(run)) {
    for (const std::string& layer : layers_of(run, metric)) {
      std::vector<std::string> row{escaped(arm), escaped(layer_words(layer))};
      for (const char* of_pass : passes) {
        row.push_back(cell_or_dash(run.figures.frozen(arm, metric, {1, of_pass, layer})));
      }
      table.row(row);
    }
  }
  return table.html();
}

/// Whether FP32's gradient is 0: then it has no cosine to itself.
bool is_reference_zero(const run_data& run) {
  const auto own = run.figures.frozen("fp32", "gradient_cosine", {1, "all", "all"});
  return own && std::isnan(own->value);
}

std::string note_of_zero(std::string_view tokens) {
  std::string words = fmt::format(
      "FP32's gradient is 0 on these {}, and no gradient has a cosine to it or a projection on it.",
      tokens);
  if (tokens == text_of(frozen_token_words, frozen_tokens::rollouts)) {
    words +=
        " All responses of each group have the same reward: a longer warm-up, an easier task or "
        "more samples a prompt give them a spread.";
  }
  return note(words);
}

/// A table of a figure that has no value where the batches do not resolve what it is divided by.
std::string table_if_resolved(const run_data& run, const char* metric) {
  if (layers_of(run, metric).empty()) {
    return note("These batches are too few to tell FP32's mean gradient from the noise.");
  }
  return gradient_table(run, metric);
}

std::string bias_tables(const run_data& run) {
  return fold("Bias and variance, all numbers",
              paragraph("Of the difference d from FP32's gradient g. Squared bias: |E d|\u00B2 / "
                        "|E g|\u00B2 from inner products of different batches, which have no noise "
                        "of sampling and so may be negative.") +
                  table_if_resolved(run, "gradient_bias_squared") +
                  paragraph("Variance of d between batches, over that of g.") +
                  gradient_table(run, "gradient_error_variance"));
}

}  // namespace

std::string gradient_section(const run_data& run) {
  return gradient_section_on(run, text_of(frozen_token_words, run.of.measurement.frozen_tokens));
}

std::string gradient_section_on(const run_data& run, std::string_view tokens) {
  constexpr const char* title = "Gradient at frozen weights";
  if (is_reference_zero(run)) return section("gradient", title, note_of_zero(tokens));
  if (compared_arms(run).empty()) {
    const std::string repeated = note_of_repeated(run);
    return section("gradient", title,
                   repeated.empty() ? note("Nothing was measured at frozen weights.") : repeated);
  }
  std::string body = paragraph(fmt::format(
      "The arm's gradient beside FP32's, on the same frozen weights and {}: the cosine tells "
      "its direction, the projection \u27E8\u011D, g\u27E9 / \u27E8g, g\u27E9 its size along g. In "
      "each panel the named pass alone is quantized.",
      tokens));
  body += note_of_repeated(run);
  body += gradient_chart(run, "gradient_cosine", "Cosine to the FP32 gradient",
                         "cosine; each panel has its own axis");
  body += gradient_chart(run, "gradient_projection", "Projection on the FP32 gradient",
                         "projection; each panel has its own axis");
  body += fold("Cosine, all numbers", gradient_table(run, "gradient_cosine"));
  body += fold("Projection, all numbers", gradient_table(run, "gradient_projection"));
  if (!layers_of(run, "gradient_error_variance").empty()) body += bias_tables(run);
  return section("gradient", title, body);
}

}  // namespace sim
