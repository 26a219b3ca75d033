// SPDX-License-Identifier: Apache-2.0
// sim/report/outlier_maps.cpp: see outlier_maps.h.
#include "sim/report/outlier_maps.h"

#include <fmt/format.h>

#include <array>

#include "sim/report/figure_text.h"
#include "sim/report/heat_map.h"
#include "sim/report/html.h"

namespace sim {
namespace {

std::vector<std::string> heads_of(const std::vector<outlier_column>& columns) {
  std::vector<std::string> result;
  for (const outlier_column& column : columns) result.push_back(column.words);
  return result;
}

/// Comparison of an arm's figure to the reference's with the same outliers.
enum class comparison : std::uint8_t { distance, change, loss, agreement };

struct heat_figure {
  const char *metric, *title, *word, *passes, *layer;
  comparison how;
};
constexpr std::array<heat_figure, 4> heat_figures{
    {{"kl", "KL to FP32, nats a token", "KL to FP32", "", "", comparison::distance},
     {"entropy", "Change of entropy, nats a token", "entropy", "", "", comparison::change},
     {"accuracy_sampled", "Loss of sampled accuracy", "sampled accuracy", "", "", comparison::loss},
     {"gradient_cosine", "Gradient cosine, all passes", "gradient cosine", "all", "all",
      comparison::agreement}}};

heat_cell cell_of(comparison how, double value, double reference) {
  const auto with_sign = [](double v) { return (v > 0 ? "+" : "") + number_text(v, 3); };
  switch (how) {
    case comparison::distance:
      return {value, short_text(value), ""};
    case comparison::change:
      return {value - reference, with_sign(value - reference), ""};
    case comparison::loss:
      return {reference - value, number_text(reference - value, 3), ""};
    case comparison::agreement:
      break;
  }
  return {1 - value, number_text(value, 3), ""};
}

std::optional<heat_cell> measured_cell(const figure_at& figure, const heat_figure& f,
                                       const std::string& arm, const outlier_column& column) {
  const frozen_place place = column.place(f.passes, f.layer);
  const auto value = figure(arm, f.metric, place);
  const auto reference = figure("fp32", f.metric, place);
  const bool compared = f.how == comparison::change || f.how == comparison::loss;
  if (!value || (compared && !reference)) return {};
  heat_cell cell = cell_of(f.how, value->value, compared ? reference->value : 0);
  cell.hover = fmt::format("{}, {}: {} {}", arm, column.words, f.word, value->words);
  if (compared) cell.hover += fmt::format("; of FP32 {}", reference->words);
  return cell;
}

/// All arms but the reference, from which everything is measured.
std::vector<std::string> rows_of_heat(const run_data& run) {
  std::vector<std::string> result = arms_of(run, "frozen");
  std::erase(result, "fp32");
  return result;
}

heat_map map_of(const run_data& run, const figure_at& figure, const heat_figure& f) {
  const std::vector<outlier_column> columns = columns_of(run);
  heat_map map{f.title, rows_of_heat(run), heads_of(columns), {}};
  for (const std::string& arm : map.rows) {
    auto& row = map.cells.emplace_back();
    for (const outlier_column& c : columns) row.push_back(measured_cell(figure, f, arm, c));
  }
  return map;
}

}  // namespace

std::vector<outlier_column> columns_of(const run_data& run) {
  std::vector<outlier_column> result;
  for (const long long factor : run.figures.outliers()) {
    result.push_back({fmt::format("\u00D7{}", factor), "frozen", factor});
  }
  for (const auto& [name, policy] : run.of.outliers.policies) {
    result.push_back({name, "frozen-" + name, 1});
  }
  return result;
}

std::string words_of_outliers(const study& s) {
  return paragraph(fmt::format(
      "\u00D7N: a power of two on {} of {} channels of both RMSNorms and on {} of {} hidden units "
      "of each layer, taken back behind the product: FP32 does not change, the blocks of MXFP4 do.",
      s.outliers.norm_channels.size(), s.policy.width, s.outliers.hidden_units.size(),
      s.policy.hidden));
}

std::string outlier_maps(const run_data& run, const figure_at& figure) {
  std::string body;
  if (columns_of(run).size() < 2) {
    body += note("Only \u00D71 was measured: no outliers in this run.");
  }
  if (rows_of_heat(run).empty()) return body;
  std::vector<heat_map> maps;
  for (const heat_figure& f : heat_figures) maps.push_back(map_of(run, figure, f));
  return body +
         note(
             "Each cell is an arm at frozen weights. Orange: away from FP32, the deepest furthest "
             "of its chart, by the square root of the distance. Blue: entropy below FP32's, "
             "accuracy above it.") +
         draw(maps);
}

}  // namespace sim
