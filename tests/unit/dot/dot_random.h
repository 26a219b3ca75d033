// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/dot_random.h: random words for a model, with numbers of close magnitude.
#pragma once
#include <algorithm>
#include <random>

#include "dot_run.h"

namespace tests {

struct random_word {
  codes a, b, scale_a, scale_b;
  std::uint32_t c;
};

class words {
 public:
  explicit words(const mx::dot_model& m) : model_(m) {}

  random_word next(std::size_t k) {
    random_word w{elements(model_.a, k), elements(model_.b, k), {}, {}, 0};
    if (model_.block > 0) {
      const std::size_t blocks = k / static_cast<std::size_t>(model_.block);
      w.scale_a = scales(blocks);
      w.scale_b = scales(blocks);
    }
    const mx::format& out = model_.sum.result;
    const int field = out.bias + static_cast<int>(random_() % 24) - 12;
    w.c = (static_cast<std::uint32_t>(field) << out.fraction_bits) |
          (static_cast<std::uint32_t>(random_()) & ((1U << out.fraction_bits) - 1)) |
          (random_() % 2 == 0 ? out.sign_mask() : 0);
    return w;
  }

 private:
  codes elements(const mx::format& f, std::size_t k) {
    codes x(k);
    const std::uint32_t center = static_cast<std::uint32_t>(f.bias) << f.fraction_bits;
    for (std::uint32_t& code : x) {
      const std::uint32_t reach = std::min(f.max_code() - center, 6U << f.fraction_bits);
      const std::uint32_t down = std::min(center, 6U << f.fraction_bits);
      const auto magnitude = static_cast<std::uint32_t>(center - down + random_() % (reach + down));
      code = magnitude | (random_() % 2 == 0 && magnitude != 0 ? f.sign_mask() : 0);
      code = code << model_.unread_bits;
    }
    return x;
  }
  codes scales(std::size_t count) {
    codes x(count);
    for (std::uint32_t& s : x) {
      s = static_cast<std::uint32_t>(model_.scale.width() == 8 ? 122 + random_() % 10
                                                               : 16 + random_() % 64);
    }
    return x;
  }

  const mx::dot_model& model_;
  std::mt19937_64 random_{31};
};

inline std::uint32_t run(const mx::dot_model& m, const random_word& w) {
  return run(m, w.a, w.b, w.c, w.scale_a, w.scale_b);
}

}  // namespace tests
