// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/mma_sums.h: the 64 sums that a thread of gemm_mxfp4_mma holds in registers:
// their beginning, and their end as elements of D. Registers have no addresses, so all of this is
// unrolled. Fragments with a sum that the fast steps cannot compute are left to the core:
// gemm/rest.h.
//
// A warp has 16 Down rows and 8 Across columns of D, in fragments of 16 by 8. Sum r of fragment (i,
// j), of lane l: row 16 i + 8 (r / 2) + l / 4, column 8 j + 2 (l % 4) + r % 2, as mma.sync leaves
// them.
#pragma once
#include "gemm/steps.h"
#include "unrolled.h"

namespace mx::kernels {

inline constexpr int warp_rows = 64, warp_columns = 32;

/// The place of a warp's part of D, or of a thread's first sum.
struct place_of_d {
  std::int64_t row, column;
};

/// Places of a thread's sums: sum n is sum n % 4 of fragment n / 4.
template <int Across>
struct sum_places {
  [[nodiscard]] static MX_HD place_of_d first(const place_of_d& warp, int lane) noexcept {
    return {warp.row + lane / 4, warp.column + lane % 4 * 2};
  }
  [[nodiscard]] static MX_HD constexpr int row(int n) noexcept {
    return n / 4 / Across * 16 + n % 4 / 2 * 8;
  }
  [[nodiscard]] static MX_HD constexpr int column(int n) noexcept {
    return n / 4 % Across * 8 + n % 2;
  }
};

/// Stores an element of D that is not the plain sum. Not inlined: a thread would contain a copy for
/// each of its sums.
__attribute__((noinline)) MX_HD inline void store_finished(const gemm_arguments& to,
                                                           std::int64_t row, std::int64_t column,
                                                           float sum) noexcept {
  store_element(to, row, column, bits_of(sum));
}

template <dot_model M, int Down = warp_rows / 16, int Across = warp_columns / 8>
class thread_sums {
 public:
  static constexpr int down = Down, across = Across;
  static constexpr int fragments = down * across, count = 4 * fragments;
  static constexpr std::uint32_t all_fragments = (1U << fragments) - 1;
  using places = sum_places<Across>;

  MX_HD thread_sums(const gemm_arguments& to, const place_of_d& warp, int lane) noexcept
      : to_(to), at_(places::first(warp, lane)) {}

  [[nodiscard]] MX_HD float (&of(int i, int j) noexcept)[4] { return sum_[i * across + j]; }

  /// Initializes the sums with C.
  MX_HD void begin() noexcept {
    if (to_.c == nullptr || to_.plan.c_entry != c_entry::first_step) return;
    const auto* c = static_cast<const std::uint32_t*>(to_.c) + first_place(to_.c_stride);
    unrolled<count>([&](int n) {
      if (is_inside(n)) sum_[n / 4][n % 4] = float_of(c[offset(n, to_.c_stride)]);
    });
  }

  /// Leaves fragments to the core: what is added to them from here on does not matter.
  MX_HD void leave(std::uint32_t chosen) noexcept { left_ |= chosen; }
  [[nodiscard]] MX_HD std::uint32_t left() const noexcept { return left_; }
  /// Leaves the fragments with a sum that is Inf or NaN.
  MX_HD void leave_not_finite() noexcept {
    left_ |= fragments_with([](float sum) { return !(fp32::magnitude(sum) < infinite); });
  }

  /// Adds a step to chosen fragments by a function of two adjacent ones, and leaves those with sums
  /// that it cannot add to; NaN stays NaN.
  ///   chosen  uniform over the lanes
  ///   add     (the eight sums, i, j of the first) -> bits of the sums not added
  template <class Add>
  MX_HD void add_by_pairs(std::uint32_t chosen, const Add& add) noexcept {
    float memory[count];
    unrolled<count>([&](int n) { memory[n] = sum_[n / 4][n % 4]; });
    for (int f = 0; f < fragments; f += 2) {
      if ((chosen >> f & 3) == 0) continue;
      float pair[8];
      unrolled<8>([&](int r) { pair[r] = memory[f * 4 + r]; });
      std::uint32_t not_added = add(pair, f / across, f % across);
      unrolled<8>([&](int r) {
        memory[f * 4 + r] = pair[r];
        if (fp32::is_nan(pair[r])) not_added &= ~(1U << r);
      });
      left_ |= static_cast<std::uint32_t>((not_added & 0x0F) != 0) << f;
      left_ |= static_cast<std::uint32_t>((not_added & 0xF0) != 0) << (f + 1);
    }
    unrolled<count>([&](int n) { sum_[n / 4][n % 4] = memory[n]; });
  }

  /// Whether every magnitude is at least `least`; not if one is NaN.
  [[nodiscard]] MX_HD bool are_at_least(float least) const noexcept {
    bool are[4] = {true, true, true, true};  // four chains: an instruction waits for its chain
    unrolled<count>(
        [&](int n) { are[n % 4] = are[n % 4] && fp32::magnitude(sum_[n / 4][n % 4]) >= least; });
    return are[0] && are[1] && are[2] && are[3];
  }

  /// The largest magnitude; a NaN orders above Inf.
  [[nodiscard]] MX_HD float largest() const noexcept {
    std::uint32_t largest = 0;
    unrolled<count>([&](int n) {
      const std::uint32_t bits = bits_of(sum_[n / 4][n % 4]) & 0x7FFFFFFF;
      largest = bits > largest ? bits : largest;
    });
    return float_of(largest);
  }

  /// Stores the sums as elements of D, except for fragments left to the core.
  ///   returns  those
  [[nodiscard]] MX_HD std::uint32_t store() noexcept {
    if (fragments_with(is_special) != 0) settle_special();
    if (!to_.stores_sums) {
      store_elements([&](int n) {
        store_finished(to_, at_.row + places::row(n), at_.column + places::column(n), sum_at(n));
      });
    } else if (has_pairs()) {
      store_pairs();
    } else {
      auto* d = static_cast<std::uint32_t*>(to_.d) + first_place(to_.d_stride);
      store_elements([&](int n) { d[offset(n, to_.d_stride)] = bits_of(sum_at(n)); });
    }
    return left_;
  }

 private:
  static constexpr bool has_signs = M.sum.zero_result == zero_result::of_terms;
  static constexpr float infinite = fp32::infinity(false);
  static_assert(M.sum.result == formats::binary32);

  struct alignas(8) word_pair {
    std::uint32_t word[2];
  };

  [[nodiscard]] MX_HD float sum_at(int n) const noexcept { return sum_[n / 4][n % 4]; }
  [[nodiscard]] MX_HD std::int64_t first_place(std::int64_t stride) const noexcept {
    return at_.row * stride + at_.column;
  }
  [[nodiscard]] static MX_HD std::int64_t offset(int n, std::int64_t stride) noexcept {
    return places::row(n) * stride + places::column(n);
  }
  [[nodiscard]] MX_HD bool is_inside(int n) const noexcept {
    return at_.row + places::row(n) < to_.shape.m && at_.column + places::column(n) < to_.shape.n;
  }

  /// Sums that D may not hold as they are: NaN; and zeros, whose sign no step of `fp32.sequential`
  /// knows.
  [[nodiscard]] static MX_HD bool is_special(float sum) noexcept {
    return has_signs ? !(fp32::magnitude(sum) > 0) : sum != sum;
  }
  template <class Test>
  [[nodiscard]] MX_HD std::uint32_t fragments_with(const Test& test) const noexcept {
    std::uint32_t found = 0;
    unrolled<fragments>([&](int f) {
      bool is_found = false;
      unrolled<4>([&](int r) { is_found = is_found || test(sum_[f][r]); });
      found |= static_cast<std::uint32_t>(is_found) << f;
    });
    return found;
  }

  /// NaN gets the model's code; fragments with a +0 that may be -0 are left to the core.
  MX_HD void settle_special() noexcept {
    std::uint32_t zeros[2] = {0, 0};
    unrolled<count>([&](int n) {
      float& sum = sum_[n / 4][n % 4];
      if (sum != sum) sum = float_of(M.sum.nan_code);
      const bool is_zero = bits_of(sum) == 0 && is_inside(n);
      zeros[n / 32] |= static_cast<std::uint32_t>(is_zero) << (n % 32);
    });
    if constexpr (has_signs) leave_doubtful(zeros);
  }
  ///   zeros  bit n of sum n
  MX_HD void leave_doubtful(std::uint32_t (&zeros)[2]) noexcept {
    for (int half = 0; half < 2; ++half) {
      for (; zeros[half] != 0; zeros[half] &= zeros[half] - 1) {
        const int n = half * 32 + bit_width(zeros[half] & (~zeros[half] + 1)) - 1;
        const std::int64_t row = at_.row + places::row(n), column = at_.column + places::column(n);
        if (is_doubtful_zero(to_, row, column, M.block)) left_ |= 1U << (n / 4);
      }
    }
  }

  /// Whether D takes two adjacent sums by one store, and all of them.
  [[nodiscard]] MX_HD bool has_pairs() const noexcept {
    const auto odd =
        reinterpret_cast<std::uintptr_t>(to_.d) / 4 | static_cast<std::uintptr_t>(to_.d_stride);
    return odd % 2 == 0 && left_ == 0 && is_inside(count - 1);
  }
  MX_HD void store_pairs() const noexcept {
    auto* row = static_cast<std::uint32_t*>(to_.d) + first_place(to_.d_stride);
    unrolled<2 * down>([&](int half) {
      unrolled<across>([&](int j) {
        const float* sum = sum_[half / 2 * across + j] + half % 2 * 2;
        *reinterpret_cast<word_pair*>(row + j * 8) = {{bits_of(sum[0]), bits_of(sum[1])}};
      });
      row += 8 * to_.d_stride;
    });
  }
  /// store(n) of the elements in D and not left to the core.
  template <class Store>
  MX_HD void store_elements(const Store& store) const noexcept {
    unrolled<count>([&](int n) {
      if (is_inside(n) && (left_ >> (n / 4) & 1) == 0) store(n);
    });
  }

  const gemm_arguments& to_;
  place_of_d at_;  ///< of the first sum
  std::uint32_t left_ = 0;
  float sum_[fragments][4] = {};
};

}  // namespace mx::kernels
