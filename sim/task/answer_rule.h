// SPDX-License-Identifier: Apache-2.0
// sim/task/answer_rule.h: a verifier as a value: how an answer is compared with the right ones.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/task/decimal_number.h"
#include "sim/task/sequence.h"

namespace sim {

/// What is compared.
///   tokens   the answer's token ids
///   text     the texts of its tokens, joined
///   decimal  the number that this text is, as decimal_in reads it
///   first_number  the first number in this text, as first_number_in finds it
enum class answer_comparison : std::uint8_t { tokens, text, decimal, first_number };

/// The score of an answer that is not equal, and has a right one somewhere in its text.
///   none          0
///   length_share  characters of the right answer / characters of the answer (reasoning-gym)
enum class contained_score : std::uint8_t { none, length_share };

using token_list = decltype(sequence::tokens);

/// An answer in both forms; the text is empty where tokens have none.
struct answer {
  token_list tokens;
  std::string text;
  friend bool operator==(const answer&, const answer&) = default;
};

///   removed    ASCII characters taken out of both texts before anything else
///   tolerance  of the distance of two numbers; absent: 0
///   other_number  the score of a first number that is not the right one
struct answer_rule {
  answer_comparison compare = answer_comparison::tokens;
  std::string removed;
  std::optional<decimal_number> tolerance;
  contained_score contained = contained_score::none;
  double other_number = 0;
  friend bool operator==(const answer_rule&, const answer_rule&) = default;
};

/// A right answer of a comparison of first numbers: a finite binary64, and nothing beside it.
[[nodiscard]] std::optional<double> binary64_in(std::string_view text);

/// The best score of an answer among the right ones: 1 where it is equal to one of them.
///   returns  0 of an empty answer
[[nodiscard]] double score_of(const answer_rule& rule, const answer& given,
                              const std::vector<answer>& right);

}  // namespace sim
