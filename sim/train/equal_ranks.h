// SPDX-License-Identifier: Apache-2.0
// sim/train/equal_ranks.h: whether the ranks of a group can compute one run together.
#pragma once
#include "sim/ranks/rank_group.h"
#include "sim/study/study.h"

namespace sim {

/// All ranks call these, before they compute anything.
///   errors  rank_error, with both hashes
void expect_equal_programs(const rank_group& ranks);
///   errors  rank_error, with both values: ranks with other programs, studies or last steps, or
///           more of them than some batch of the study has groups of sequences
void expect_equal_ranks(const rank_group& ranks, const study& s, int last_step);

}  // namespace sim
