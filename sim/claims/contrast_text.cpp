// SPDX-License-Identifier: Apache-2.0
// sim/claims/contrast_text.cpp: see contrast_text.h.
#include "sim/claims/contrast_text.h"

#include <cmath>

#include "sim/study/number_in.h"

namespace sim {
namespace {

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

bool is_sign(std::string_view word) { return word == "+" || word == "-"; }

std::optional<double> weight_in(std::string_view word) {
  const auto value = number_in<double>(word);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

std::optional<linear_contrast> contrast_in(std::string_view text) {
  const std::vector<std::string_view> words = words_in(text);
  linear_contrast result{std::string(text), {}};
  std::size_t at = 0;
  while (at < words.size()) {
    double weight = 1;
    if (is_sign(words[at])) {
      if (result.terms.empty() && words[at] == "+") return {};
      weight = words[at++] == "-" ? -1 : 1;
    } else if (!result.terms.empty()) {
      return {};
    }
    if (at + 1 < words.size() && !is_sign(words[at + 1])) {
      const auto factor = weight_in(words[at++]);
      if (!factor) return {};
      weight *= *factor;
    }
    if (at == words.size() || is_sign(words[at])) return {};
    result.terms.push_back({weight, std::string(words[at++])});
  }
  return result.terms.empty() ? std::nullopt : std::optional{result};
}

}  // namespace sim
