// SPDX-License-Identifier: Apache-2.0
// golden/probe/sorted_blocks.cpp: sorts blocks by kind.
#include "golden/probe/sorted_blocks.h"

#include <set>
#include <utility>

#include "golden/validator/tensor/block_rules.h"

namespace golden::probe {
namespace {

using validator::hypothesis;
using validator::prediction;

block_sort::kind kind_in(const prediction& p, std::uint64_t block) {
  validator::predicted_block made;
  p.make(block, made);
  const validator::block_kind held = validator::kind_of(made.given);
  if (held.extent.special) return block_sort::kind::special;
  return held.extent.amax.is_zero() ? block_sort::kind::zero : block_sort::kind::ordinary;
}

}  // namespace

block_sort::block_sort(const hypothesis& cut, std::span<const validator::subject> subjects,
                       std::span<const place> without) {
  std::set<std::pair<std::size_t, std::uint64_t>> left_out;
  for (const place& at : without) left_out.emplace(at.tensor, at.block);
  validator::extent_memory extents;
  for (std::size_t t = 0; t < subjects.size(); ++t) {
    if (!validator::geometry::of(cut, subjects[t])) continue;
    const prediction p(cut, subjects[t], extents);
    for (std::uint64_t b = 0; b < p.where().blocks(); ++b) {
      if (left_out.contains({t, b})) continue;
      places_[static_cast<std::size_t>(kind_in(p, b))].push_back({t, b});
    }
  }
}

std::uint64_t block_sort::count() const {
  std::uint64_t all = 0;
  for (const auto& places : places_) all += places.size();
  return all;
}

}  // namespace golden::probe
