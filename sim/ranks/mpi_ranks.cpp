// SPDX-License-Identifier: Apache-2.0
// sim/ranks/mpi_ranks.cpp: launched_ranks.h over the C interface of MPI.
// A rank that waits for others sleeps between its looks, so that on one machine it takes no
// processor from them; MPI's own waits would.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>

#include "sim/ranks/launched_ranks.h"
#include "sim/ranks/launcher.h"
#include "sim/ranks/packed_values.h"

namespace sim {
namespace {

using clock = std::chrono::steady_clock;

/// Bytes of one rank in one call: counts of MPI are of type int, for all ranks together.
constexpr std::size_t bytes_a_call = std::size_t{1} << 24;
constexpr auto time_between_looks = std::chrono::microseconds(50);
/// How long a failing rank waits for the others to fail too.
constexpr auto patience = std::chrono::seconds(2);

/// Until the request is complete, or the time is over.
///   returns  whether it is complete
bool waited_for(MPI_Request& request, clock::time_point end = clock::time_point::max()) {
  for (;;) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    if (clock::now() > end) return false;
    std::this_thread::sleep_for(time_between_looks);
  }
}

class mpi_ranks final : public rank_group {
 public:
  mpi_ranks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_dup(MPI_COMM_WORLD, &failing_);
    if (provided < MPI_THREAD_SERIALIZED) {
      throw rank_error("this MPI takes calls from the main thread alone; install Open MPI 4.1");
    }
  }
  ~mpi_ranks() override { MPI_Finalize(); }
  mpi_ranks(const mpi_ranks&) = delete;
  mpi_ranks& operator=(const mpi_ranks&) = delete;

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }

  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) const override {
    const std::vector<std::uint64_t> sizes = gathered_sizes(mine.size());
    std::vector<std::string> result(sizes.size());
    const std::uint64_t longest = *std::ranges::max_element(sizes);
    for (std::uint64_t at = 0; at < longest; at += bytes_a_call) {
      const std::string_view rest = mine.substr(std::min<std::size_t>(at, mine.size()));
      gather_part(rest.substr(0, bytes_a_call), at, sizes, result);
    }
    return result;
  }

  /// Whether all ranks call it, each within the others' patience.
  [[nodiscard]] bool all_fail() const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(failing_, &request);
    return waited_for(request, clock::now() + patience);
  }

 private:
  /// The first that every rank sends in a gather, so that it waits for the slowest here.
  [[nodiscard]] std::vector<std::uint64_t> gathered_sizes(std::uint64_t mine) const {
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(size_));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(&mine, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    waited_for(request);
    return sizes;
  }

  /// Bytes from `at` on of every rank that has so many.
  void gather_part(std::string_view mine, std::uint64_t at, const std::vector<std::uint64_t>& sizes,
                   std::vector<std::string>& to) const {
    std::vector<int> counts, places;
    int total = 0;
    for (const std::uint64_t size : sizes) {
      const std::uint64_t left = size - std::min(at, size);
      places.push_back(total);
      counts.push_back(static_cast<int>(std::min<std::uint64_t>(left, bytes_a_call)));
      total += counts.back();
    }
    const auto all = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(total));
    MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.get(), counts.data(),
                   places.data(), MPI_BYTE, MPI_COMM_WORLD);
    for (std::size_t r = 0; r < to.size(); ++r) {
      to[r].append(all.get() + places[r], static_cast<std::size_t>(counts[r]));
    }
  }

  int rank_ = 0, size_ = 1;
  MPI_Comm failing_ = MPI_COMM_NULL;
};

/// Null until launched_ranks() joined them.
const mpi_ranks* joined = nullptr;

}  // namespace

const rank_group& launched_ranks() {
  if (started_ranks() == nullptr) return this_process();
  static const mpi_ranks ranks;
  joined = &ranks;
  return ranks;
}

bool every_rank_fails() { return joined == nullptr || joined->all_fail(); }

int launched_rank() { return joined == nullptr ? 0 : joined->rank(); }

void end_every_rank(int status) {
  if (joined != nullptr) MPI_Abort(MPI_COMM_WORLD, status);
  std::exit(status);
}

}  // namespace sim
