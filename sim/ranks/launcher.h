// SPDX-License-Identifier: Apache-2.0
// sim/ranks/launcher.h: whether a launcher of ranks started this process.
#pragma once
#include <cstdlib>
#include <initializer_list>

namespace sim {

/// The ranks that were started, as a launcher tells before MPI is initialized; null where none did.
[[nodiscard]] inline const char* started_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE"}) {
    if (const char* value = std::getenv(name)) return value;
  }
  return nullptr;
}

}  // namespace sim
