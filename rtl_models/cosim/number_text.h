// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/number_text.h: codes and exact numbers as text in reports.
#pragma once
#include <cstdio>
#include <string>

#include "mx/number/unpacked.h"

namespace hardware {

inline std::string hex(std::uint32_t bits, int digits) {
  char text[16];
  std::snprintf(text, sizeof text, "%0*x", digits, static_cast<unsigned>(bits));
  return text;
}

inline std::string number(const mx::unpacked& value) {
  const std::string sign = value.negative ? "-" : "+";
  if (value.kind == mx::kind::nan) return "NaN";
  if (value.kind == mx::kind::infinite) return sign + "Inf";
  if (value.is_zero()) return sign + "0";
  return sign + std::to_string(value.significand) + " * 2^" + std::to_string(value.exponent);
}

}  // namespace hardware
