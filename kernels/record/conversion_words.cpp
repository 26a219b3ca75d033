// SPDX-License-Identifier: Apache-2.0
// kernels/record/conversion_words.cpp: words of conversions.
#include "conversion_words.h"

#include "hexadecimal.h"
#include "mx/number/philox.h"
#include "quantize/random_conversion.h"

namespace mx::kernels {
namespace {

struct conversion_word {
  std::string label;
  std::vector<std::uint32_t> x;
  std::uint32_t random = 0;
};

bool is_random(std::string_view model) { return model.starts_with("cvt.rs"); }

std::uint32_t nearest_code(float x) { return e2m1::nearest(unpack(x)).code; }

std::uint32_t drawn(std::uint32_t list, std::uint32_t i) {
  return philox(list, {{i, 0, 0, 7}}).word[0];
}

/// One number in one place, zeros elsewhere.
std::vector<std::uint32_t> alone(std::size_t count, std::size_t place, float x) {
  std::vector<std::uint32_t> numbers(count, 0);
  numbers[place] = bits_of(x);
  return numbers;
}

/// Halfway between 0 and 0.5 with one random bit, the highest of a byte: it rounds up if the
/// byte belongs to the number.
void add_bytes(std::vector<conversion_word>& words) {
  for (std::size_t place = 0; place < 4; ++place) {
    for (std::uint32_t byte = 0; byte < 4; ++byte) {
      words.push_back({"byte." + std::to_string(place) + "." + std::to_string(byte),
                       alone(4, place, 0.25F), std::uint32_t{0x80} << (8 * byte)});
    }
  }
}

/// Numbers whose discarded part is n / 256 of a step: with 256 - n it carries, with 255 - n it does
/// not; the next number below carries with neither.
void add_carries(std::vector<conversion_word>& words) {
  constexpr float steps[][2] = {{0, .5F}, {.5F, .5F}, {1, .5F}, {1.5F, .5F},
                                {2, 1},   {3, 1},     {4, 2},   {6, 2}};
  for (std::uint32_t i = 0; i < 8; ++i) {
    for (const std::uint32_t n : {1U, 2U, 128U, 255U}) {
      const float x = steps[i][0] + steps[i][1] * (static_cast<float>(n) / 256);
      const std::uint32_t here = bits_of(x), sign = (i + n) % 2 << 31;
      const std::vector<std::uint32_t> numbers{here | sign, (here - 1) | sign, here, here + 1};
      const std::string label = "carry." + std::to_string(i) + "." + std::to_string(n) + ".";
      words.push_back({label + "reached", numbers, (256 - n) * 0x01010101U});
      words.push_back({label + "missed", numbers, (255 - n) * 0x01010101U});
    }
  }
}

/// Ties of E2M1 with both signs, and their neighbours.
void add_ties(std::vector<conversion_word>& words) {
  constexpr float ties[] = {.25F, .75F, 1.25F, 1.75F, 2.5F, 3.5F, 5};
  for (std::uint32_t i = 0; i < 7; ++i) {
    const std::uint32_t tie = bits_of(ties[i]), negative = tie | 0x80000000;
    const std::string label = "tie." + std::to_string(i) + ".";
    words.push_back({label + "itself", {tie, negative}});
    words.push_back({label + "below", {tie - 1, negative - 1}});
    words.push_back({label + "above", {tie + 1, negative + 1}});
  }
}

/// Zeros, the smallest and largest subnormals, 6 and beyond, Inf, NaN.
void add_specials(std::vector<conversion_word>& words, std::size_t count, std::uint32_t random) {
  constexpr std::uint32_t specials[] = {0,          1,          0x7FFFFF,   0x40C00000, 0x40C00001,
                                        0x41000000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000};
  for (std::uint32_t i = 0; i < 10; ++i) {
    for (const std::uint32_t sign : {0U, 0x80000000U}) {
      words.push_back({(sign == 0 ? "special.plus." : "special.minus.") + std::to_string(i),
                       std::vector<std::uint32_t>(count, specials[i] | sign), random});
    }
  }
}

/// Exponents from 2^-12 to 8.
void add_random(std::vector<conversion_word>& words, std::size_t count, std::uint32_t mask) {
  for (std::uint32_t i = 0; i < 64; ++i) {
    conversion_word word{"random." + std::to_string(i), {}, drawn(1, i) & mask};
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t bits = drawn(2 + k, i), exponent = 115 + drawn(6 + k, i) % 15;
      word.x.push_back((bits & 0x807FFFFF) | exponent << 23);
    }
    words.push_back(word);
  }
}

std::vector<conversion_word> words_of(const std::string& model) {
  std::vector<conversion_word> words;
  const bool random = is_random(model);
  if (random) {
    add_bytes(words);
    add_carries(words);
  } else {
    add_ties(words);
  }
  add_specials(words, random ? 4 : 2, random ? 0xFFFFFFFF : 0);
  add_random(words, random ? 4 : 2, random ? 0xFFFFFFFF : 0);
  return words;
}

}  // namespace

std::uint32_t converted(std::string_view model, const std::vector<std::uint32_t>& x,
                        std::uint32_t random) {
  if (!is_random(model)) return nearest_code(float_of(x[0])) | nearest_code(float_of(x[1])) << 4;
  return documented_conversion{half_order::upper_first}(
      {float_of(x[3]), float_of(x[2]), float_of(x[1]), float_of(x[0])}, random);
}

std::string conversion_words(const std::string& model) {
  const std::vector<conversion_word> words = words_of(model);
  std::string text = "version 1\nmodel " + model +
                     "\nevidence specification only\noperands fp32 fp32 s32\nwords " +
                     std::to_string(words.size()) + "\n";
  for (const conversion_word& word : words) {
    std::string numbers, ones;
    for (const std::uint32_t x : word.x) {
      numbers += hexadecimal(x, 8);
      ones += hexadecimal(bits_of(1.0F), 8);
    }
    text += word.label + " " + numbers + " " + ones + " " + hexadecimal(word.random, 8) + " " +
            hexadecimal(converted(model, word.x, word.random), 8) + "\n";
  }
  return text;
}

}  // namespace mx::kernels
