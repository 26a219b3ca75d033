// SPDX-License-Identifier: Apache-2.0
// sim/ranks/launched_ranks.h: the ranks that mpirun, or srun with PMIx, started, of which
// this process is one.
#pragma once
#include "sim/ranks/rank_group.h"

namespace sim {

/// Joins them at the first call; this process alone where nothing started ranks.
///   errors  rank_error where ranks were started and this build has no MPI
[[nodiscard]] const rank_group& launched_ranks();

/// Of a failure of this process: whether every rank fails, in which case rank 0 reports it. Waits
/// for the others, but not for long. True where nothing was joined.
[[nodiscard]] bool every_rank_fails();
/// Of this process: 0 where nothing was joined.
[[nodiscard]] int launched_rank();
/// Ends the processes of all ranks, this one with the status.
[[noreturn]] void end_every_rank(int status);

}  // namespace sim
