// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/over_seeds.cpp: see over_seeds.h.
#include "sim/report/seeds/over_seeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "golden/io/counted.h"
#include "sim/report/figure_text.h"

namespace sim {
namespace {

constexpr double confidence = 0.95;

struct estimate_words {
  std::string mean, range;
};

estimate_words words_of(const seed_estimate& e) {
  // Equal values differ from their rounded mean, and sums of them from zero.
  const double error = e.sample.standard_error();
  constexpr double noise = 1e-15;
  const bool spread = error > std::max(1e-12 * std::abs(e.sample.mean), noise);
  const double mean = std::abs(e.sample.mean) < noise ? 0 : e.sample.mean;
  const int decimals = decimals_of({mean, spread ? error : 0});
  const auto text = [&](double v) { return number_text(v, decimals); };
  return {text(mean), fmt::format("[{}, {}]", text(e.mean.low), text(e.mean.high))};
}

/// Values of every seed by step.
std::map<double, std::vector<double>> values_by_step(const seed_runs& seeds,
                                                     const curve_of_run& curve_of) {
  std::map<double, std::vector<double>> result;
  for (const run_data& run : seeds.runs) {
    const curve c = curve_of(run);
    for (std::size_t i = 0; i < c.steps.size(); ++i) {
      if (std::isfinite(c.values[i])) result[c.steps[i]].push_back(c.values[i]);
    }
  }
  return result;
}

std::string cell_of(const seed_estimate& e, const char* sign) {
  const estimate_words words = words_of(e);
  return fmt::format("{}{} <small class=\"range\">{}</small>", sign, words.mean, words.range);
}

}  // namespace

seed_estimate estimate_over(std::span<const double> values) {
  const seed_sample s = sample_of(values);
  return {s, interval_of_mean(s, confidence)};
}

std::optional<seed_estimate> over_seeds(const seed_runs& seeds, const figure_of_run& figure) {
  std::vector<double> values;
  for (const run_data& run : seeds.runs) {
    const std::optional<double> v = figure(run);
    if (!v || !std::isfinite(*v)) return {};
    values.push_back(*v);
  }
  return estimate_over(values);
}

band band_over(const seed_runs& seeds, const curve_of_run& curve_of) {
  band result;
  for (const auto& [step, values] : values_by_step(seeds, curve_of)) {
    if (values.size() != seeds.runs.size()) continue;
    const seed_estimate e = estimate_over(values);
    result.steps.push_back(step);
    result.mean.push_back(e.sample.mean);
    result.low.push_back(e.mean.low);
    result.high.push_back(e.mean.high);
  }
  return result;
}

std::string interval_text(const seed_estimate& e) {
  const estimate_words words = words_of(e);
  return words.mean + " " + words.range;
}

std::string interval_cell(const std::optional<seed_estimate>& e) {
  return e ? cell_of(*e, "") : "\u2013";
}

std::string signed_interval_cell(const std::optional<seed_estimate>& e) {
  if (!e) return "\u2013";
  return cell_of(*e, e->sample.mean > 0 && !shows_zero(words_of(*e).mean) ? "+" : "");
}

std::string seeds_text(const seed_runs& seeds) {
  std::string list;
  for (std::size_t i = 0; i < seeds.runs.size();) {
    std::size_t last = i;
    while (last + 1 < seeds.runs.size() &&
           seeds.runs[last + 1].of.seed == seeds.runs[last].of.seed + 1) {
      ++last;
    }
    list += list.empty() ? "" : ", ";
    list += last == i ? fmt::format("{}", seeds.runs[i].of.seed)
                      : fmt::format("{} to {}", seeds.runs[i].of.seed, seeds.runs[last].of.seed);
    i = last + 1;
  }
  return fmt::format("{} ({})", golden::io::counted(seeds.runs.size(), "seed"), list);
}

}  // namespace sim
