// SPDX-License-Identifier: Apache-2.0
// golden/probe/output_fit.cpp: checks a recipe on distinct blocks, and the few that pass on a
// sample of many distinct ones on every byte.
#include "golden/probe/output_fit.h"

#include <algorithm>
#include <atomic>
#include <deque>

#include "mx/tensor/parallel.h"

namespace golden::probe {

using validator::hypothesis;
using validator::prediction;
using validator::subject;

namespace {

/// Elements that is_explained(r) compares beyond samples: about ten seconds on two cores.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 27;

/// Whether blocks from first to last are as predicted.
bool holds_within(const prediction& p, std::uint64_t first, std::uint64_t last) {
  std::atomic<bool> holds{true};
  mx::in_parallel({first, last}, 1, [&](mx::index_range part) {
    for (std::uint64_t b = part.first; b < part.last && holds; ++b) {
      if (!explains_block(p, b)) holds = false;
    }
  });
  return holds;
}

}  // namespace

output_fit::output_fit(const hypothesis& plain, std::span<const subject> subjects,
                       std::span<const block_sort::place> without)
    : subjects_(subjects),
      sorted_(plain, subjects, without),
      distinct_(plain, subjects, sorted_),
      is_part_(!without.empty()),
      elements_left_(most_elements) {}

bool output_fit::has_sizes(const hypothesis& r) const {
  return is_possible(r) && fits_all(r, subjects_);
}

bool output_fit::agrees_on_tensor_scales(const hypothesis& r) {
  return std::all_of(subjects_.begin(), subjects_.end(), [&](const subject& s) {
    return prediction(r, s, extents_).agrees_on_tensor_scales();
  });
}

bool output_fit::is_explained(const hypothesis& r) {
  const auto explains_kinds = [&] {
    return std::all_of(block_sort::kinds.begin(), block_sort::kinds.end(),
                       [&](block_sort::kind k) { return is_explained(r, k); });
  };
  if (!distinct_.cover(r)) return is_explained_everywhere(r);
  const storage_reading& reading = distinct_.of(r);
  // If most blocks are distinct, checking all of them in order is faster.
  const bool few = !reading.is_sampled() && reading.distinct <= blocks() / 4 + 64;
  if (few || is_part_) {
    return agrees_on_tensor_scales(r) && explains_kinds() &&
           (!reading.is_sampled() || unexplained(r).empty());
  }
  return (!reading.is_sampled() || explains_kinds()) && is_explained_everywhere(r);
}

bool output_fit::is_explained_everywhere(const hypothesis& r) {
  if (is_part_) return distinct_.cut_alike(r) && unexplained(r).empty();
  for (const subject& s : subjects_) {
    const prediction p(r, s, extents_);
    // Most recipes differ in the first blocks, and most others in the first eighth.
    const std::uint64_t blocks = p.where().blocks(), few = std::min<std::uint64_t>(64, blocks);
    const std::uint64_t eighth = s.elements() / 8;
    if (!holds_within(p, 0, few)) return false;
    if (!affords(eighth) || !holds_within(p, few, blocks / 8)) return false;
    if (!affords(s.elements() - eighth) || !explains_all(p)) return false;
  }
  return true;
}

bool output_fit::affords(std::uint64_t elements) {
  exhausted_ = exhausted_ || elements_left_ < elements;
  if (elements_left_ < elements) return false;
  elements_left_ -= elements;
  return true;
}

bool output_fit::is_explained(const hypothesis& r, block_sort::kind kind) {
  std::optional<prediction> p;
  std::size_t tensor = subjects_.size();
  const auto holds_at = [&](const block_sort::place& at) {
    if (at.tensor != tensor) {
      p.emplace(r, subjects_[tensor = at.tensor], extents_);
      if (!p->agrees_on_tensor_scales()) return false;
    }
    return explains_block(*p, at.block);
  };
  if (!distinct_.cover(r)) {
    return std::all_of(sorted_.of(kind).begin(), sorted_.of(kind).end(), holds_at);
  }
  const auto& said = distinct_.of(r).blocks[static_cast<std::size_t>(kind)];
  return std::all_of(said.begin(), said.end(),
                     [&](const counted_statement& s) { return holds_at(s.at); });
}

std::vector<block_sort::place> output_fit::unexplained(const hypothesis& r) {
  std::vector<block_sort::place> all;
  for (const block_sort::kind kind : block_sort::kinds) {
    all.insert(all.end(), sorted_.of(kind).begin(), sorted_.of(kind).end());
  }
  std::deque<prediction> predictions;
  for (const subject& s : subjects_) predictions.emplace_back(r, s, extents_);
  std::vector<char> wrong(all.size(), 0);
  mx::for_each_in_parallel(all.size(), [&](std::size_t k) {
    wrong[k] = explains_block(predictions[all[k].tensor], all[k].block) ? 0 : 1;
  });
  std::vector<block_sort::place> list;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (wrong[k] != 0) list.push_back(all[k]);
  }
  return list;
}

std::optional<std::size_t> output_fit::reading_of(const hypothesis& r) {
  if (!distinct_.cover(r)) return {};
  return distinct_.of(r).same_as;
}

}  // namespace golden::probe
