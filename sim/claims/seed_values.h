// SPDX-License-Identifier: Apache-2.0
// sim/claims/seed_values.h: the values of every contrast, one a seed, from the metrics of runs.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/claims/stated_claim.h"
#include "sim/report/metrics.h"

namespace sim {

/// The metrics of one seed; `source` names the file in errors.
///   study  an index of claims_plan::studies
struct seed_metrics {
  std::uint64_t seed = 0;
  std::string source;
  metrics figures;
  std::size_t study = 0;
};

/// A contrast under one meaning (empty: it needs none), a value a seed.
///   contrast  its index in the claim
///   values    as measured; tests compare them with `expected`
///   margins   one a seed; empty without a margin
struct measured_contrast {
  std::size_t contrast = 0;
  double expected = 0;
  std::string meaning;
  std::vector<double> values, margins;
};

/// All contrasts of all claims; every meaning of those that need one. A contrast's values are those
/// of its study's seeds.
///   errors  report_error: a figure is missing, ambiguous or not finite
[[nodiscard]] std::vector<std::vector<measured_contrast>> values_of(
    const claims_plan& plan, const std::vector<seed_metrics>& seeds);

}  // namespace sim
