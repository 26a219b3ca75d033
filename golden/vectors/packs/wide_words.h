// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/wide_words.h: dot products whose terms cancel over wide distances, on which
// accumulators differ; the same words for all models that accept their formats.
#pragma once
#include <string>
#include <vector>

#include "mx/dot/accumulation.h"

namespace golden::packs {

/// Formats shared by several models, and the length of their words.
///   element    of A, and of B unless element_b differs
///   block      elements a scale; 0: no scales
///   highest    exponent of the largest terms
///   addend     format of C
struct word_family {
  const char* name;
  mx::format element, scale;
  int block, k, highest;
  mx::format element_b = element;
  mx::format addend = mx::formats::binary32;

  [[nodiscard]] int scales() const { return block > 0 ? k / block : 0; }
  /// Terms with an exponent of their own: products, or blocks.
  [[nodiscard]] int places() const { return block > 0 ? k / block : k; }
};

/// d = c + sum of a[k] b[k], without d.
struct wide_word {
  std::vector<std::uint32_t> a, b, scale_a, scale_b;
  std::uint32_t c = 0;  ///< a code of the addend's format
  std::string sentence;
};

[[nodiscard]] std::vector<wide_word> wide_words(const word_family& family);

}  // namespace golden::packs
