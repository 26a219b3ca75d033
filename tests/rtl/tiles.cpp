// SPDX-License-Identifier: Apache-2.0
// tests/rtl/tiles.cpp: tiles made of words of dot products.
#include "tiles.h"

#include <algorithm>

#include "cross/dot_words.h"
#include "mx/dot/models.h"

namespace rtl {
namespace {

using hardware::tile;
using hardware::tile_shape;

void copy(const std::vector<std::uint32_t>& codes, std::uint8_t* to) {
  std::transform(codes.begin(), codes.end(), to,
                 [](std::uint32_t code) { return static_cast<std::uint8_t>(code); });
}

/// The tile of 16 words, the first of which is words[first].
tile tile_from(const std::vector<cross::dot_word>& words, std::size_t first) {
  tile made;
  for (std::size_t i = 0; i < tile_shape::m; ++i) {
    const cross::dot_word& word = words[first + i];
    copy(word.a, made.a.data() + i * tile_shape::k);
    copy(word.scale_a, made.scale_a.data() + i * tile_shape::blocks);
    for (std::size_t j = 0; j < tile_shape::n; ++j) {
      made.c[i * tile_shape::n + j] = words[first + (i == j ? i : (i + j) % tile_shape::m)].c;
    }
    if (i >= tile_shape::n) continue;
    copy(word.b, made.b.data() + i * tile_shape::k);
    copy(word.scale_b, made.scale_b.data() + i * tile_shape::blocks);
  }
  return made;
}

}  // namespace

std::vector<tile> tiles_of(int count, unsigned seed) {
  const cross::dot_twins model{
      "tile " + std::to_string(seed), mx::model_named("blackwell.mxf4")->model, {}};
  const std::vector<cross::dot_word> words =
      cross::words_of(model, tile_shape::k, tile_shape::m * count);
  std::vector<tile> tiles;
  for (std::size_t first = 0; first + tile_shape::m <= words.size(); first += tile_shape::m) {
    tiles.push_back(tile_from(words, first));
  }
  return tiles;
}

}  // namespace rtl
