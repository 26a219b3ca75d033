// SPDX-License-Identifier: Apache-2.0
// tests/cross/backends.h: table of all backends that must give the golden reference's bits.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "operation.h"

namespace cross {

using floats = std::vector<float>;
using words = std::vector<std::uint32_t>;

[[nodiscard]] words bits_of(const floats& values);

///   perform   the bits of every value, or for `codes` the scale byte and then the codes
///   decompose the exact parts of every element of one block without NaN and Inf
/// An operation that a backend does not offer is empty, or returns no words.
struct backend {
  std::string name;
  std::function<words(const operation&, const floats&)> perform;
  std::function<std::vector<golden::error_parts>(const floats&, golden::scale_rule)> decompose;
};

/// The reference. It caches the last block.
[[nodiscard]] backend golden_backend();

/// All others: the core, and the bulk path once for every instruction set of this machine.
[[nodiscard]] const std::vector<backend>& backends();

}  // namespace cross
