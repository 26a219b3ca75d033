// SPDX-License-Identifier: Apache-2.0
// tests/claims/synthetic_runs.h: plans and metrics made in memory, as read from files.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "sim/claims/contrast_text.h"
#include "sim/claims/decision.h"

namespace test {

/// The figure of every arm, by name.
using arm_figures = std::map<std::string, double>;

inline sim::metric_row final_accuracy(const std::string& arm, double value) {
  return {"train", arm, 40, std::nullopt, "", "", "accuracy", value, std::nullopt};
}

inline sim::seed_metrics run_of(std::uint64_t seed, const arm_figures& figures) {
  std::vector<sim::metric_row> rows;
  for (const auto& [arm, value] : figures) rows.push_back(final_accuracy(arm, value));
  return {seed, "metrics.jsonl", sim::metrics(std::move(rows))};
}

inline sim::chosen_metric accuracy() {
  sim::chosen_metric m{"accuracy", "train", "accuracy", "", "", 40, 1, 1, 0.0};
  return m;
}

inline sim::linear_contrast contrast(const char* text) { return *sim::contrast_in(text); }

inline sim::stated_claim claim(const char* name, sim::claim_rule rule,
                               const std::vector<const char*>& contrasts,
                               const char* margin = nullptr) {
  sim::stated_claim c{name, "", rule, {}};
  for (const char* text : contrasts) {
    sim::claim_contrast& added = c.contrasts.emplace_back();
    added.of = contrast(text);
    if (margin != nullptr) added.margin = sim::equality_margin{0, contrast(margin)};
  }
  return c;
}

inline constexpr const char* fifth_of_the_gap = "0.2 fp32 - 0.2 mxfp4";

inline sim::toggle_meaning injection() {
  return {"injection", {"fp32", "inj-s", "inj-d", "inj-sd", "inj-g", "inj-sg", "inj-dg", "mxfp4"}};
}
inline sim::toggle_meaning operation() {
  return {"operation", {"fp32", "fp32", "inj-d", "op-sd", "inj-g", "op-sg", "inj-dg", "mxfp4"}};
}

inline sim::claims_plan plan_of(std::vector<sim::stated_claim> claims, std::size_t seeds) {
  sim::claims_plan plan;
  plan.name = "test";
  plan.studies.push_back({"main", {}, {}});
  for (std::size_t i = 0; i < seeds; ++i) plan.studies.front().seeds.push_back(101 + i);
  plan.meanings = {injection(), operation()};
  plan.metrics = {accuracy()};
  plan.claims = std::move(claims);
  return plan;
}

inline std::vector<sim::claim_result> decided(const sim::claims_plan& plan,
                                              const std::vector<sim::seed_metrics>& runs) {
  return sim::decide(plan, sim::values_of(plan, runs));
}

}  // namespace test
