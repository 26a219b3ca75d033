// SPDX-License-Identifier: Apache-2.0
// golden/probe/distinct_blocks.cpp: numbers blocks by their contents, and keeps the first of each.
#include "golden/probe/distinct_blocks.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <unordered_map>

#include "golden/validator/tensor/code_walk.h"

namespace golden::probe {
namespace {

using validator::geometry;
using validator::hypothesis;
using validator::prediction;
using validator::subject;

constexpr std::uint32_t no_source = std::numeric_limits<std::uint32_t>::max();
/// Storages with more statements than this are not compared with others: too few recipes fit them.
constexpr std::size_t most_compared = 4096;

/// Numbers texts from 0 in order of first appearance.
class text_numbers {
 public:
  std::uint32_t of(const std::string& text) {
    return known_.emplace(text, static_cast<std::uint32_t>(known_.size())).first->second;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> known_;
};

struct statement_hash {
  std::size_t operator()(const std::array<std::uint32_t, 4>& s) const {
    std::uint64_t h = 0;
    for (const std::uint32_t part : s) h = (h ^ part) * 0x9E3779B97F4A7C15U + (h >> 29);
    return static_cast<std::size_t>(h);
  }
};

/// The numbers of a block with its tensor's index, since the tensor's amax counts too.
std::string input_text(const prediction& p, std::size_t tensor, std::uint64_t block) {
  validator::predicted_block made;
  p.make(block, made);
  std::string text = std::to_string(tensor) + ":";
  text.append(reinterpret_cast<const char*>(made.given.data()), made.given.size() * sizeof(float));
  return text;
}

/// The stored codes of a block.
std::string code_text(const geometry& g, const subject& s, std::uint64_t block) {
  std::string text;
  const validator::block_place at = g.place(block);
  validator::for_codes(g, at, [&](std::uint64_t, std::uint64_t row, std::uint64_t position) {
    text.push_back(static_cast<char>(validator::code_in(s.codes, g, g.code_at(at, row, position))));
  });
  return text;
}

}  // namespace

std::size_t storage_reading::count() const {
  return blocks[0].size() + blocks[1].size() + blocks[2].size();
}

distinct_blocks::distinct_blocks(const hypothesis& plain, std::span<const subject> subjects,
                                 const block_sort& sorted)
    : plain_(plain), subjects_(subjects), sorted_(sorted) {
  text_numbers known;
  validator::extent_memory extents;
  for (std::size_t t = 0; t < subjects.size(); ++t) {
    first_.push_back(inputs_.size());
    if (!geometry::of(plain_, subjects[t])) {
      cut_ = false;
      continue;
    }
    const prediction p(plain_, subjects[t], extents);
    for (std::uint64_t b = 0; b < p.where().blocks(); ++b) {
      inputs_.push_back(known.of(input_text(p, t, b)));
    }
  }
}

bool distinct_blocks::cover(const hypothesis& r) const {
  const mx::block_format &f = r.format(), &own = plain_.format();
  const bool same_cut = f.element == own.element && f.scale == own.scale && f.rows == own.rows &&
                        f.columns == own.columns && r.axis == 0 &&
                        r.order == validator::stored_order::as_input;
  const bool by_itself =
      r.share == validator::scale_share{} && r.tail == validator::dropped_tail{} &&
      r.unwritten == validator::unwritten_rows{} && f.tensor != mx::tensor_scaling::per_row &&
      r.recipe.rules.rounding != mx::rounding::stochastic;
  return cut_ && same_cut && by_itself;
}

const storage_reading& distinct_blocks::of(const hypothesis& r) {
  const storage key{r.recipe.codes.packing, r.recipe.codes.nibbles, r.recipe.layout,
                    r.placement.motion,     r.placement.by,         r.placement.end};
  const std::lock_guard lock(reading_);
  const auto known = readings_.find(key);
  return known != readings_.end() ? known->second : readings_.emplace(key, read(r)).first->second;
}

const distinct_blocks::numbers& distinct_blocks::codes_under(const hypothesis& r) {
  numbers& codes = codes_[{r.recipe.codes.packing, r.recipe.codes.nibbles}];
  if (!codes.empty()) return codes;
  text_numbers known;
  for (const subject& s : subjects_) {
    const geometry g = *geometry::of(r, s);
    for (std::uint64_t b = 0; b < g.blocks(); ++b) codes.push_back(known.of(code_text(g, s, b)));
  }
  return codes;
}

storage_reading distinct_blocks::read(const hypothesis& r) {
  storage_reading reading;
  const numbers& codes = codes_under(r);
  std::vector<statement> statements;
  for (const block_sort::kind kind : block_sort::kinds) {
    std::vector<block_sort::place>& kept = reading.blocks[static_cast<std::size_t>(kind)];
    std::unordered_map<statement, std::size_t, statement_hash> known;
    std::optional<geometry> g;
    std::size_t tensor = subjects_.size();
    for (const block_sort::place& at : sorted_.of(kind)) {
      if (at.tensor != tensor) g = geometry::of(r, subjects_[tensor = at.tensor]);
      const std::uint64_t first = first_[tensor];
      const std::optional<std::uint64_t> source = g->scale_source(at.block);
      const statement says{
          inputs_[first + at.block], codes[first + at.block],
          source ? inputs_[first + *source] : no_source,
          validator::scale_in(subjects_[tensor].scales, *g, g->scale_at(at.block))};
      const auto [found, is_new] = known.emplace(says, kept.size());
      if (is_new) kept.push_back({at.tensor, at.block, 0});
      ++kept[found->second].count;
      if (is_new && statements.size() <= most_compared) statements.push_back(says);
    }
  }
  reading.same_as = first_that_says(std::move(statements));
  return reading;
}

std::size_t distinct_blocks::first_that_says(std::vector<statement> statements) {
  const std::size_t number = readings_.size();
  if (statements.size() > most_compared) return number;
  std::sort(statements.begin(), statements.end());
  return said_.emplace(std::move(statements), number).first->second;
}

}  // namespace golden::probe
