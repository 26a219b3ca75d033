// SPDX-License-Identifier: Apache-2.0
// sim/task/answer_rule.cpp: see answer_rule.h.
#include "sim/task/answer_rule.h"

#include <algorithm>
#include <cmath>

#include "sim/study/number_in.h"
#include "sim/task/first_number.h"

namespace sim {
namespace {

std::string without(const std::string& removed, std::string text) {
  std::erase_if(text, [&](char c) { return removed.find(c) != std::string::npos; });
  return text;
}

/// Characters of UTF-8: all bytes but those that continue one.
double characters(const std::string& text) {
  return static_cast<double>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_equal_number(const answer_rule& rule, const std::string& given, const std::string& right) {
  const auto a = decimal_in(given), b = decimal_in(right);
  if (!a || !b) return false;
  return rule.tolerance ? is_within(*a, *b, *rule.tolerance) : *a == *b;
}

double score_of_first_number(const answer_rule& rule, const std::string& given,
                             const std::string& right) {
  const auto a = first_number_in(given);
  if (!a) return 0;
  return *a == binary64_in(right) ? 1 : rule.other_number;
}

double score_of_text(const answer_rule& rule, const std::string& given, const std::string& right) {
  if (rule.compare == answer_comparison::first_number) {
    return score_of_first_number(rule, given, right);
  }
  const bool equal = rule.compare == answer_comparison::decimal
                         ? is_equal_number(rule, given, right)
                         : given == right;
  if (equal) return 1;
  const bool counts = rule.contained == contained_score::length_share && !right.empty() &&
                      given.find(right) != std::string::npos;
  return counts ? characters(right) / characters(given) : 0;
}

}  // namespace

std::optional<double> binary64_in(std::string_view text) {
  const auto value = number_in<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

double score_of(const answer_rule& rule, const answer& given, const std::vector<answer>& right) {
  if (given.tokens.empty()) return 0;
  double best = 0;
  for (const answer& one : right) {
    const double score = rule.compare == answer_comparison::tokens
                             ? (given.tokens == one.tokens ? 1 : 0)
                             : score_of_text(rule, without(rule.removed, given.text),
                                             without(rule.removed, one.text));
    best = std::max(best, score);
  }
  return best;
}

}  // namespace sim
