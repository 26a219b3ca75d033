// SPDX-License-Identifier: Apache-2.0
// sim/claims/claim_reader.h: reads [metrics.*] and [[claim]] of a claims file.
#pragma once
#include "sim/claims/stated_claim.h"
#include "sim/study/table_reader.h"

namespace sim {

/// Into a plan whose studies are read.
///   errors  study_error
void read_chosen_metrics(table_reader& root, claims_plan& plan);

/// Into a plan whose studies, meanings and metrics are read.
///   errors  study_error
void read_stated_claims(table_reader& root, claims_plan& plan);

}  // namespace sim
