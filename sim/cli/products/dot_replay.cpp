// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/dot_replay.cpp: all words of a file under a model, on all threads.
#include "sim/cli/products/dot_replay.h"

#include <algorithm>
#include <utility>

#include "mx/dot/bulk_dot.h"
#include "mx/dot/dot.h"
#include "mx/tensor/parallel.h"

namespace sim::cli {
namespace {

/// Codes of a range: those of the file where it has them in this type, else widened copies.
template <class T>
class placed_codes {
 public:
  placed_codes(const code_view& from, std::uint64_t first, std::uint64_t count)
      : at_(from.in_place<T>(first)) {
    if (at_ != nullptr || from.empty()) return;
    copies_.resize(count);
    from.copy(first, count, copies_.data());
    at_ = copies_.data();
  }
  placed_codes(const placed_codes&) = delete;
  placed_codes& operator=(const placed_codes&) = delete;

  [[nodiscard]] const T* data() const { return at_; }

 private:
  const T* at_;
  std::vector<T> copies_;
};

/// Words of a range in a code type wide enough for both operands.
template <class Code>
void compute(const dot_file& words, mx::index_range r, std::uint32_t* d) {
  const auto of_words = [&](const code_view& from, std::uint64_t codes) {
    return placed_codes<Code>(from, r.first * codes, r.size() * codes);
  };
  const auto scales = [&](const code_view& from) {
    return placed_codes<std::uint8_t>(from, r.first * words.scales, r.size() * words.scales);
  };
  const auto a = of_words(words.a, words.k), b = of_words(words.b, words.k);
  const auto scale_a = scales(words.scale_a), scale_b = scales(words.scale_b);
  const placed_codes<std::uint32_t> c(words.c, r.first, r.size());
  mx::dot_all(words.model, {static_cast<std::int64_t>(r.size()), static_cast<int>(words.k),
                            a.data(), b.data(), scale_a.data(), scale_b.data(), c.data(), d});
}

/// The same under scales wider than a byte, which mx::dot_all does not support.
void compute_under_wide_scales(const dot_file& words, mx::index_range r, std::uint32_t* d) {
  dot_word w;
  for (std::uint64_t i = r.first; i < r.last; ++i) {
    w.read(words, i);
    *d++ = mx::dot(words.model, w.a.data(), w.b.data(), static_cast<int>(words.k), w.c,
                   w.scale_a.data(), w.scale_b.data());
  }
}

using computing = void (*)(const dot_file&, mx::index_range, std::uint32_t*);

computing way_for(const dot_file& words) {
  if (words.scales > 0 && words.scale_a.bits() > 8) return compute_under_wide_scales;
  const unsigned bits = std::max(words.a.bits(), words.b.bits());
  if (bits <= 8) return compute<std::uint8_t>;
  return bits <= 16 ? compute<std::uint16_t> : compute<std::uint32_t>;
}

/// Words that differ; the first is the number of words if none does.
struct differences {
  std::uint64_t count = 0, first;
};

differences joined(const differences& x, const differences& y) {
  return {x.count + y.count, std::min(x.first, y.first)};
}

differences compared(const dot_file& words, mx::index_range r, const std::uint32_t* d) {
  differences found{0, words.vectors};
  if (words.d.empty()) return found;
  const placed_codes<std::uint32_t> expected(words.d, r.first, r.size());
  for (std::uint64_t i = 0; i < r.size(); ++i) {
    if (d[i] != expected.data()[i]) found = joined(found, {1, r.first + i});
  }
  return found;
}

}  // namespace

dot_replay replayed(const dot_file& words, progress_bar& bar) {
  std::vector<std::uint32_t> results(words.vectors);
  const std::uint64_t grain = 1 + 65536 / (words.k + 1);
  const computing compute = way_for(words);
  const auto [mismatches, first] = mx::joined_in_parallel(
      {0, words.vectors}, grain, differences{0, words.vectors},
      [&](mx::index_range r) {
        std::uint32_t* d = results.data() + r.first;
        compute(words, r, d);
        bar.advance(r.size());
        return compared(words, r, d);
      },
      joined);
  return {std::move(results), mismatches, first};
}

}  // namespace sim::cli
