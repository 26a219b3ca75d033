// SPDX-License-Identifier: Apache-2.0
// sim/claims/stated_claim.h: claims as values: what is measured, contrasted and decided.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/statistics.h"
#include "sim/study/study.h"

namespace sim {

/// Rows of metrics.jsonl that have a figure, one for each arm.
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

/// A contrast of one metric, compared with `expected`.
struct claim_contrast {
  linear_contrast of;
  std::size_t metric = 0;
  double expected = 0;
  std::optional<equality_margin> margin;
};

/// Kinds of claims.
///   positive    every contrast is above 0; one below 0, or equal to 0 within the margin, refutes it
///   equivalent  every contrast is 0 within the margin; one beyond it refutes it
///   zero        every value of every seed is exactly 0
///   estimate    claims nothing: the contrast is printed
enum class claim_rule : std::uint8_t { positive, equivalent, zero, estimate };

struct stated_claim {
  std::string name, says;
  claim_rule rule = claim_rule::positive;
  std::vector<claim_contrast> contrasts;
};

/// The eight cells of a toggle's meaning, as arms, in the order of sim::cell_names.
struct toggle_meaning {
  std::string name;
  std::array<std::string, cells> arms;
};

/// Whether the claims take Shapley values, and so hold under every meaning or not at all.
[[nodiscard]] bool needs_meaning(const stated_claim& c);

/// A claims file, read.
///   base    the study of every seed but for its seed
///   level   the family-wise error of PASS, and of FAIL
struct claims_plan {
  std::string name, sha256;
  study base;
  std::vector<std::uint64_t> seeds;
  double level = 0.05;
  std::vector<toggle_meaning> meanings;
  std::vector<chosen_metric> metrics;
  std::vector<stated_claim> claims;
};

}  // namespace sim
