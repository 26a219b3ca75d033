// SPDX-License-Identifier: Apache-2.0
// golden/reference/number_format.h: a number format is the list of the numbers its codes stand for.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "golden/reference/rational.h"

namespace golden {

enum class number_kind : unsigned char { finite, infinite, nan };

struct number {
  number_kind kind = number_kind::finite;
  signed_value value;  ///< its sign alone where kind is infinite, nothing where it is nan
};

/// How a code tells the sign of a magnitude.
///   none                    every code is a magnitude
///   highest_bit             the highest bit set is minus; zero has two codes
///   highest_bit_but_zero    the same, except that the highest bit alone is the NaN (FNUZ)
///   twos_complement         minus c is 2^width - c
enum class sign_coding : unsigned char { none, highest_bit, highest_bit_but_zero, twos_complement };

/// What a format is beside its magnitudes. Codes that are neither finite nor the Inf are NaNs.
struct code_layout {
  std::string name;
  int width = 8;          ///< bits of a code
  int fraction_bits = 0;  ///< bits below the binary point of [1, 2)
  sign_coding sign = sign_coding::highest_bit;
  std::uint32_t magnitudes = 0;           ///< codes 0, 1, ... of the finite magnitudes
  std::optional<std::uint32_t> infinity;  ///< code of +Inf
  std::optional<std::uint32_t> nan;       ///< the NaN that is written
};

class number_format {
 public:
  /// Magnitude of a code, which grows with the code.
  using definition = std::function<rational(std::uint32_t)>;

  number_format(code_layout layout, definition magnitude);

  [[nodiscard]] const std::string& name() const { return layout_.name; }
  [[nodiscard]] int width() const { return layout_.width; }
  [[nodiscard]] int fraction_bits() const { return layout_.fraction_bits; }

  /// Codes below this are the finite magnitudes, in ascending order.
  [[nodiscard]] std::uint32_t magnitudes() const { return layout_.magnitudes; }
  [[nodiscard]] rational magnitude(std::uint32_t code) const;
  [[nodiscard]] bool has_zero() const { return magnitude(0) == 0; }
  [[nodiscard]] const rational& largest() const { return largest_; }
  [[nodiscard]] int emax() const { return emax_; }  ///< the largest e with 2^e <= largest()

  /// What a code stands for; code < 2^width, or any where there is no sign: the bits above are not
  /// read then.
  [[nodiscard]] number decode(std::uint32_t code) const;
  /// Code of a magnitude's code with a sign, which is lost where the format has no such zero.
  ///   negative  false where the format has no signs
  [[nodiscard]] std::uint32_t with_sign(bool negative, std::uint32_t magnitude_code) const;
  /// The NaN that is written; the format has one.
  [[nodiscard]] std::uint32_t nan_code() const { return layout_.nan.value(); }

  /// Code of the largest magnitude that is not above the value; none where all are.
  [[nodiscard]] std::optional<std::uint32_t> last_not_above(const rational& value) const;
  /// Code of the smallest magnitude that is not below the value; none where all are.
  [[nodiscard]] std::optional<std::uint32_t> first_not_below(const rational& value) const;

 private:
  [[nodiscard]] number unsigned_number(bool negative, std::uint32_t code) const;

  code_layout layout_;
  definition magnitude_;
  std::vector<rational> list_;  // every magnitude, where there are not too many
  rational largest_;
  int emax_;
};

}  // namespace golden
