// SPDX-License-Identifier: Apache-2.0
// tests/train/mpi_gather_test.cpp: sim/ranks/mpi_ranks.cpp under mpirun: bytes of any number from
// every rank, more than one call of MPI takes. Exit status 0 if each rank receives them all.
#include <cstdio>
#include <string>
#include <vector>

#include "sim/ranks/launched_ranks.h"

namespace {

/// Two calls and a few bytes; nothing; one call to the byte. No two numbers of bytes are equal.
constexpr std::size_t sizes[] = {(std::size_t{1} << 25) + 3, 0, std::size_t{1} << 24};

/// Bytes of one rank, in which no part equals another rank's or a part one call away.
std::string bytes_of(std::size_t rank) {
  std::string bytes(sizes[rank], '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * 31 + (i >> 24) * 7 + rank);
  }
  return bytes;
}

}  // namespace

int main() {
  const sim::rank_group& ranks = sim::launched_ranks();
  int status = ranks.size() == static_cast<int>(std::size(sizes)) ? 0 : 1;
  if (status != 0) std::printf("%d ranks\n", ranks.size());
  const std::string mine = bytes_of(static_cast<std::size_t>(ranks.rank()));
  const std::vector<std::string> all = ranks.gather(mine);
  for (std::size_t r = 0; status == 0 && r < all.size(); ++r) {
    if (all[r] == bytes_of(r)) continue;
    std::printf("rank %d received %zu other bytes of rank %zu\n", ranks.rank(), all[r].size(), r);
    status = 1;
  }
  return status;
}
