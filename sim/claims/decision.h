// SPDX-License-Identifier: Apache-2.0
// sim/claims/decision.h: PASS, FAIL or INCONCLUSIVE for every claim, from the metrics of all seeds.
#pragma once
#include <string>
#include <vector>

#include "sim/claims/paired_test.h"
#include "sim/claims/seed_values.h"
#include "sim/claims/stated_claim.h"

namespace sim {

/// none: the claim's rule is estimate.
enum class outcome : std::uint8_t { pass, fail, inconclusive, none };
[[nodiscard]] const char* word_of(outcome o);

/// A claim's decision.
///   pass_p, fail_p  adjusted by Holm over the claims, from t or chi-square; 1 without a test
///   note            why it is INCONCLUSIVE or FAIL, where the p-values do not say it
struct claim_result {
  outcome decided = outcome::none;
  double pass_p = 1, fail_p = 1;
  std::string note;
  std::vector<measured_contrast> contrasts;
};

/// The decisions, in the plan's order.
///   PASS   of a claim with a test: the largest p of its contrasts and meanings
///   FAIL   the smallest p against it, times their number
/// Both are adjusted by Holm over all claims with a test. FAIL goes before PASS. The same decisions
/// by sign flips must agree with those by t, of spread those under heavy tails with those under
/// Gaussian ones; else INCONCLUSIVE.
///   values  in the plan's order
[[nodiscard]] std::vector<claim_result> decide(const claims_plan& plan,
                                               std::vector<std::vector<measured_contrast>> values);

/// The smallest p-value in favour of a claim that sign flips of so many seeds can give: all flips
/// but none have a smaller sum.
///   rule  positive, equivalent or at_most
[[nodiscard]] double least_p_by_sign_flips(claim_rule rule, std::size_t seeds);

}  // namespace sim
