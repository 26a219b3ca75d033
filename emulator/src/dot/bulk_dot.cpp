// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/bulk_dot.cpp: many dot products, distributed to threads. Equals mx::dot for
// every word, checked by tests/unit/dot/bulk_dot_test.cpp.
#include "mx/dot/bulk_dot.h"

#include <algorithm>
#include <array>

#include "dot/dot_groups.h"
#include "dot/step_words.h"
#include "mx/dot/dot.h"
#include "mx/tensor/parallel.h"

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
  for_each_in_parallel(tasks, [&](std::int64_t task) {
    const std::int64_t first = task * words_a_task;
    const std::int64_t last = std::min(first + words_a_task, words.count);
    work(first, last);
    if (done) done(static_cast<std::uint64_t>(last - first));
  });
}

/// By the kernels of steps; returns false, without effect, if there are none.
template <class Code>
bool all_by_steps(const dot_model& model, const dot_words<Code>& words, const words_done& done) {
  const std::optional<step_rule> rule = step_rule_of(model);
  const step_kernels* kernels = rule ? step_kernels_for(rule->kind) : nullptr;
  if (kernels == nullptr) return false;
  for_each_share(words, done, [&](std::int64_t first, std::int64_t last) {
    step_words<Code> some(*kernels, *rule, model, words);
    for (std::int64_t v = first; v < last; v += kernels->columns) {
      const auto count = static_cast<int>(std::min<std::int64_t>(kernels->columns, last - v));
      some.compute(v, count, [&](std::int64_t word) { one_by_core(model, words, word); });
    }
  });
  return true;
}

template <class Code>
void all_words(const dot_model& model, const dot_words<Code>& words, const words_done& done) {
  if (all_by_steps(model, words, done)) return;
  for_each_share(words, done, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t v = first; v < last; ++v) one_by_core(model, words, v);
  });
}

constexpr int step_products = 64;  // of blackwell.mxf4

/// A scale as mx::dot reads it.
struct group_scale {
  int significand = 0, exponent = 0;
  bool is_number = false;
};

using scale_codes = std::array<group_scale, 256>;

template <format F>
constexpr scale_codes codes_of_scale = [] {
  static_assert(F.fraction_bits <= 3, "grouped_step takes products of two scales below 2^8");
  scale_codes all;
  for (std::uint32_t code = 0; code < all.size(); ++code) {
    const factor scale = factor_of(F, code);
    all[code] = {static_cast<int>(scale.value.significand), scale.exponent,
                 !scale.value.is_special()};
  }
  return all;
}();

const scale_codes* codes_of(const format& scale) {
  if (scale == formats::e8m0) return &codes_of_scale<formats::e8m0>;
  return scale == formats::ue4m3 ? &codes_of_scale<formats::ue4m3> : nullptr;
}

bool has_kernel(const dot_model& model) {
  const bool blocks = codes_of(model.scale) != nullptr && (model.block == 16 || model.block == 32);
  return blocks && model.a == formats::e2m1 && model.b == formats::e2m1 &&
         model.sum == model_named("blackwell.mxf4")->model.sum;
}

/// The codes of one step of four words; where the words end before it, zeros follow: +0 times +0
/// changes no sum, and `blackwell.mxf4` has no -0 (checked by tests/unit/dot/bulk_dot_test.cpp).
class step_codes {
 public:
  step_codes(const dot_words<std::uint8_t>& words, std::int64_t v, int first) {
    const std::uint8_t *a = words.a + v * words.k + first, *b = words.b + v * words.k + first;
    if (words.k - first >= step_products) {
      codes_ = {a, b, words.k};
      return;
    }
    fill(a, words.k - first, words.k, a_);
    fill(b, words.k - first, words.k, b_);
    codes_ = {a_, b_, step_products};
  }
  step_codes(const step_codes&) = delete;
  step_codes& operator=(const step_codes&) = delete;

  [[nodiscard]] const group_codes& codes() const { return codes_; }

 private:
  static void fill(const std::uint8_t* from, int count, int distance, std::uint8_t* to) {
    for (int w = 0; w < group_sums::words; ++w, from += distance, to += step_products) {
      std::fill(std::copy_n(from, count, to), to + step_products, std::uint8_t{0});
    }
  }

  group_codes codes_;
  alignas(64) std::uint8_t a_[group_sums::words * step_products];
  alignas(64) std::uint8_t b_[group_sums::words * step_products];
};

/// Four words on vectors, step by step.
class four_words {
 public:
  four_words(const dot_model& model, const dot_words<std::uint8_t>& words, std::int64_t v)
      : model_(model),
        words_(words),
        scales_(*codes_of(model.scale)),
        v_(v),
        blocks_((words.k + model.block - 1) / model.block) {
    std::copy_n(words.c + v, group_sums::words, sums_);
  }

  /// Computes the words; returns false, without effect, if there is no kernel.
  [[nodiscard]] bool compute(dot_instruction how) {
    for (int first = 0; first < words_.k; first += step_products) {
      group_sums sums;
      if (!sum_groups(step_codes(words_, v_, first).codes(), how, sums)) return false;
      for (int w = 0; w < group_sums::words; ++w) add_step(sums, first, w);
    }
    for (int w = 0; w < group_sums::words; ++w) {
      words_.d[v_ + w] = sums_[w];
      if (is_left_to_core_[w]) one_by_core(model_, words_, v_ + w);
    }
    return true;
  }

 private:
  /// The core handles NaN and Inf, of scales, C and sums before the last step.
  void add_step(const group_sums& sums, int first, int w) {
    is_left_to_core_[w] = is_left_to_core_[w] || (sums_[w] & 0x7F800000) == 0x7F800000;
    scaled_groups dot;
    dot.unit = -2 - 2 * model_.scale.fraction_bits;
    for (int g = 0; g < group_sums::groups && !is_left_to_core_[w]; ++g) {
      set_group(sums, first + g * 16, w, g, dot);
    }
    if (!is_left_to_core_[w]) sums_[w] = grouped_step(dot, sums_[w]);
  }

  /// Groups beyond the last product are zero under any number.
  void set_group(const group_sums& sums, int first, int w, int g, scaled_groups& dot) {
    const std::int64_t block = std::min<std::int64_t>(first / model_.block, blocks_ - 1);
    const std::int64_t at = (v_ + w) * blocks_ + block;
    const group_scale &a = scales_[words_.scale_a[at]], &b = scales_[words_.scale_b[at]];
    is_left_to_core_[w] = !a.is_number || !b.is_number;
    const int significand = a.significand * b.significand;
    dot.quarters[g] = std::int64_t{sums.quarters[g][w]} * significand;
    dot.exponent[g] = a.exponent + b.exponent;
    dot.zero[g] = significand == 0 || (sums.nonzero[w] >> (16 * g) & 0xFFFF) == 0;
  }

  const dot_model& model_;
  const dot_words<std::uint8_t>& words_;
  const scale_codes& scales_;
  std::int64_t v_, blocks_;
  std::uint32_t sums_[group_sums::words];
  bool is_left_to_core_[group_sums::words] = {};
};

}  // namespace

void dot_all(const dot_model& model, const dot_words<std::uint8_t>& words, const words_done& done) {
  if (!has_kernel(model)) return all_words(model, words, done);
  const dot_instruction how = best_dot();
  for_each_share(words, done, [&](std::int64_t first, std::int64_t last) {
    std::int64_t v = first;
    while (v + group_sums::words <= last && four_words(model, words, v).compute(how)) {
      v += group_sums::words;
    }
    for (; v < last; ++v) one_by_core(model, words, v);
  });
}

void dot_all(const dot_model& model, const dot_words<std::uint16_t>& words,
             const words_done& done) {
  all_words(model, words, done);
}

void dot_all(const dot_model& model, const dot_words<std::uint32_t>& words,
             const words_done& done) {
  all_words(model, words, done);
}

}  // namespace mx
