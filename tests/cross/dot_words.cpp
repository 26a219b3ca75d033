// SPDX-License-Identifier: Apache-2.0
// tests/cross/dot_words.cpp: words for one model of a dot product.
#include "dot_words.h"

#include <array>
#include <set>

#include "word_maker.h"

namespace cross {
namespace {

struct kind_of_word {
  const char* name;
  void (word_maker::*make)();
};

constexpr std::array kinds{kind_of_word{"bits", &word_maker::any_bits},
                           kind_of_word{"near", &word_maker::near},
                           kind_of_word{"mixed with zeros", &word_maker::mixed_with_zeros},
                           kind_of_word{"zeros", &word_maker::zeros},
                           kind_of_word{"cancelling", &word_maker::cancelling},
                           kind_of_word{"aligned", &word_maker::aligned},
                           kind_of_word{"around zeros", &word_maker::around_zeros},
                           kind_of_word{"ties", &word_maker::ties},
                           kind_of_word{"specials", &word_maker::specials},
                           kind_of_word{"tiny", &word_maker::tiny},
                           kind_of_word{"huge", &word_maker::huge},
                           kind_of_word{"edges", &word_maker::edges},
                           kind_of_word{"edge of c", &word_maker::edge_of_c},
                           kind_of_word{"edges of scales", &word_maker::edges_of_scales}};

std::uint32_t hash_of(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  return hash;
}

}  // namespace

std::vector<int> lengths_of(const dot_twins& twins) {
  const int step = twins.step();
  std::set<int> lengths{0, 1, step - 1, step, step + 1, 2 * step, 3 * step + 5};
  if (step == 1) lengths.insert({3, 5, 7});
  return {lengths.begin(), lengths.end()};
}

std::vector<dot_word> words_of(const dot_twins& twins, int k, int count) {
  std::vector<dot_word> words;
  for (const kind_of_word& kind : kinds) {
    for (int i = 0; i < count; ++i) {
      const std::string name =
          std::string(kind.name) + " K=" + std::to_string(k) + " #" + std::to_string(i);
      word_maker maker(twins, k, hash_of(twins.name + name));
      (maker.*kind.make)();
      maker.word.name = name;
      words.push_back(std::move(maker.word));
    }
  }
  return words;
}

}  // namespace cross
