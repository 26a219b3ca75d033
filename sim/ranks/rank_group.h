// SPDX-License-Identifier: Apache-2.0
// sim/ranks/rank_group.h: the processes that compute one run together. Every rank holds the whole
// state of the run and computes a part of each step; they exchange the parts, so that all go on
// from the same bits. A process alone is a group of one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/study/input_error.h"

namespace sim {

/// Ranks that cannot compute a run together; the message says what to do.
struct rank_error : input_error {
  using input_error::input_error;
};

class rank_group {
 public:
  virtual ~rank_group() = default;

  /// From 0. Rank 0 alone reads and writes the run's folder.
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;

  /// The bytes of every rank, in the order of the ranks. All ranks call it, in the same order, one
  /// thread at a time.
  [[nodiscard]] virtual std::vector<std::string> gather(std::string_view mine) const = 0;
};

/// The group of this process alone.
[[nodiscard]] const rank_group& this_process();

/// Pieces [first, first + count) of a whole.
struct piece {
  int first, count;
};
/// A rank's share of consecutive pieces, and this rank's; sizes differ by one at most.
[[nodiscard]] piece piece_of(const rank_group& ranks, int rank, int pieces);
[[nodiscard]] piece own_piece(const rank_group& ranks, int pieces);

}  // namespace sim
