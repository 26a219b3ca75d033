// SPDX-License-Identifier: Apache-2.0
// tests/vectors/bulk_words_test.cpp: mx::dot_all reproduces the bits of every committed word on
// every instruction set.
#include <algorithm>

#include "catch.h"
#include "core_replay.h"
#include "instruction_sets.h"
#include "mx/dot/bulk_dot.h"

namespace {

using codes = std::vector<std::uint32_t>;

/// The word, computed in one lane among others that hold zeros.
std::uint32_t bulk_result(const mx::dot_model& model, const test::dot_word& word) {
  constexpr std::size_t count = 3, at = 1;
  const std::size_t k = word.a.size(), blocks = word.scale_a.size();
  codes a(count * k), b(count * k), c(count), d(count);
  std::vector<std::uint8_t> scale_a(count * blocks, 127), scale_b(count * blocks, 127);
  std::copy(word.a.begin(), word.a.end(), a.begin() + static_cast<std::ptrdiff_t>(at * k));
  std::copy(word.b.begin(), word.b.end(), b.begin() + static_cast<std::ptrdiff_t>(at * k));
  for (std::size_t i = 0; i < blocks; ++i) {
    scale_a[at * blocks + i] = static_cast<std::uint8_t>(word.scale_a[i]);
    scale_b[at * blocks + i] = static_cast<std::uint8_t>(word.scale_b[i]);
  }
  c[at] = word.c;
  const auto scales = [&](const std::vector<std::uint8_t>& of) {
    return of.empty() ? nullptr : of.data();
  };
  mx::dot_all(model,
              mx::dot_words<std::uint32_t>{count, static_cast<int>(k), a.data(), b.data(),
                                           scales(scale_a), scales(scale_b), c.data(), d.data()});
  return d[at];
}

TEST_CASE("bulk_words_give_the_bits_of_every_committed_word") {
  test::on_all_instruction_sets([] {
    for (const test::word_file& file : test::committed_words()) {
      for (const test::word_section& section : file.sections) {
        const mx::dot_model model = test::core_model(file.model, section.operands);
        if (model.block > 0 && model.scale.width() > 8) continue;
        for (const test::dot_word& word : section.words) {
          const std::uint32_t d = bulk_result(model, word);
          INFO(file.name << ":" << word.line << ": " << word.label << std::hex << ": " << d
                         << " instead of " << word.d);
          CHECK(d == word.d);
        }
      }
    }
  });
}

}  // namespace
