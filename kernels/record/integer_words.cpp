// SPDX-License-Identifier: Apache-2.0
// kernels/record/integer_words.cpp: words of bytes.
#include "integer_words.h"

#include <cstdint>
#include <vector>

#include "hexadecimal.h"
#include "mx/number/philox.h"

namespace mx::kernels {
namespace {

struct integer_word {
  std::string label;
  std::vector<int> a, b;
  std::uint32_t c;
};

/// Modulo 2^32.
std::uint32_t sum_of(const integer_word& word) {
  std::uint32_t sum = word.c;
  for (std::size_t i = 0; i < word.a.size(); ++i) {
    sum += static_cast<std::uint32_t>(word.a[i] * word.b[i]);
  }
  return sum;
}

std::uint32_t drawn(std::uint32_t list, std::size_t i) {
  return philox(list, {{static_cast<std::uint32_t>(i), 0, 0, 0}}).word[0];
}

integer_word random_word(std::uint32_t number, std::size_t k) {
  integer_word word{"random." + std::to_string(number), {}, {}, drawn(3 * number, k)};
  for (std::size_t i = 0; i < k; ++i) {
    word.a.push_back(static_cast<int>(drawn(3 * number + 1, i) % 256) - 128);
    word.b.push_back(static_cast<int>(drawn(3 * number + 2, i) % 256) - 128);
  }
  return word;
}

/// Doubled codes of E2M1, added to the bits of 1.5.
integer_word block_word(std::uint32_t number) {
  constexpr int doubled[] = {0, 1, 2, 3, 4, 6, 8, 12};
  integer_word word{"block." + std::to_string(number), {}, {}, 0x3FC00000};
  for (std::size_t i = 0; i < 32; ++i) {
    const std::uint32_t x = drawn(1000 + 2 * number, i), y = drawn(1001 + 2 * number, i);
    word.a.push_back((x & 8) != 0 ? -doubled[x & 7] : doubled[x & 7]);
    word.b.push_back((y & 8) != 0 ? -doubled[y & 7] : doubled[y & 7]);
  }
  return word;
}

integer_word equal_word(const std::string& label, std::size_t k, int a, int b, std::uint32_t c) {
  return {label, std::vector<int>(k, a), std::vector<int>(k, b), c};
}

/// Opposite products, and C plus one.
integer_word cancelling_word() {
  integer_word word = equal_word("cancelled", 32, 127, -128, 1);
  for (std::size_t i = 0; i < 16; ++i) word.a[i] = -127;
  return word;
}

std::vector<integer_word> all_words() {
  std::vector<integer_word> words;
  for (std::uint32_t i = 0; i < 8; ++i) words.push_back(random_word(i, 32));
  for (std::uint32_t i = 8; i < 12; ++i) words.push_back(random_word(i, 13 + 20 * (i - 8)));
  for (std::uint32_t i = 0; i < 8; ++i) words.push_back(block_word(i));
  words.push_back(equal_word("block.largest", 32, 12, 12, 0x3FC00000));
  words.push_back(equal_word("block.smallest", 32, 12, -12, 0x3FC00000));
  words.push_back(cancelling_word());
  words.push_back(equal_word("zeros", 32, 0, -128, 0xDEADBEEF));
  words.push_back(equal_word("largest", 32, -128, -128, 0));
  words.push_back(equal_word("smallest", 32, -128, 127, 0));
  words.push_back(equal_word("end.high", 1, 1, 1, 0x7FFFFFFE));
  words.push_back(equal_word("end.low", 1, -1, 1, 0x80000001));
  words.push_back(equal_word("beyond.high", 1, 1, 1, 0x7FFFFFFF));
  words.push_back(equal_word("beyond.low", 1, -1, 1, 0x80000000));
  words.push_back(equal_word("beyond.far", 64, -128, -128, 0x7FFFFFFF));
  return words;
}

std::string digits_of(const std::vector<int>& bytes) {
  std::string text;
  for (const int byte : bytes) text += hexadecimal(static_cast<std::uint32_t>(byte) & 0xFF, 2);
  return text;
}

}  // namespace

std::string integer_words(const std::string& model) {
  const std::vector<integer_word> words = all_words();
  std::string text = "version 1\nmodel " + model +
                     "\nevidence specification only\noperands s8 s8 s32\nwords " +
                     std::to_string(words.size()) + "\n";
  for (const integer_word& word : words) {
    text += word.label + " " + digits_of(word.a) + " " + digits_of(word.b) + " " +
            hexadecimal(word.c, 8) + " " + hexadecimal(sum_of(word), 8) + "\n";
  }
  return text;
}

}  // namespace mx::kernels
