// SPDX-License-Identifier: Apache-2.0
// sim/ranks/no_mpi_ranks.cpp: launched_ranks.h in a build without MPI.
#include <cstdlib>
#include <string_view>

#include "sim/ranks/launched_ranks.h"
#include "sim/ranks/launcher.h"

namespace sim {

const rank_group& launched_ranks() {
  const char* started = started_ranks();
  if (started != nullptr && std::string_view(started) != "1") {
    throw rank_error(
        "several ranks were started (of {}), and this build runs one: install Open MPI "
        "(./bootstrap --mpi) and build with -DMX_MPI=ON, or start without mpirun",
        started);
  }
  return this_process();
}

bool every_rank_fails() { return true; }
int launched_rank() { return 0; }
void end_every_rank(int status) { std::exit(status); }

}  // namespace sim
