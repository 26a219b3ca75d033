// SPDX-License-Identifier: Apache-2.0
// mx/dot/record.h: the internals of one step of a dot product, for comparing signals: the largest
// exponent, every term before and after alignment, the sum before rounding, and what was lost where
// and why. mx/dot/dot.h notifies an observer while it computes the result.
#pragma once
#include <cstdint>

#include "mx/number/unpacked.h"

namespace mx {

/// Why a number differs from its exact value.
///   nothing         it does not
///   below_window    its last bits lay below the window
///   outside_window  all of it lay below the window
///   far_addend      C lay too far below the products and became zero
///   rounded         bits below the last one of the result
///   flushed         the result was subnormal and became zero
///   overflowed      the result became Inf
///   special         determined by a NaN or an Inf among the operands
enum class loss : std::uint8_t {
  nothing,
  below_window,
  outside_window,
  far_addend,
  rounded,
  flushed,
  overflowed,
  special
};

/// The exponent of a term that is excluded from the largest exponent.
inline constexpr int no_exponent = -100000;

/// One product, group or C.
///   exact     its value                         aligned   the number that is added
///   lost      exact - aligned; the last of more than 62 bits is a sticky bit
///   exponent  at which it is aligned; no_exponent for a zero that is aligned at none
struct term_record {
  unpacked exact, aligned, lost;
  int exponent = 0;
  loss why = loss::nothing;
};

/// One step: `terms` are its products or groups as they are added (place_of in mx/dot/steps.h), C
/// apart; where a NaN or an Inf decides, there are none, and no C.
///   largest_exponent, window_unit  of the window and of its last bit; no_exponent where no term is
///                cut to a window
///   late         cut off after the window: of the parity whose exponent is smaller, of the
///                products' sum when C is added, of the sum of both
///   sum          before it is rounded; the last of more than 62 bits is a sticky bit
///   discarded    bits of sum below the last one of the result, whichever way it is rounded
struct step_record {
  static constexpr int max_terms = 64;
  static constexpr int no_products = -1;

  int first_k = 0;  ///< of its products; no_products: it adds results of other steps, or C
  int count = 0;    ///< number of terms; only the first max_terms of a longer step are kept
  int largest_exponent = no_exponent;
  int window_unit = no_exponent;
  term_record terms[max_terms] = {};
  term_record addend = {};
  unpacked late[3] = {};
  unpacked sum = {};
  unpacked discarded = {};
  loss why = loss::nothing;  ///< loss in the rounding
  std::uint32_t result = 0;
};

/// The observer that ignores all steps.
struct no_observer {
  static constexpr bool active = false;
};

/// Keeps one step of a dot product; steps count from 0, additions of C after a span among them.
///   steps  number of steps seen
struct step_observer {
  static constexpr bool active = true;

  int wanted = 0;
  int steps = 0;
  step_record record = {};

  MX_HD constexpr void begin(int first_k) noexcept {
    current_ = step_record{};
    current_.first_k = first_k;
  }
  MX_HD constexpr void window(int largest_exponent, int unit) noexcept {
    current_.largest_exponent = largest_exponent;
    current_.window_unit = unit;
  }
  MX_HD constexpr void term(const term_record& term) noexcept {
    if (current_.count < step_record::max_terms) current_.terms[current_.count++] = term;
  }
  MX_HD constexpr void addend(const term_record& term) noexcept { current_.addend = term; }
  MX_HD constexpr void late(int stage, const unpacked& lost) noexcept {
    current_.late[stage] = lost;
  }
  MX_HD constexpr void end(const unpacked& sum, const unpacked& discarded, loss why,
                           std::uint32_t result) noexcept {
    current_.sum = sum;
    current_.discarded = discarded;
    current_.why = why;
    current_.result = result;
    if (why == loss::special) current_.count = 0;  // an exact sum has told some of them
    if (steps++ == wanted) record = current_;
  }

 private:
  step_record current_ = {};
};

}  // namespace mx
