// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/step_words.cpp: many dot products, a lane a word, along k in pieces that stay in
// a near cache. Equals mx::dot for every word, checked by tests/unit/dot/step_words_test.cpp.
#include "dot/step_words.h"

#include <algorithm>

#include "mx/number/e8m0.h"

namespace mx {

template <class Code>
class step_words<Code>::marked_words final : public odd_steps {
 public:
  explicit marked_words(step_tile& sums) : sums_(sums) {}

  float operator()(int, int column, int, float) override {
    sums_.mark(0, 1U << column);
    return 0;
  }

 private:
  step_tile& sums_;
};

template <class Code>
std::uint32_t step_words<Code>::place_scales(side& to, const std::uint8_t* scales,
                                             std::int64_t word, int count, std::int64_t k,
                                             std::int64_t elements) {
  const std::int64_t blocks = (words_.k + model_.block - 1) / model_.block;
  std::uint32_t irregular = 0;
  for (std::int64_t unit = 0; unit * rule_.unit < elements; ++unit) {
    const std::int64_t block = (k + unit * rule_.unit) / model_.block;
    for (int i = 0; i < kernels_.columns; ++i) {
      const bool there = i < count && block < blocks;
      const e8m0 scale = there ? e8m0{scales[(word + i) * blocks + block]} : e8m0{e8m0::bias};
      if (scale.is_nan()) irregular |= 1U << i;
      *to.scales.at(static_cast<std::size_t>(unit * kernels_.columns + i)) = scale.exponent();
    }
  }
  return irregular;
}

template <class Code>
std::uint32_t step_words<Code>::place(side& to, const code_rule& rule, const Code* codes,
                                      const std::uint8_t* scales, std::int64_t word, int count,
                                      std::int64_t k) {
  constexpr code_storage storage = sizeof(Code) == 1   ? code_storage::bytes
                                   : sizeof(Code) == 2 ? code_storage::halves
                                                       : code_storage::words;
  const void* lines[step_kernels::most_columns];
  for (int i = 0; i < count; ++i) lines[i] = codes + (word + i) * words_.k;
  const std::int64_t there = std::min<std::int64_t>(elements_at_once, words_.k - k);
  const std::uint32_t irregular = kernels_.place_panel(
      rule_, rule, {lines, count, storage, k, there}, {to.values.at(0), to.exponents.at(0)});
  return rule_.has_scales ? irregular | place_scales(to, scales, word, count, k, there) : irregular;
}

template <class Code>
void step_words<Code>::compute(std::int64_t first, int count, const by_core& core) {
  step_tile sums(kernels_.columns);
  sums.take(model_.sum.result, 0, count, words_.c + first);
  marked_words odd(sums);
  for (std::int64_t k = 0; k < words_.k; k += elements_at_once) {
    sums.mark(0, place(sides_[0], rule_.a, words_.a, words_.scale_a, first, count, k));
    sums.mark(0, place(sides_[1], rule_.b, words_.b, words_.scale_b, first, count, k));
    const std::int64_t there = std::min<std::int64_t>(elements_at_once, words_.k - k);
    kernels_.add_words(rule_, sides_[0].slice(), sides_[1].slice(),
                       static_cast<int>((there + rule_.unit - 1) / rule_.unit),
                       {sums.values(), odd});
  }
  sums.give(model_.sum.result, 0, count, words_.d + first);
  for (int i = 0; i < count; ++i) {
    if ((sums.irregular(0) >> i & 1) != 0) core(first + i);
  }
}

template class step_words<std::uint8_t>;
template class step_words<std::uint16_t>;
template class step_words<std::uint32_t>;

}  // namespace mx
