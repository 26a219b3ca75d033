// SPDX-License-Identifier: Apache-2.0
// golden/probe/output_fit.cpp: checks a recipe on distinct blocks only.
#include "golden/probe/output_fit.h"

#include <algorithm>

namespace golden::probe {

using validator::hypothesis;
using validator::prediction;
using validator::subject;

namespace {

/// Whether the first blocks are as predicted; most recipes that do not fit differ there already.
bool begins_as(const prediction& p) {
  constexpr std::uint64_t first_blocks = 64;
  for (std::uint64_t b = 0; b < std::min(first_blocks, p.where().blocks()); ++b) {
    if (!explains_block(p, b)) return false;
  }
  return true;
}

}  // namespace

output_fit::output_fit(const hypothesis& plain, std::span<const subject> subjects)
    : subjects_(subjects), sorted_(plain, subjects), distinct_(plain, subjects, sorted_) {}

bool output_fit::has_sizes(const hypothesis& r) const {
  return is_possible(r) && fits_all(r, subjects_);
}

bool output_fit::is_explained(const hypothesis& r) {
  // If most blocks are distinct, checking all of them in order is faster.
  if (!distinct_.cover(r) || distinct_.of(r).count() > blocks() / 4 + 64) {
    return std::all_of(subjects_.begin(), subjects_.end(), [&](const subject& s) {
      const prediction p(r, s, extents_);
      return begins_as(p) && explains_all(p);
    });
  }
  return std::all_of(subjects_.begin(), subjects_.end(),
                     [&](const subject& s) {
                       return prediction(r, s, extents_).agrees_on_tensor_scales();
                     }) &&
         std::all_of(block_sort::kinds.begin(), block_sort::kinds.end(),
                     [&](block_sort::kind k) { return is_explained(r, k); });
}

bool output_fit::is_explained(const hypothesis& r, block_sort::kind kind) {
  const std::vector<block_sort::place>& places = places_for(r, kind);
  for (std::size_t from = 0; from < places.size();) {
    const std::size_t tensor = places[from].tensor;
    const prediction p(r, subjects_[tensor], extents_);
    if (!p.agrees_on_tensor_scales()) return false;
    for (; from < places.size() && places[from].tensor == tensor; ++from) {
      if (!explains_block(p, places[from].block)) return false;
    }
  }
  return true;
}

std::uint64_t output_fit::blocks_explained(const hypothesis& r) {
  std::vector<prediction> predictions;
  for (const subject& s : subjects_) predictions.emplace_back(r, s, extents_);
  std::uint64_t count = 0;
  for (const block_sort::kind kind : block_sort::kinds) {
    for (const block_sort::place& at : places_for(r, kind)) {
      count += explains_block(predictions[at.tensor], at.block) ? at.count : 0;
    }
  }
  return count;
}

std::optional<std::size_t> output_fit::reading_of(const hypothesis& r) {
  if (!distinct_.cover(r)) return {};
  return distinct_.of(r).same_as;
}

const std::vector<block_sort::place>& output_fit::places_for(const hypothesis& r,
                                                             block_sort::kind kind) {
  if (!distinct_.cover(r)) return sorted_.of(kind);
  return distinct_.of(r).blocks[static_cast<std::size_t>(kind)];
}

}  // namespace golden::probe
