// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/rendering.cpp: the bytes of a file under a recipe.
#include "rendering.h"

namespace golden::validator {
namespace {

void write_codes(const prediction& p, std::uint64_t block, const predicted_block& made,
                 std::vector<std::uint8_t>& codes) {
  const geometry& g = p.where();
  const block_place at = g.place(block);
  for_codes(g, at, [&](std::uint64_t k, std::uint64_t row, std::uint64_t position) {
    put_code(codes, g.code_at(at, row, position), made.codes[k]);
  });
}

}  // namespace

rendered render(const prediction& p) {
  const geometry& g = p.where();
  rendered out{std::vector<std::uint8_t>(g.code_bytes()),
               std::vector<std::uint8_t>(g.scale_bytes())};
  std::vector<std::uint32_t> scales(g.blocks());
  predicted_block made;
  for (std::uint64_t b = 0; b < g.blocks(); ++b) {
    p.make(b, made);
    scales[b] = made.scale;
    write_codes(p, b, made, out.codes);
  }
  for (std::uint64_t b = 0; b < g.blocks(); ++b) {
    const std::optional<std::uint64_t> source = g.scale_source(b);
    const std::uint32_t scale = source ? scales[*source] : 0;
    for (std::uint64_t k = 0; k < g.bytes_a_scale(); ++k) {
      out.scales[g.scale_at(b) + k] = static_cast<std::uint8_t>(scale >> (8 * k));
    }
  }
  return out;
}

}  // namespace golden::validator
