// SPDX-License-Identifier: Apache-2.0
// tests/cross/driver.cpp: compares all backends on every case and reports the first difference.
#include "driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace cross {
namespace {

bool chosen(const named_block& block) {
  const char* const name = std::getenv("MX_CROSS_CASE");
  return name == nullptr || block.name == name;
}

// Pattern, fields and value of an FP32 number.
std::string fp32_text(std::uint32_t bits) {
  char text[96];
  std::snprintf(text, sizeof text, "0x%08x (sign %u, exponent %u, fraction 0x%06x: %a)", bits,
                bits >> 31, bits >> 23 & 255U, bits & 0x7fffffU,
                static_cast<double>(golden::float_of(bits)));
  return text;
}

std::string word_text(verb v, std::size_t index, std::uint32_t word) {
  if (v != verb::codes) return fp32_text(word);
  char text[64];
  if (index == 0) {
    std::snprintf(text, sizeof text, "scale byte %u: 2^%d", word, static_cast<int>(word) - 127);
  } else {
    const char* const magnitudes[] = {"0", "0.5", "1", "1.5", "2", "3", "4", "6"};
    std::snprintf(text, sizeof text, "code %u: %s%s", word, word >= 8 ? "-" : "",
                  magnitudes[word % 8]);
  }
  return text;
}

std::string amax_text(const named_block& block, std::size_t index) {
  std::uint32_t amax = 0;
  const std::size_t first = index / golden::block_elements * golden::block_elements;
  for (std::size_t i = first; i < std::min(first + golden::block_elements, block.values.size());
       ++i) {
    if (golden::is_finite(block.values[i])) {
      amax = std::max(amax, golden::bits_of(block.values[i]) & 0x7fffffffU);
    }
  }
  return fp32_text(amax);
}

std::string place_text(const named_block& block, std::size_t element) {
  return "\n  case      " + block.name + ", element " + std::to_string(element) + "\n  x         " +
         fp32_text(golden::bits_of(block.values[element])) + "\n  amax      " +
         amax_text(block, element) + " of its block" + "\n  replay    MX_CROSS_CASE='" +
         block.name + "' and this test";
}

std::optional<std::string> difference(const backend& other, const operation& op,
                                      const named_block& block, const words& expected) {
  const words found = other.perform(op, block.values);
  if (found.empty() || found == expected) return {};
  if (found.size() != expected.size()) return other.name + ": wrong number of words";
  std::size_t at = 0;
  while (found[at] == expected[at]) ++at;
  const std::size_t element = op.verb == verb::codes ? (at == 0 ? 0 : at - 1) : at;
  return other.name + " differs from golden in " + text_of(op) + "\n  golden    " +
         word_text(op.verb, at, expected[at]) + "\n  found     " +
         word_text(op.verb, at, found[at]) + place_text(block, element);
}

std::string parts_text(const golden::error_parts& parts) {
  return "scale " + parts.scale.str() + ", deadzone " + parts.deadzone.str() + ", grid " +
         parts.grid.str() + ", clip " + parts.clip.str() +
         (parts.scale_dead ? ", zeroed by the scale" : "");
}

bool equal(const golden::error_parts& a, const golden::error_parts& b) {
  return a.scale == b.scale && a.deadzone == b.deadzone && a.grid == b.grid && a.clip == b.clip &&
         a.scale_dead == b.scale_dead;
}

std::optional<std::string> difference_of_parts(const backend& other, const named_block& block,
                                               golden::scale_rule rule,
                                               const std::vector<golden::error_parts>& expected) {
  if (!other.decompose) return {};
  const auto found = other.decompose(block.values, rule);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (equal(found.at(i), expected[i])) continue;
    return other.name + " differs from golden in the parts under rule " +
           (rule == golden::scale_rule::floor ? "floor" : "rceil") + "\n  golden    " +
           parts_text(expected[i]) + "\n  found     " + parts_text(found[i]) + place_text(block, i);
  }
  return {};
}

}  // namespace

std::optional<std::string> first_difference(const std::vector<named_block>& cases,
                                            const std::vector<operation>& operations) {
  const backend golden = golden_backend();
  for (const named_block& block : cases) {
    if (!chosen(block)) continue;
    for (const operation& op : operations) {
      const words expected = golden.perform(op, block.values);
      for (const backend& other : backends()) {
        if (auto message = difference(other, op, block, expected)) return message;
      }
    }
  }
  return {};
}

std::optional<std::string> first_difference_of_parts(const std::vector<named_block>& cases) {
  for (const named_block& block : cases) {
    if (!chosen(block) || !golden::all_finite(block.values)) continue;
    for (const golden::scale_rule rule : both_rules) {
      const auto expected = golden::decompose(block.values, rule);
      for (const backend& other : backends()) {
        if (auto message = difference_of_parts(other, block, rule, expected)) return message;
      }
    }
  }
  return {};
}

}  // namespace cross
