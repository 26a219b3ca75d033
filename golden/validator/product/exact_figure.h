// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/exact_figure.h: exact numbers of products and their bounds: formatting
// and comparison.
#pragma once
#include <string>

#include "upper_bound.h"

namespace golden::validator {

/// fixed * factor, exactly.
///   factor  below 2^32; the product is below 2^703
[[nodiscard]] mx::wide_fixed multiplied(const mx::wide_fixed& fixed, std::uint32_t factor);

/// fixed + x, exactly.
///   x  zero or finite, with every bit within the fixed-point number's range
void add_to(mx::wide_fixed& fixed, const mx::unpacked& x);

/// fixed * 2^shift with its sign, in hexadecimal and without trailing zeros: "-0x1a3 * 2^-20", "0".
[[nodiscard]] std::string exact_text(const mx::wide_fixed& fixed, int shift);
[[nodiscard]] std::string exact_text(const upper_bound& x);

/// Whether |error| * 2^shift exceeds a bound. Exact: a bound has 32 bits, so the 62 leading bits of
/// an error and a sticky bit below them decide.
[[nodiscard]] bool exceeds(const mx::unpacked& error, int shift, const upper_bound& bound);

/// An error over its bound, ordered: larger is worse.
///   an error above a bound of zero is largest
struct error_ratio {
  mx::unpacked error;
  upper_bound bound;

  [[nodiscard]] bool is_worse_than(const error_ratio& other) const;
  /// The integer part, at most 2^62.
  [[nodiscard]] std::uint64_t whole_times() const;
};

}  // namespace golden::validator
