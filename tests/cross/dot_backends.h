// SPDX-License-Identifier: Apache-2.0
// tests/cross/dot_backends.h: table of all backends that must give the golden reference's dot
// products.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dot_words.h"

namespace cross {

///   results  the bits for words of the same length; empty for an unsupported model
struct dot_backend {
  std::string name;
  std::function<std::vector<std::uint32_t>(const dot_twins&, std::span<const dot_word>)> results;
};

/// The reference's.
[[nodiscard]] std::uint32_t golden_dot(const dot_twins& twins, const dot_word& word);

/// All others: the core, its observed steps, its strided operands, and whole products once for
/// every storage of codes, instruction set and dot instruction of this machine.
[[nodiscard]] const std::vector<dot_backend>& dot_backends();

}  // namespace cross
