// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/dot_replay.cpp: all words of a file under a model, on all threads.
#include "sim/cli/products/dot_replay.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "mx/dot/bulk_dot.h"
#include "mx/dot/dot.h"

namespace sim::cli {
namespace {

using range = tbb::blocked_range<std::uint64_t>;

/// Words of a range in the layout of mx::dot_all, in a code type wide enough for both operands.
template <class Code>
class gathered_words {
 public:
  gathered_words(const dot_file& words, const range& r) {
    gather(words.a, r.begin() * words.k, r.size() * words.k, a_);
    gather(words.b, r.begin() * words.k, r.size() * words.k, b_);
    gather(words.c, r.begin(), r.size(), c_);
    if (words.scales == 0) return;
    gather(words.scale_a, r.begin() * words.scales, r.size() * words.scales, scale_a_);
    gather(words.scale_b, r.begin() * words.scales, r.size() * words.scales, scale_b_);
  }

  [[nodiscard]] mx::dot_words<Code> into(std::uint32_t* d, std::uint64_t k) const {
    const bool scaled = !scale_a_.empty();
    return {static_cast<std::int64_t>(c_.size()),
            static_cast<int>(k),
            a_.data(),
            b_.data(),
            scaled ? scale_a_.data() : nullptr,
            scaled ? scale_b_.data() : nullptr,
            c_.data(),
            d};
  }

 private:
  template <class T>
  static void gather(const code_view& from, std::uint64_t first, std::uint64_t count,
                     std::vector<T>& to) {
    to.resize(count);
    from.copy(first, count, to.data());
  }

  std::vector<Code> a_, b_;
  std::vector<std::uint8_t> scale_a_, scale_b_;
  std::vector<std::uint32_t> c_;
};

template <class Code>
void compute(const dot_file& words, const range& r, std::uint32_t* d) {
  const gathered_words<Code> gathered(words, r);
  mx::dot_all(words.model, gathered.into(d, words.k));
}

/// The same under scales wider than a byte, which mx::dot_all does not support.
void compute_under_wide_scales(const dot_file& words, const range& r, std::uint32_t* d) {
  dot_word w;
  for (std::uint64_t i = r.begin(); i < r.end(); ++i) {
    w.read(words, i);
    *d++ = mx::dot(words.model, w.a.data(), w.b.data(), static_cast<int>(words.k), w.c,
                   w.scale_a.data(), w.scale_b.data());
  }
}

using computing = void (*)(const dot_file&, const range&, std::uint32_t*);

computing way_for(const dot_file& words) {
  if (words.scales > 0 && words.scale_a.bits() > 8) return compute_under_wide_scales;
  const unsigned bits = std::max(words.a.bits(), words.b.bits());
  if (bits <= 8) return compute<std::uint8_t>;
  return bits <= 16 ? compute<std::uint16_t> : compute<std::uint32_t>;
}

}  // namespace

dot_replay replayed(const dot_file& words, progress_bar& bar) {
  dot_replay replay;
  replay.results.resize(words.vectors);
  replay.first = words.vectors;
  const std::uint64_t grain = 1 + 65536 / (words.k + 1);
  const computing compute = way_for(words);
  tbb::parallel_for(range(0, words.vectors, grain), [&](const range& r) {
    compute(words, r, replay.results.data() + r.begin());
    bar.advance(r.size());
  });
  for (std::uint64_t i = 0; !words.d.empty() && i < words.vectors; ++i) {
    if (replay.results[i] == words.d[i]) continue;
    if (replay.mismatches++ == 0) replay.first = i;
  }
  return replay;
}

}  // namespace sim::cli
