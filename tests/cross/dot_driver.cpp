// SPDX-License-Identifier: Apache-2.0
// tests/cross/dot_driver.cpp: compares all backends on every word and reports the first difference.
#include "dot_driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "mx/dot/product.h"

namespace cross {
namespace {

// Words per call of a backend.
constexpr std::size_t batch = 40;

// Uses the name by which a difference is replayed.
bool chosen(const dot_twins& twins, const dot_word& word) {
  const char* const name = std::getenv("MX_CROSS_CASE");
  return name == nullptr || name == twins.name + ": " + word.name;
}

std::string code_text(const mx::format& f, std::uint32_t code) {
  const std::uint32_t magnitude = code & f.magnitude_mask();
  char text[128];
  const mx::unpacked x = mx::decode(f, code);
  std::snprintf(text, sizeof text, "0x%0*x (sign %d, exponent %u, fraction 0x%x: %s%llu * 2^%d)",
                (f.width() + 3) / 4, code, mx::is_negative(f, code) ? 1 : 0,
                magnitude >> f.fraction_bits, magnitude & ((1U << f.fraction_bits) - 1),
                x.kind == mx::kind::nan        ? "NaN "
                : x.kind == mx::kind::infinite ? "Inf "
                                               : (x.negative ? "-" : ""),
                static_cast<unsigned long long>(x.significand), x.exponent);
  return text;
}

bool differs(const dot_backend& other, const dot_twins& twins, const dot_word& word) {
  return other.results(twins, {&word, 1}).front() != golden_dot(twins, word);
}

// The word with as many operands as possible replaced by +0 while a difference remains.
dot_word reduced(const dot_backend& other, const dot_twins& twins, dot_word word) {
  if (!differs(other, twins, word)) return word;
  for (std::size_t k = 0; k <= word.a.size(); ++k) {
    dot_word smaller = word;
    if (k < word.a.size()) {
      smaller.a[k] = smaller.b[k] = 0;
    } else {
      smaller.c = 0;
    }
    if (differs(other, twins, smaller)) word = std::move(smaller);
  }
  return word;
}

std::string operands_text(const dot_twins& twins, const dot_word& word) {
  const mx::dot_model& m = twins.core;
  std::string text = "\n  c         " + code_text(m.sum.result, word.c);
  for (std::size_t i = 0; i < word.scale_a.size(); ++i) {
    text += "\n  scales " + std::to_string(i) + "  " + code_text(m.scale, word.scale_a[i]) + " " +
            code_text(m.scale, word.scale_b[i]);
  }
  for (std::size_t k = 0; k < word.a.size(); ++k) {
    if (word.a[k] == 0 && word.b[k] == 0) continue;
    text += "\n  k = " + std::to_string(k) + "   " + code_text(m.a, word.a[k] >> m.unread_bits) +
            " " + code_text(m.b, word.b[k] >> m.unread_bits);
  }
  return text;
}

std::string message(const dot_backend& other, const dot_twins& twins, const dot_word& word,
                    std::uint32_t found) {
  const mx::format& result = twins.core.sum.result;
  const dot_word small = reduced(other, twins, word);
  return other.name + " differs from golden in " + twins.name + "\n  golden    " +
         code_text(result, golden_dot(twins, word)) + "\n  found     " + code_text(result, found) +
         "\n  reduced to (other products are +0 * +0, K = " + std::to_string(word.size()) +
         ")\n  golden    " + code_text(result, golden_dot(twins, small)) +
         operands_text(twins, small) + "\n  replay    MX_CROSS_CASE='" + twins.name + ": " +
         word.name + "' and this test";
}

std::optional<std::string> difference(const dot_twins& twins, std::span<const dot_word> words) {
  std::vector<std::uint32_t> expected;
  for (const dot_word& word : words) expected.push_back(golden_dot(twins, word));
  for (const dot_backend& other : dot_backends()) {
    const std::vector<std::uint32_t> found = other.results(twins, words);
    if (found.empty() || found == expected) continue;
    if (found.size() != expected.size()) return other.name + ": wrong number of results";
    std::size_t at = 0;
    while (found[at] == expected[at]) ++at;
    return message(other, twins, words[at], found[at]);
  }
  return {};
}

}  // namespace

std::optional<std::string> first_difference(const dot_twins& twins, int count) {
  for (const int k : lengths_of(twins)) {
    std::vector<dot_word> words = words_of(twins, k, count);
    std::erase_if(words, [&](const dot_word& word) { return !chosen(twins, word); });
    for (std::size_t first = 0; first < words.size(); first += batch) {
      const std::size_t size = std::min(batch, words.size() - first);
      if (auto text = difference(twins, {&words[first], size})) return text;
    }
  }
  return {};
}

}  // namespace cross
