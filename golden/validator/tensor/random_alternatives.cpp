// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/random_alternatives.cpp: stochastic rounding from other seeds, with other
// bits of the random words.
#include "alternatives.h"

#include "mx/recipe_words.h"

namespace golden::validator {
namespace {

/// Seeds tried from 0 on, where stochastic rounding was declared, and where it was not.
constexpr std::uint64_t seeds_declared = 4096, seeds_undeclared = 64;
/// Fewest elements for a search of undeclared seeds: with fewer, one of so many fits by chance.
constexpr std::uint64_t fewest_elements = 256;

void append(alternative_list& list, const mx::random_source& from, company with) {
  list.push_back({dimension::element_rounding,
                  [from](hypothesis& r) {
                    if (r.variant() == nullptr) r.recipe.rules.rounding = mx::rounding::stochastic;
                    r.recipe.rules.random = from;
                  },
                  with});
}

std::uint64_t elements_of(std::span<const subject> subjects) {
  std::uint64_t all = 0;
  for (const subject& s : subjects) all += s.elements();
  return all;
}

}  // namespace

void append_random_alternatives(const hypothesis& declared, std::span<const subject> subjects,
                                alternative_list& list) {
  const mx::variant_entry* preset = declared.variant();
  const bool is_declared = mx::draws_bits(declared.recipe);
  if (preset != nullptr && !is_declared) return;
  if (!is_declared && elements_of(subjects) < fewest_elements) return;
  const company with = is_declared ? company::any : company::alone;
  mx::random_source from = declared.recipe.rules.random;
  for (const int bits : {8, 4, 7, 10, 12, 13, 16, 23, 24}) {
    if (preset != nullptr && bits != 8) break;  // a preset's own number of them
    from.bits = bits;
    for (const mx::byte_map map : {mx::byte_map::ptx, mx::byte_map::te_soft}) {
      from.map = map;
      if (mx::uses_byte_map(bits) || map == declared.recipe.rules.random.map)
        append(list, from, with);
    }
  }
  from = declared.recipe.rules.random;
  if (is_declared && preset == nullptr) {
    add(list, dimension::element_rounding, &habits::drawn, drawn_bits::complemented);
  }
  for (const std::uint32_t stream : {0U, 1U, 2U, 3U}) {
    from.stream = stream;
    append(list, from, with);
  }
  from = declared.recipe.rules.random;
  const std::uint64_t seeds = is_declared ? seeds_declared : seeds_undeclared;
  for (from.seed = 0; from.seed < seeds; ++from.seed) {
    append(list, from, company::alone);
  }
}

}  // namespace golden::validator
