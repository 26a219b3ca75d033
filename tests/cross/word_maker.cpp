// SPDX-License-Identifier: Apache-2.0
// tests/cross/word_maker.cpp: draws one word for a model of a dot product.
#include "word_maker.h"

#include <algorithm>

#include "mx/dot/dot.h"

namespace cross {

void word_maker::any_bits() {
  fill([this] { return a_.any(); }, [this] { return b_.any(); });
  scales([this] { return scale_.any(); });
  word.c = c_.any();
}

void word_maker::near() {
  const int at_a = a_.middle_exponent(), at_b = b_.middle_exponent();
  const int spread = from_.between(0, 4);
  fill([&] { return a_.near(at_a, spread); }, [&] { return b_.near(at_b, spread); });
  const int at_scale = scale_.middle_exponent();
  scales([&] { return scale_.near(at_scale, 1); });
  word.c = c_.near(at_a + at_b + 2 * at_scale * (scales_ > 0 ? 1 : 0), 4);
}

void word_maker::mixed_with_zeros() {
  near();
  for (int k = 0; k < k_; ++k) {
    if (from_.one_in(2)) continue;
    if (from_.one_in(2)) {
      word.a[at(k)] = a_.signed_as(0, from_.one_in(2));
    } else {
      word.b[at(k)] = b_.signed_as(0, from_.one_in(2));
    }
  }
  for (auto* list : {&word.scale_a, &word.scale_b}) {
    for (std::uint32_t& code : *list) {
      if (from_.one_in(6)) code = scale_.edge();
    }
  }
  if (from_.one_in(2)) word.c = from_.one_in(2) ? c_.edge() : zero_of(format_of_c(core_.sum));
}

void word_maker::zeros() {
  const auto other = [&](code_source& x) { return x.signed_as(x.finite(), false); };
  const bool zero_in_a = from_.one_in(2);
  fill([&] { return zero_in_a ? a_.signed_as(0, true) : other(a_); },
       [&] { return zero_in_a ? other(b_) : b_.signed_as(0, true); });
  scales([this] { return from_.one_in(3) ? scale_.edge() : scale_.finite(); });
  const int odd_ones = from_.one_in(2) ? 0 : from_.between(0, 2);
  for (int i = 0; i < odd_ones && k_ > 0; ++i) {
    const auto k = at(from_.between(0, k_ - 1));
    word.a[k] = from_.one_in(2) ? a_.signed_as(0, false) : a_.finite();
  }
  word.c = from_.one_in(3) ? c_.edge() : c_.signed_as(0, !from_.one_in(5));
}

void word_maker::cancelling() {
  near();
  for (auto* list : {&word.scale_a, &word.scale_b}) {
    if (!list->empty() && !from_.one_in(3)) std::fill(list->begin(), list->end(), list->front());
  }
  const int rest = from_.one_in(2) ? 0 : from_.between(0, 2);
  for (int k = 0; k + 1 < k_ - rest; k += 2) {
    word.a[at(k + 1)] = a_.negated(word.a[at(k)]);
    word.b[at(k + 1)] = word.b[at(k)];
  }
  if (from_.one_in(2)) shuffle();
  if (!from_.one_in(3)) {
    if (from_.one_in(2)) near_elements();
    word.c = 0;
    const std::uint32_t sum = result();
    const auto off = static_cast<std::uint32_t>(from_.between(-1, 1));
    word.c = ((sum ^ core_.sum.result.sign_mask()) + off) & all_bits(format_of_c(core_.sum));
  }
}

void word_maker::aligned() {
  const int high = from_.between(a_.lowest() + b_.lowest(), a_.highest() + b_.highest());
  for (int k = 0; k < k_; ++k) {
    const int to = high - (from_.one_in(3) ? 0 : distance());
    const int of_a = std::clamp(to / 2 + from_.between(-2, 2), a_.lowest(), a_.highest());
    word.a.push_back(a_.at(of_a));
    word.b.push_back(b_.at(to - of_a));
  }
  int base = 0;
  if (scales_ > 0) {
    base = from_.one_in(3) ? 0 : from_.between(-60, 60);
    for (int i = 0; i < scales_; ++i) {
      const int to = base - (from_.one_in(3) ? 0 : distance());
      const int of_a = to / 2 + from_.between(-2, 2);
      word.scale_a.push_back(scale_.at(of_a));
      word.scale_b.push_back(scale_.at(to - of_a));
    }
  }
  const int apart = from_.one_in(3) ? -distance() : distance();
  word.c = c_.at(high + base - apart);
}

void word_maker::around_zeros() {
  const mx::format& result = core_.sum.result;
  const int zero = core_.sum.zero_exponent, tie = result.emin() - result.fraction_bits - 1;
  const bool at_tie = core_.sum.rounding != mx::rounding::toward_zero;
  const int high = at_tie && from_.one_in(2) ? tie : zero - from_.between(1, 8);
  const int low = (from_.one_in(2) ? zero : high) - core_.sum.fraction_bits + from_.between(-2, 2);
  const bool by_scales = core_.sum.group > 1;
  const int base = by_scales || scales_ == 0 ? 0 : high - a_.highest() - b_.highest();
  const int blocks = by_scales ? core_.block : 1;
  int kind = 0;
  for (int k = 0; k < k_; ++k) {
    if (k % blocks == 0) kind = from_.between(0, 2);
    const bool zero_here = kind == 0 || (by_scales && from_.one_in(2));
    const int to = by_scales ? 0 : (kind == 1 ? high : low) - base;
    const int of_a = std::min(to / 2, a_.highest());
    const bool power = kind == 1 && from_.one_in(2);
    word.a.push_back(zero_here ? 0 : a_.signed_as(power ? a_.power(of_a) : a_.at(of_a), false));
    word.b.push_back(b_.signed_as(power ? b_.power(to - of_a) : b_.at(to - of_a), kind == 2));
    if (scales_ > 0 && k % core_.block == 0) {
      const int scale = by_scales ? (kind == 2 ? low : high) : base;
      word.scale_a.push_back(scale_.at(scale / 2));
      word.scale_b.push_back(scale_.at(scale - scale / 2));
    }
  }
  word.c = from_.one_in(4) ? c_.near(c_.lowest() - 10, 10) : zero_of(format_of_c(core_.sum));
}

void word_maker::ties() {
  const int least = std::max(a_.lowest() + b_.lowest(), -100);
  const int half = from_.between(least, a_.highest() + b_.highest());
  const int below = from_.between(1, from_.one_in(2) ? 12 : 50);
  const int half_at = from_.between(0, std::max(k_ - 1, 0)), rest_at = from_.between(0, 8);
  for (int k = 0; k < k_; ++k) {
    const int to = k == half_at ? half : half - below;
    const int of_a = std::clamp(to / 2, a_.lowest(), a_.highest());
    const bool is_zero = k != half_at && k % 8 != rest_at;
    word.a.push_back(is_zero ? 0 : a_.power(of_a));
    word.b.push_back(b_.power(to - of_a));
  }
  const int scale = from_.between(-3, 3);
  scales([&] { return scale_.power(scale); });
  const int base = scales_ > 0 ? 2 * scale : 0;
  // A power of two, from which anything is subtracted, has one bit more below.
  const int of_c = half + base + core_.sum.output.fraction_bits + 1;
  word.c = from_.one_in(3) ? c_.power(of_c + 1) : c_.at(of_c);
}

void word_maker::specials() {
  near();
  for (int i = from_.between(1, 3); i > 0 && k_ > 0; --i) {
    const auto k = at(from_.between(0, k_ - 1));
    if (from_.one_in(2)) word.a[k] = a_.edge();
    if (from_.one_in(2)) word.b[k] = b_.edge();
  }
  if (scales_ > 0 && from_.one_in(3)) {
    word.scale_a[static_cast<std::size_t>(from_.between(0, scales_ - 1))] = scale_.edge();
  }
  if (from_.one_in(2)) word.c = c_.edge();
}

void word_maker::tiny() {
  fill([this] { return a_.near(a_.lowest() - 1, 2); },
       [this] { return b_.near(b_.lowest() - 1, 2); });
  scales([this] { return scale_.near(scale_.lowest(), 3); });
  if (from_.one_in(2)) shifted_to(core_.sum.result.emin());
  word.c = from_.one_in(3) ? zero_of(format_of_c(core_.sum)) : c_.near(c_.lowest() - 12, 12);
}

void word_maker::huge() {
  fill([this] { return a_.near(a_.highest(), 2); }, [this] { return b_.near(b_.highest(), 2); });
  scales([this] { return scale_.near(scale_.highest(), 3); });
  if (from_.one_in(2)) shifted_to(core_.sum.result.emax() - 1);
  word.c = c_.near(c_.highest(), from_.one_in(2) ? 1 : 30);
}

void word_maker::edges() {
  fill([this] { return from_.one_in(4) ? a_.edge() : a_.finite(); },
       [this] { return from_.one_in(4) ? b_.edge() : b_.finite(); });
  scales([this] { return from_.one_in(2) ? scale_.edge() : scale_.finite(); });
  word.c = from_.one_in(2) ? c_.edge() : c_.finite();
}

void word_maker::edge_of_c() {
  near();
  word.c = c_.edge();
}

void word_maker::edges_of_scales() {
  near();
  for (auto* list : {&word.scale_a, &word.scale_b}) {
    for (std::uint32_t& code : *list) code = from_.one_in(4) ? code : scale_.edge();
  }
  if (from_.one_in(3)) word.c = zero_of(format_of_c(core_.sum));
}

void word_maker::shuffle() {
  for (int k = k_ - 1; k > 0; --k) {
    const auto other = at(from_.between(0, k));
    std::swap(word.a[at(k)], word.a[other]);
    std::swap(word.b[at(k)], word.b[other]);
  }
}

void word_maker::shifted_to(int exponent) {
  const int middle_a = a_.middle_exponent(), middle_b = b_.middle_exponent();
  if (scales_ > 0) {
    word.a.clear(), word.b.clear(), word.scale_a.clear(), word.scale_b.clear();
    fill([&] { return a_.near(middle_a, 1); }, [&] { return b_.near(middle_b, 1); });
    const int half = (exponent - middle_a - middle_b) / 2;
    scales([&] { return scale_.near(half, 1); });
    return;
  }
  for (int k = 0; k < k_; ++k) {
    word.a[at(k)] = a_.near(exponent / 2, 2);
    word.b[at(k)] = b_.near(exponent - exponent / 2, 2);
  }
}

int word_maker::distance() {
  const int f = core_.sum.alignment == mx::alignment::window ? core_.sum.fraction_bits : 24;
  const int whole = from_.between(0, 9);
  if (whole < 2) return whole;
  if (whole == 2) return from_.between(2, f - 3);
  if (whole == 3) return 2 * f + from_.between(-3, 3);
  if (whole == 4) return 24 + from_.between(-2, 3);
  if (whole == 5) return from_.between(f, f + 40);
  return f + from_.between(-2, 3);
}

std::uint32_t word_maker::result() const {
  const std::uint32_t* none = nullptr;
  return mx::dot(core_, word.a.data(), word.b.data(), k_, word.c,
                 scales_ > 0 ? word.scale_a.data() : none,
                 scales_ > 0 ? word.scale_b.data() : none);
}

}  // namespace cross
