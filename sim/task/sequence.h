// SPDX-License-Identifier: Apache-2.0
// sim/task/sequence.h: the tokens of a prompt and its response, and the vocabulary of every task.
#pragma once
#include <cstdint>
#include <vector>

namespace sim {

/// Vocabulary: 0-9 are the digits.
namespace token {
inline constexpr int plus = 10, equals = 11, answer = 12, end = 13, padding = 14;
}  // namespace token

/// Index of a token in the vocabulary.
using token_id = std::int32_t;

/// Tokens of one prompt and its response.
struct sequence {
  std::vector<token_id> tokens;
  int prompt = 0;  ///< number of prompt tokens

  [[nodiscard]] int length() const noexcept { return static_cast<int>(tokens.size()); }
  [[nodiscard]] int response() const noexcept { return length() - prompt; }
  friend bool operator==(const sequence&, const sequence&) = default;
};

}  // namespace sim
