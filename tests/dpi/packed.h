// SPDX-License-Identifier: Apache-2.0
// tests/dpi/packed.h: codes as packed vectors of two states and of four, and owned contexts.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "rtl/wide_pins.h"
#include "rtl_models/dpi/mx_dpi.h"

namespace dpi {

template <int Bits>
using bit_vector = std::array<svBitVecVal, Bits / 32>;
template <int Bits>
using logic_vector = std::array<svLogicVecVal, Bits / 32>;

/// Codes from the lowest bit up; every bit above them is `above`.
template <int Bits, class Codes>
bit_vector<Bits> packed(const Codes& codes, int width, std::uint32_t above = 0) {
  bit_vector<Bits> made;
  const int used = static_cast<int>(codes.size()) * width;
  for (int i = 0; i < Bits / 32; ++i) {
    made[static_cast<std::size_t>(i)] = rtl::word_of(codes, width, i);
    const int low = used - 32 * i;  // bits of this word that are codes
    if (low < 32) made[static_cast<std::size_t>(i)] |= low <= 0 ? above : above << low;
  }
  return made;
}

/// The same in four states, all known.
template <std::size_t Words>
std::array<svLogicVecVal, Words> known(const std::array<svBitVecVal, Words>& bits) {
  std::array<svLogicVecVal, Words> made;
  for (std::size_t i = 0; i < Words; ++i) made[i] = {bits[i], 0};
  return made;
}

struct destroy {
  void operator()(void* handle) const noexcept { static_cast<void>(mx_dpi_destroy(handle)); }
};
using context = std::unique_ptr<void, destroy>;

inline context made() { return context(mx_dpi_create()); }

inline unsigned errors_of(const context& c) {
  unsigned count = 0;
  return mx_dpi_error_count(c.get(), &count) == mx_dpi_ok ? count : ~0U;
}
/// The last stored message.
inline std::string last_error(const context& c) {
  return mx_dpi_error_text(c.get(), errors_of(c) - 1);
}

/// Operands of one dot product.
struct operands {
  bit_vector<mx_dpi_code_bits> a{}, b{};
  bit_vector<mx_dpi_scale_bits> scale_a{}, scale_b{};
  svBitVecVal c = 0;

  int multiply(const context& by, svBitVecVal& d) const {
    return mx_dpi_dot(by.get(), a.data(), b.data(), scale_a.data(), scale_b.data(), &c, &d);
  }
};

}  // namespace dpi
