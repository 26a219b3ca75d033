// SPDX-License-Identifier: Apache-2.0
// mx/recipe_words.h: recipes as words, parsed and printed; shared by the options of the command and
// of the C ABI, the metadata of files, and studies.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "mx/block/names.h"
#include "mx/spelling.h"
#include "mx/tensor/coded_shape.h"

namespace mx {

inline constexpr std::array code_order_table{
    named<code_order>{{},
                      "packed",
                      "two 4-bit codes a byte along the axis, low nibble first (CUDA, torchao, "
                      "ONNX)"},
    named<code_order>{
        {code_packing::unpacked, nibble_order::low_first}, "unpacked", "one code a byte"},
    named<code_order>{{code_packing::packed, nibble_order::high_first},
                      "high-first",
                      "two 4-bit codes a byte along the axis, high nibble first"},
    named<code_order>{{code_packing::packed, nibble_order::split_half},
                      "split-half",
                      "codes j and j + K/2 of a block of K share a byte, j in its low bits "
                      "(llama.cpp)"},
    named<code_order>{{code_packing::packed, nibble_order::low_first, six_bit_order::dense},
                      "dense",
                      "four 6-bit codes in three bytes along the axis, the first in the low bits "
                      "(AMD)"}};

/// The words of a recipe; an absent one has a default, which may depend on the others.
///   format     as format_spelled parses it; mxfp4, or the preset's first
///   variant    a preset, which excludes scale_rule, rounding and random_bits, and, unless it
///              rounds stochastically, byte_map and seed
///   byte_map   not beside more than 8 random_bits
struct recipe_words {
  std::optional<std::string> format, scale_rule, rounding, byte_map, variant, packing, layout;
  std::optional<std::uint64_t> seed;
  std::optional<int> random_bits;
};

/// Invalid words of a recipe.
class recipe_error : public std::invalid_argument {
 public:
  ///   unknown      a word is not an accepted name
  ///   unsupported  the words are known but cannot be combined
  enum class reason : std::uint8_t { unknown, unsupported };

  ///   word  a member of recipe_words; empty if several words are at fault
  recipe_error(reason why, std::string word, const std::string& sentence)
      : std::invalid_argument(sentence), why_(why), word_(std::move(word)) {}
  [[nodiscard]] reason why() const noexcept { return why_; }
  [[nodiscard]] const std::string& word() const noexcept { return word_; }

 private:
  reason why_;
  std::string word_;
};

/// Parses the words of a recipe.
///   errors  throws recipe_error, with the nearest name if one is near
[[nodiscard]] recipe recipe_spelled(const recipe_words& words);

/// All words that spell the recipe. Of a preset: format, variant, packing and layout.
[[nodiscard]] recipe_words words_of(const recipe& r);

/// Format, corrections and passes in one word, as --format accepts them.
[[nodiscard]] std::string format_word(const recipe& r);

/// The preset of a recipe.
///   errors  requires r.has_preset()
[[nodiscard]] const variant_entry& preset_of(const recipe& r);

/// Whether codes depend on random bits: those of its preset, or those of stochastic rounding.
[[nodiscard]] bool draws_bits(const recipe& r);

/// Why a recipe is refused, as a sentence with the remedy.
///   why  refusal_of(r) or storage_refusal_of(r)
[[nodiscard]] std::string sentence_of(const recipe& r, recipe_refusal why);

/// Why a recipe does not accept a tensor, as a sentence about the tensor with the remedy.
///   why  refusal_of(r, t) or storage_refusal_of(r, t)
[[nodiscard]] std::string sentence_of(const recipe& r, const tensor_axes& t, tensor_refusal why);

}  // namespace mx
