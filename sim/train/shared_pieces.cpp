// SPDX-License-Identifier: Apache-2.0
// sim/train/shared_pieces.cpp: see shared_pieces.h.
#include "sim/train/shared_pieces.h"

#include <tbb/task_arena.h>

#include <algorithm>

#include "sim/policy/whole_loop.h"
#include "sim/ranks/packed_values.h"

namespace sim {
namespace {

/// The pieces [first, first + count), each rank a share of them.
void share_some(const rank_group& ranks, std::size_t first, std::size_t count,
                const shared_work& work) {
  const piece own = own_piece(ranks, static_cast<int>(count));
  std::vector<std::string> made(static_cast<std::size_t>(own.count));
  whole_loop(own.count, [&](std::ptrdiff_t i) {
    const auto at = static_cast<std::size_t>(i);
    made[at] = work.make(first + static_cast<std::size_t>(own.first) + at);
  });
  packed_values values;
  for (const std::string& text : made) values.put(text);
  for (const std::string& bytes : ranks.gather(values.bytes())) {
    for (unpacked_values results(bytes); results.any_left(); ++first) {
      const std::vector<char> text = results.take<char>();
      if (!text.empty()) work.take(first, std::string(text.begin(), text.end()));
    }
  }
}

}  // namespace

void share_pieces(const rank_group& ranks, std::size_t pieces, const shared_work& work) {
  if (ranks.size() == 1) {
    return whole_loop(static_cast<std::ptrdiff_t>(pieces), [&](std::ptrdiff_t i) {
      const auto at = static_cast<std::size_t>(i);
      const std::string result = work.make(at);
      if (!result.empty()) work.take(at, result);
    });
  }
  // Ranks may have different numbers of threads.
  int threads = 0;
  for (const int of_rank : gathered(ranks, std::vector{tbb::this_task_arena::max_concurrency()})) {
    threads += of_rank;
  }
  const auto at_once = static_cast<std::size_t>(threads);
  for (std::size_t first = 0; first < pieces && work.go_on(); first += at_once) {
    share_some(ranks, first, std::min(at_once, pieces - first), work);
  }
}

}  // namespace sim
