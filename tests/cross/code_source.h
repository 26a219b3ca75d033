// SPDX-License-Identifier: Apache-2.0
// tests/cross/code_source.h: codes of one format, drawn at the edge cases of arithmetic.
#pragma once
#include <algorithm>
#include <cstdint>
#include <random>

#include "mx/number/format.h"

namespace cross {

class draws {
 public:
  explicit draws(std::uint32_t seed) : random_(seed) {}
  [[nodiscard]] std::uint32_t bits() {
    const auto high = static_cast<std::uint32_t>(random_());
    return high << 16 ^ static_cast<std::uint32_t>(random_());  // each has 31 bits
  }
  [[nodiscard]] bool one_in(int n) { return bits() % static_cast<std::uint32_t>(n) == 0; }
  /// Both ends included.
  [[nodiscard]] int between(int low, int high) {
    return low + static_cast<int>(bits() % static_cast<std::uint32_t>(high - low + 1));
  }

 private:
  std::minstd_rand random_;
};

/// unread_bits  random bits below every code
class code_source {
 public:
  code_source(const mx::format& f, int unread_bits, draws& from)
      : f_(f), unread_bits_(unread_bits), from_(from) {}

  [[nodiscard]] int lowest() const { return f_.emin(); }
  [[nodiscard]] int highest() const { return f_.emax(); }
  [[nodiscard]] int middle_exponent() {
    const int middle = std::clamp(0, lowest(), highest());
    if (from_.one_in(2)) return middle;
    return std::clamp(from_.between(-20, 20), lowest(), highest());
  }

  [[nodiscard]] std::uint32_t any() { return stored(from_.bits() >> (32 - f_.width())); }
  [[nodiscard]] std::uint32_t finite() {
    const std::uint32_t codes = f_.max_code() + 1;
    return with_random_sign(codes == 0 ? from_.bits() : from_.bits() % codes);
  }
  /// A number with an exponent, as far as the format has it: below its normals one bit is left, or
  /// none.
  [[nodiscard]] std::uint32_t at(int exponent) {
    const std::uint32_t hidden = 1U << f_.fraction_bits;
    if (exponent < f_.emin()) {
      const int bit = f_.fraction_bits + exponent - f_.emin();
      const bool subnormals = f_.lowest_field == mx::lowest_field::subnormal;
      return with_random_sign(
          bit >= 0 && subnormals ? (1U << bit) | (from_.bits() & ((1U << bit) - 1)) : 0);
    }
    const auto field = static_cast<std::uint32_t>(std::min(exponent, f_.emax()) + f_.bias);
    const std::uint32_t fractions[] = {
        0, hidden - 1, 1 % hidden, hidden / 2, from_.bits() % hidden, from_.bits() % hidden};
    return with_random_sign(std::min(field * hidden + fractions[from_.bits() % 6], f_.max_code()));
  }
  /// A power of two, as far as the format has it.
  [[nodiscard]] std::uint32_t power(int exponent) {
    const int normal = std::clamp(exponent, lowest(), highest());
    const auto field = static_cast<std::uint32_t>(normal + f_.bias);
    return with_random_sign(field << f_.fraction_bits);
  }
  [[nodiscard]] std::uint32_t near(int exponent, int spread) {
    return at(exponent + from_.between(-spread, spread));
  }

  /// The ends of all ranges, one, and every special value, with both signs.
  [[nodiscard]] std::uint32_t edge() {
    const std::uint32_t hidden = 1U << f_.fraction_bits, mask = f_.magnitude_mask();
    const auto one = static_cast<std::uint32_t>(f_.bias) * hidden;
    const std::uint32_t list[] = {0,
                                  0,
                                  1,
                                  2,
                                  hidden - 1,
                                  hidden,
                                  one - 1,
                                  one,
                                  one + 1,
                                  f_.max_code(),
                                  f_.max_code() - 1,
                                  mask,
                                  mask - 1,
                                  f_.infinity_code(),
                                  f_.infinity_code() + 1};
    const std::uint32_t code = list[from_.bits() % std::size(list)] & mask;
    return from_.one_in(8) ? any_special() : with_random_sign(code);
  }

  [[nodiscard]] std::uint32_t signed_as(std::uint32_t code, bool negative) const {
    const std::uint32_t magnitude = code >> unread_bits_ & f_.magnitude_mask();
    const bool twos_complement = f_.sign_form == mx::sign_form::twos_complement;
    if (!negative || twos_complement) return magnitude << unread_bits_;
    if (magnitude == 0 && !f_.has_negative_zero()) return 0;
    return (magnitude | f_.sign_mask()) << unread_bits_;
  }
  [[nodiscard]] std::uint32_t negated(std::uint32_t code) const {
    const std::uint32_t bits = code >> unread_bits_;
    if (f_.sign_form == mx::sign_form::twos_complement) {
      return (0U - bits) & (f_.magnitude_mask() | f_.sign_mask());
    }
    if ((bits & f_.magnitude_mask()) == 0 && !f_.has_negative_zero()) return code;
    return (bits ^ f_.sign_mask()) << unread_bits_;
  }

 private:
  /// A code above the finite ones, or the one that is NaN by its sign alone.
  [[nodiscard]] std::uint32_t any_special() {
    const std::uint32_t count = f_.magnitude_mask() - f_.max_code();
    if (count == 0) return stored(f_.sign_mask());
    return with_random_sign(f_.max_code() + 1 + from_.bits() % count);
  }
  [[nodiscard]] std::uint32_t with_random_sign(std::uint32_t code) {
    const bool fnuz_nan = f_.specials == mx::specials::fnuz && code == 0;
    return stored(code | (fnuz_nan || from_.one_in(2) ? 0 : f_.sign_mask()));
  }
  /// With bits that are not read: those of TF32, the eighth of UE4M3.
  [[nodiscard]] std::uint32_t stored(std::uint32_t code) {
    if (f_.width() == 7 && from_.one_in(8)) code |= 0x80;
    if (unread_bits_ == 0) return code;
    const std::uint32_t below = from_.one_in(2) ? 0 : from_.bits() % (1U << unread_bits_);
    return code << unread_bits_ | below;
  }

  const mx::format f_;
  int unread_bits_;
  draws& from_;
};

}  // namespace cross
