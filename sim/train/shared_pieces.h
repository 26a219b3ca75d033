// SPDX-License-Identifier: Apache-2.0
// sim/train/shared_pieces.h: independent pieces of work that the ranks share, and the threads of
// each.
#pragma once
#include <cstddef>
#include <functional>
#include <string>

#include "sim/ranks/rank_group.h"

namespace sim {

///   make   a piece's result as text, on one thread of one rank; empty where there is none
///   take   gets each result that is not empty, on every rank
///   go_on  whether more pieces are to be made; all ranks ask at once
struct shared_work {
  std::function<std::string(std::size_t piece)> make;
  std::function<void(std::size_t piece, const std::string& result)> take;
  std::function<bool()> go_on;
};

/// In a process alone, all pieces side by side, and each result is taken at once, by any thread.
/// Ranks exchange their results after every few pieces, and take them in order.
void share_pieces(const rank_group& ranks, std::size_t pieces, const shared_work& work);

}  // namespace sim
