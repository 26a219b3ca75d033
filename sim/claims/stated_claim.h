// SPDX-License-Identifier: Apache-2.0
// sim/claims/stated_claim.h: claims as values: what is measured, contrasted and decided.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/statistics.h"
#include "sim/study/study.h"

namespace sim {

/// Rows of metrics.jsonl that have a figure, one for each arm.
///   study     whose seeds have it: an index of claims_plan::studies
///   step      of phase "train"; outliers: the factor of phase "frozen"
///   factor    multiplies every value; -1 where less is worse
///   diverged  value of an arm whose training diverged; without it such an arm is an error
struct chosen_metric {
  std::string name;
  std::string phase, metric, passes, layer;
  std::optional<int> step;
  int outliers = 1;
  double factor = 1;
  std::optional<double> diverged;
  std::size_t study = 0;
};

/// An arm, or a Shapley value ("shapley.S", "shapley.D", "shapley.G"), times a weight.
struct contrast_term {
  double weight = 1;
  std::string of;
};

/// A sum of terms; `text` as in the file.
struct linear_contrast {
  std::string text;
  std::vector<contrast_term> terms;
};

/// Half of the width that counts as equal: a number, or a contrast of the same metric.
struct equality_margin {
  double number = 0;
  std::optional<linear_contrast> contrast;
};

/// A contrast of one metric, and so of one study, compared with `expected`.
struct claim_contrast {
  linear_contrast of;
  std::size_t metric = 0;
  double expected = 0;
  std::optional<equality_margin> margin;
};

/// Kinds of claims.
///   positive    every contrast is above 0; one below 0, or equal to 0 within the margin,
///               refutes it
///   equivalent  every contrast is 0 within the margin; one beyond it refutes it
///   at_most     every contrast is at most `expected`; one above it refutes it
///   spread      the standard deviation over seeds of every contrast is within a range; one below
///               the range refutes it
///   zero        every value of every seed is exactly 0
///   estimate    claims nothing: the contrast is printed
enum class claim_rule : std::uint8_t { positive, equivalent, at_most, spread, zero, estimate };

/// Whether a rule is decided by p-values.
[[nodiscard]] constexpr bool is_tested(claim_rule r) {
  return r != claim_rule::zero && r != claim_rule::estimate;
}

struct value_range {
  double low = 0, high = 0;
};

///   within        of rule spread
///   paper_effect  the effect that the paper reports, in the unit of the contrasts
///   pilot         what the pilot said about its power; empty: nothing
struct stated_claim {
  std::string name, says;
  claim_rule rule = claim_rule::positive;
  std::vector<claim_contrast> contrasts;
  value_range within = {};
  std::optional<double> paper_effect = {};
  std::string pilot = {};
};

/// The eight cells of a toggle's meaning, as arms, in the order of sim::cell_names.
struct toggle_meaning {
  std::string name;
  std::array<std::string, cells> arms;
};

/// Whether the claims take Shapley values, and so hold under every meaning or not at all.
[[nodiscard]] bool needs_meaning(const stated_claim& c);

/// A study that a claims file runs.
///   name   "main" for that of the file's own keys
///   base   the study of every seed but for its seed
struct planned_study {
  std::string name;
  study base;
  std::vector<std::uint64_t> seeds;
};

/// One seed of a study, by its index.
struct planned_run {
  std::size_t study = 0;
  std::uint64_t seed = 0;
  auto operator<=>(const planned_run&) const = default;
};

/// A claims file, read.
///   studies  the main one first
///   level    the family-wise error of PASS, and of FAIL
struct claims_plan {
  std::string name, sha256;
  std::vector<planned_study> studies;
  double level = 0.05;
  std::vector<toggle_meaning> meanings;
  std::vector<chosen_metric> metrics;
  std::vector<stated_claim> claims;
};

}  // namespace sim
