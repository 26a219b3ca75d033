// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/dot_replay.cpp: all words of a file under a model, on all threads.
#include "sim/cli/products/dot_replay.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "mx/dot.h"

namespace sim::cli {

dot_replay replayed(const dot_words& words, progress_bar& bar) {
  dot_replay replay;
  replay.results.resize(words.vectors);
  replay.first = words.vectors;
  const std::uint64_t grain = 1 + 65536 / (words.k + 1);
  const bool scaled = words.scales > 0;
  const auto compute = [&](const tbb::blocked_range<std::uint64_t>& range) {
    dot_word w;
    for (std::uint64_t i = range.begin(); i < range.end(); ++i) {
      w.read(words, i);
      replay.results[i] =
          mx::dot(words.model, w.a.data(), w.b.data(), static_cast<int>(words.k), w.c,
                  scaled ? w.scale_a.data() : nullptr, scaled ? w.scale_b.data() : nullptr);
    }
    bar.advance(range.size());
  };
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, words.vectors, grain), compute);
  for (std::uint64_t i = 0; !words.d.empty() && i < words.vectors; ++i) {
    if (replay.results[i] == words.d[i]) continue;
    if (replay.mismatches++ == 0) replay.first = i;
  }
  return replay;
}

}  // namespace sim::cli
