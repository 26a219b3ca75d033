// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/step_cases.h: operands of dot products at the limits of the kernels of steps, for
// elements of any format.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "mx/dot/dot.h"
#include "mx/dot/mixed_models.h"

namespace tests {

/// Elements and addends of a case.
///   near      within four binades, of both signs
///   spread    any finite number
///   any       any code
///   sparse    near, most of them zeros of both signs
///   cancel    near, every second product the first one's negative
///   low       zeros, subnormals and the smallest normals
///   high      the largest numbers, all of one sign: sums that need most bits
///   mixed     each element one of these
enum class step_operands { near, spread, any, sparse, cancel, low, high, mixed };
inline constexpr step_operands all_step_operands[] = {
    step_operands::near,   step_operands::spread, step_operands::any,  step_operands::sparse,
    step_operands::cancel, step_operands::low,    step_operands::high, step_operands::mixed};

class step_case {
 public:
  /// Words of `k` elements.
  step_case(const mx::dot_model& model, step_operands kind, std::int64_t count, int k,
            std::uint32_t seed)
      : model_(model), kind_(kind), count_(count), k_(k), random_(seed) {
    for (std::int64_t v = 0; v < count; ++v) draw_word();
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] int k() const { return k_; }
  [[nodiscard]] const std::vector<std::uint32_t>& a() const { return a_; }
  [[nodiscard]] const std::vector<std::uint32_t>& b() const { return b_; }
  [[nodiscard]] const std::vector<std::uint32_t>& c() const { return c_; }
  [[nodiscard]] const std::uint8_t* scale_a() const { return scales_of(scale_a_); }
  [[nodiscard]] const std::uint8_t* scale_b() const { return scales_of(scale_b_); }
  [[nodiscard]] std::int64_t blocks() const {
    return model_.block > 0 ? (k_ + model_.block - 1) / model_.block : 0;
  }

  /// The core's word of a's line i and b's line j.
  [[nodiscard]] std::uint32_t by_core(std::int64_t i, std::int64_t j, std::uint32_t c) const {
    const auto scales = [&](const std::uint8_t* all, std::int64_t line) {
      return all == nullptr ? nullptr : all + line * blocks();
    };
    return mx::dot(model_, a_.data() + i * k_, b_.data() + j * k_, k_, c, scales(scale_a(), i),
                   scales(scale_b(), j));
  }

 private:
  [[nodiscard]] static const std::uint8_t* scales_of(const std::vector<std::uint8_t>& all) {
    return all.empty() ? nullptr : all.data();
  }
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(random_() % bound);
  }

  /// A magnitude's code.
  [[nodiscard]] std::uint32_t magnitude(const mx::format& f, step_operands kind) {
    const std::uint32_t one = static_cast<std::uint32_t>(f.bias) << f.fraction_bits;
    const std::uint32_t most = f.max_code() + 1;
    const std::uint32_t near = (one + below(4U << f.fraction_bits)) % most;
    switch (kind) {
      case step_operands::spread:
        return below(most);
      case step_operands::any:
        return below(f.magnitude_mask() + 1);
      case step_operands::sparse:
        return below(8) == 0 ? near : 0;
      case step_operands::low:
        return below(3U << f.fraction_bits) % most;
      case step_operands::high:
        return f.max_code() - below(2);
      default:
        return near;
    }
  }

  [[nodiscard]] std::uint32_t element(const mx::format& f, step_operands kind) {
    const bool positive = kind == step_operands::high;
    if (kind == step_operands::mixed) kind = all_step_operands[below(7)];
    if (kind == step_operands::any && below(32) != 0) kind = step_operands::near;
    const std::uint32_t size = magnitude(f, kind);
    const bool no_minus_zero = f.specials == mx::specials::fnuz && kind != step_operands::any;
    const bool negative = !positive && below(2) == 1 && !(no_minus_zero && size == 0);
    const std::uint32_t code = size | (negative ? f.sign_mask() : 0);
    const std::uint32_t unread = model_.unread_bits > 0 ? below(1U << model_.unread_bits) : 0;
    return code << model_.unread_bits | unread;
  }

  [[nodiscard]] std::uint32_t addend() {
    const mx::format& f = model_.sum.result;
    const std::uint32_t one = static_cast<std::uint32_t>(f.bias) << f.fraction_bits;
    const std::uint32_t choices[] = {0,
                                     0,
                                     one + below(8U << f.fraction_bits),
                                     one - below(30U << f.fraction_bits) % one,
                                     f.max_code() - below(60U << f.fraction_bits) % one,
                                     below(1U << f.fraction_bits),
                                     f.infinity_code() + below(2)};
    const std::uint32_t size = choices[below(kind_ == step_operands::near ? 5 : 7)];
    return size | (below(2) == 1 && size != 0 ? f.sign_mask() : 0);
  }

  [[nodiscard]] std::uint8_t scale() {
    if (model_.scale.exponent_bits < 8) {
      return static_cast<std::uint8_t>(below(1U << model_.scale.width()));
    }
    if (kind_ == step_operands::any && below(8) == 0) return 255;
    const bool wide = kind_ == step_operands::spread || kind_ == step_operands::mixed;
    return static_cast<std::uint8_t>(wide ? below(255) : 120 + below(15));
  }

  void draw_word() {
    const std::size_t first = a_.size();
    for (int i = 0; i < k_; ++i) {
      a_.push_back(element(model_.a, kind_));
      b_.push_back(element(model_.b, kind_));
      if (kind_ != step_operands::cancel || i % 2 == 0 || below(8) == 0) continue;
      const std::size_t last = first + static_cast<std::size_t>(i);
      a_[last] = a_[last - 1] ^ model_.a.sign_mask() << model_.unread_bits;
      b_[last] = b_[last - 1];
    }
    for (std::int64_t i = 0; i < blocks(); ++i) {
      scale_a_.push_back(scale());
      scale_b_.push_back(scale());
    }
    c_.push_back(addend());
  }

  mx::dot_model model_;
  step_operands kind_;
  std::int64_t count_;
  int k_;
  std::mt19937 random_;
  std::vector<std::uint32_t> a_, b_, c_;
  std::vector<std::uint8_t> scale_a_, scale_b_;
};

/// Every model of the tables, and those that take any formats with some more.
[[nodiscard]] inline std::vector<mx::named_model> models_of_steps() {
  std::vector<mx::named_model> all(mx::model_table.begin(), mx::model_table.end());
  all.insert(all.end(), mx::mixed_model_table.begin(), mx::mixed_model_table.end());
  const mx::format formats[] = {mx::formats::e4m3, mx::formats::e5m2, mx::formats::e3m2,
                                mx::formats::binary16, mx::formats::bfloat16};
  for (const mx::named_model& entry : mx::model_table) {
    if (entry.operands != mx::operands::any) continue;
    for (const mx::format& f : formats) {
      mx::named_model other = entry;
      other.model = mx::with_formats(entry.model, f, f);
      all.push_back(other);
      other.model.block = 0;
      all.push_back(other);
    }
  }
  std::erase_if(all, [](const mx::named_model& m) { return !mx::is_sound(m.model); });
  return all;
}

}  // namespace tests
