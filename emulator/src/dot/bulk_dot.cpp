// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/bulk_dot.cpp: many dot products, distributed to threads. Equals mx::dot for
// every word, checked by tests/unit/dot/bulk_dot_test.cpp.
#include "mx/dot/bulk_dot.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "dot/dot_groups.h"
#include "mx/dot/dot.h"

namespace mx {
namespace {

constexpr std::int64_t words_a_task = 1024;

template <class Code>
void one_by_core(const dot_model& model, const dot_words<Code>& words, std::int64_t v) {
  const std::int64_t k = words.k;
  const std::int64_t blocks = model.block > 0 ? (k + model.block - 1) / model.block : 0;
  const auto scales = [&](const std::uint8_t* of) {
    return blocks > 0 ? of + v * blocks : nullptr;
  };
  words.d[v] = dot(model, words.a + v * k, words.b + v * k, words.k, words.c[v],
                   scales(words.scale_a), scales(words.scale_b));
}

/// Calls work(first, last) for ranges of the words.
template <class Code, class Work>
void for_each_share(const dot_words<Code>& words, const words_done& done, const Work& work) {
  const std::int64_t tasks = (words.count + words_a_task - 1) / words_a_task;
  tbb::parallel_for(std::int64_t{0}, tasks, [&](std::int64_t task) {
    const std::int64_t first = task * words_a_task;
    const std::int64_t last = std::min(first + words_a_task, words.count);
    work(first, last);
    if (done) done(static_cast<std::uint64_t>(last - first));
  });
}

template <class Code>
void all_by_core(const dot_model& model, const dot_words<Code>& words, const words_done& done) {
  for_each_share(words, done, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t v = first; v < last; ++v) one_by_core(model, words, v);
  });
}

bool has_kernel(const dot_model& model, int k) {
  const bool blocks = model.scale == formats::e8m0 && (model.block == 16 || model.block == 32);
  return blocks && k == 64 && model.a == formats::e2m1 && model.b == formats::e2m1 &&
         model.sum == model_named("blackwell.mxf4")->model.sum;
}

/// Scales of a word's groups; returns false if one of them is NaN.
bool scale_groups(const std::uint8_t* a, const std::uint8_t* b, int block, scaled_groups& dot) {
  bool numbers = true;
  for (int g = 0; g < group_sums::groups; ++g) {
    const int at = g * 16 / block;
    dot.exponent[g] = a[at] + b[at] - 2 * e8m0::bias;
    numbers = numbers && a[at] != 0xFF && b[at] != 0xFF;
  }
  return numbers;
}

/// Computes four words; returns false, without effect, if there is no kernel.
bool four_on_vectors(const dot_model& model, const dot_words<std::uint8_t>& words, std::int64_t v,
                     dot_instruction how) {
  group_sums sums;
  if (!sum_groups(words.a + v * 64, words.b + v * 64, how, sums)) return false;
  const int blocks = 64 / model.block;
  for (int w = 0; w < group_sums::words; ++w) {
    scaled_groups dot;
    const std::int64_t at = v + w;
    const std::uint32_t c = words.c[at];
    const bool numbers =
        scale_groups(words.scale_a + at * blocks, words.scale_b + at * blocks, model.block, dot);
    // The core handles NaN and Inf.
    if (!numbers || (c & 0x7F800000) == 0x7F800000) {
      one_by_core(model, words, at);
      continue;
    }
    for (int g = 0; g < group_sums::groups; ++g) {
      dot.quarters[g] = sums.quarters[g][w];
      dot.zero[g] = (sums.nonzero[w] >> (16 * g) & 0xFFFF) == 0;
    }
    words.d[at] = grouped_step(dot, c);
  }
  return true;
}

}  // namespace

void dot_all(const dot_model& model, const dot_words<std::uint8_t>& words, const words_done& done) {
  if (!has_kernel(model, words.k)) return all_by_core(model, words, done);
  const dot_instruction how = best_dot();
  for_each_share(words, done, [&](std::int64_t first, std::int64_t last) {
    std::int64_t v = first;
    while (v + group_sums::words <= last && four_on_vectors(model, words, v, how)) {
      v += group_sums::words;
    }
    for (; v < last; ++v) one_by_core(model, words, v);
  });
}

void dot_all(const dot_model& model, const dot_words<std::uint16_t>& words,
             const words_done& done) {
  all_by_core(model, words, done);
}

void dot_all(const dot_model& model, const dot_words<std::uint32_t>& words,
             const words_done& done) {
  all_by_core(model, words, done);
}

}  // namespace mx
