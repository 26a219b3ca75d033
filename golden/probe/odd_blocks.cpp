// SPDX-License-Identifier: Apache-2.0
// golden/probe/odd_blocks.cpp: compares single blocks with a recipe's.
#include "golden/probe/odd_blocks.h"

#include <algorithm>

namespace golden::probe {
namespace {

using validator::prediction;

constexpr std::size_t most_blocks = 4, most_values = 4;

/// Numbers by magnitude, NaN before Inf before finite ones.
std::uint32_t magnitude_of(float x) { return mx::bits_of(x) & 0x7FFFFFFFU; }

std::vector<float> largest_of(std::vector<float> values) {
  std::stable_sort(values.begin(), values.end(),
                   [](float a, float b) { return magnitude_of(a) > magnitude_of(b); });
  const auto same = [](float a, float b) { return mx::bits_of(a) == mx::bits_of(b); };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
  if (values.size() > most_values) values.resize(most_values);
  return values;
}

odd_block described_at(const prediction& p, std::uint64_t block) {
  validator::predicted_block made;
  p.make(block, made);
  const validator::geometry& g = p.where();
  const validator::found_block found = found_at(p, block);
  const validator::block_place at = g.place(block);
  odd_block odd{p.of().name,
                block,
                at.outer * g.shape().rows + at.row,
                at.along * g.columns(),
                largest_of(made.given),
                0,
                found.scale,
                0,
                {}};
  for (std::size_t k = 0; k < made.codes.size(); ++k) {
    if (made.codes[k] == found.codes[k]) continue;
    if (odd.codes++ == 0) odd.first = {made.given[k], made.codes[k], found.codes[k]};
  }
  const std::optional<std::uint64_t> source = g.scale_source(block);
  if (source && *source != block) p.make(*source, made);
  odd.expected_scale = source ? made.scale : 0;
  return odd;
}

}  // namespace

std::vector<odd_block> described(const validator::hypothesis& r,
                                 std::span<const validator::subject> subjects,
                                 std::span<const block_sort::place> odd) {
  validator::extent_memory extents;
  std::vector<odd_block> list;
  for (const block_sort::place& at : odd.first(std::min(odd.size(), most_blocks))) {
    list.push_back(described_at(prediction(r, subjects[at.tensor], extents), at.block));
  }
  return list;
}

}  // namespace golden::probe
