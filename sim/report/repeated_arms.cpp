// SPDX-License-Identifier: Apache-2.0
// sim/report/repeated_arms.cpp: see repeated_arms.h.
#include "sim/report/repeated_arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/report/figure_text.h"
#include "sim/report/model_section.h"

namespace sim {
namespace {

/// Every figure of an arm, with its place; equal texts are equal figures.
struct figures_text {
  std::string all;
  bool has_number = false;
};

std::map<std::string, figures_text> figures_by_arm(const run_data& run, std::string_view phase,
                                                   std::string_view metrics) {
  std::map<std::string, figures_text> result;
  for (const metric_row& r : run.figures.rows()) {
    if (r.phase != phase || !r.metric.starts_with(metrics)) continue;
    if (r.metric == model_difference_metric) continue;
    figures_text& text = result[r.arm];
    text.has_number = text.has_number || !std::isnan(r.value);
    text.all +=
        fmt::format("{}|{}|{}|{}|{}|{}|{};", r.metric, r.step.value_or(-1), r.outliers.value_or(1),
                    r.passes, r.layer, r.value, r.standard_error.value_or(-1));
  }
  return result;
}

bool compares_more_than_the_bases(const arm_group& group) {
  return std::ranges::any_of(
      group.arms, [](const std::string& arm) { return arm != "fp32" && arm != "mxfp4"; });
}

}  // namespace

std::vector<repeated_arm> repeated_arms(const run_data& run, std::string_view phase,
                                        std::string_view metrics) {
  const auto figures = figures_by_arm(run, phase, metrics);
  std::map<std::string, std::string> first_with;
  std::vector<repeated_arm> result;
  for (const arm& a : run.of.arms) {
    const auto found = figures.find(a.name);
    if (found == figures.end() || !found->second.has_number) continue;
    const auto [known, is_new] = first_with.emplace(found->second.all, a.name);
    if (!is_new) result.push_back({a.name, known->second});
  }
  return result;
}

std::vector<repeated_arm> repeated_training(const run_data& run) {
  return repeated_arms(run, "train", "");
}

std::string words_of(const std::vector<repeated_arm>& repeated) {
  std::string words;
  for (const repeated_arm& r : repeated) {
    words += fmt::format("{}{} (as {})", words.empty() ? "" : ", ", escaped(r.arm), escaped(r.of));
  }
  return words;
}

std::vector<std::string> without(std::vector<std::string> arms,
                                 const std::vector<repeated_arm>& repeated) {
  std::erase_if(arms, [&](const std::string& arm) {
    return std::ranges::find(repeated, arm, &repeated_arm::arm) != repeated.end();
  });
  return arms;
}

std::vector<arm_group> without(const std::vector<arm_group>& groups,
                               const std::vector<repeated_arm>& repeated) {
  std::vector<arm_group> result;
  for (const arm_group& group : groups) {
    arm_group kept{group.title, without(group.arms, repeated)};
    const bool whole = kept.arms.size() == group.arms.size();
    if (whole || compares_more_than_the_bases(kept)) result.push_back(std::move(kept));
  }
  return result;
}

}  // namespace sim
