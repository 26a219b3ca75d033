// SPDX-License-Identifier: Apache-2.0
// sim/claims/claims_table.h: decided claims as text: for a terminal, in Markdown, and seed by seed.
#pragma once
#include <string>
#include <vector>

#include "sim/claims/decision.h"

namespace sim {

/// A contrast of a claim under one meaning, with its statistics over the seeds.
///   detectable  the smallest effect that a test at the first step of Holm shows with power .8; of
///               rule spread, the smallest standard deviation shown to be above the range's low end
struct contrast_line {
  const claim_contrast* of;
  std::string metric, meaning;
  seed_sample sample;
  interval mean, deviation;  ///< 95 %
  double detectable = 0;
};

/// Of one claim, in its order.
[[nodiscard]] std::vector<contrast_line> lines_of(const claims_plan& plan, std::size_t claim,
                                                  const claim_result& result);

/// "24 seeds, 101 to 124; family-wise level 0.05", with the seeds of every study by its name.
[[nodiscard]] std::string heading_of(const claims_plan& plan);

/// Why a claim was decided so, where p-values do not say it: also that its seeds are too few for
/// sign flips, or could have missed half of the paper's effect.
[[nodiscard]] std::string note_of(const claims_plan& plan, std::size_t claim,
                                  const claim_result& result,
                                  const std::vector<contrast_line>& lines);

/// One line a contrast, then the notes and the number of each verdict.
[[nodiscard]] std::string terminal_claims(const claims_plan& plan,
                                          const std::vector<claim_result>& results);

/// Where a table comes from.
///   command  that makes it again
///   commit   of the program; machine: that wrote the table
struct table_origin {
  std::string command, commit, machine;
};

/// A page with its origin, the hashes of claims and studies, and the table.
[[nodiscard]] std::string markdown_claims(const claims_plan& plan,
                                          const std::vector<claim_result>& results,
                                          const table_origin& origin);

/// A line for every claim, contrast, meaning and seed; names with commas or quotes are quoted.
[[nodiscard]] std::string csv_claims(const claims_plan& plan,
                                     const std::vector<claim_result>& results);

}  // namespace sim
