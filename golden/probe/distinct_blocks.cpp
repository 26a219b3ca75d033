// SPDX-License-Identifier: Apache-2.0
// golden/probe/distinct_blocks.cpp: numbers blocks by their contents, and keeps the first of each.
#include "golden/probe/distinct_blocks.h"

#include <algorithm>
#include <optional>
#include <string>

#include "golden/validator/tensor/code_walk.h"

namespace golden::probe {
namespace {

using validator::geometry;
using validator::hypothesis;
using validator::prediction;
using validator::subject;

/// Storages with more statements than this are not compared with others: too few recipes fit them.
constexpr std::size_t most_compared = 4096;

struct statement_hash {
  std::size_t operator()(const block_statement& s) const {
    std::uint64_t h = 0;
    for (const std::uint32_t part : {s.input, s.codes, s.source, s.scale}) {
      h = (h ^ part) * 0x9E3779B97F4A7C15U + (h >> 29);
    }
    return static_cast<std::size_t>(h);
  }
};

/// Numbers texts from 0 in order of first appearance.
std::uint32_t number_in(std::unordered_map<std::string, std::uint32_t>& known,
                        const std::string& text) {
  return known.emplace(text, static_cast<std::uint32_t>(known.size())).first->second;
}

/// At most so many members, evenly spread.
template <class Member>
std::vector<Member> spread(const std::vector<Member>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<Member> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(all[k * all.size() / most]);
  return some;
}

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
    text.push_back(static_cast<char>(validator::code_in(s.codes, g.code_at(at, row, position))));
  });
  return text;
}

}  // namespace

bool storage_reading::is_sampled() const {
  return blocks[0].size() + blocks[1].size() + blocks[2].size() < distinct;
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
      inputs_.push_back(number_in(known, input_text(p, t, b)));
      if (inputs_.back() == firsts_.size()) firsts_.push_back({t, b});
    }
  }
}

bool distinct_blocks::cut_alike(const hypothesis& r) const {
  const mx::block_format &f = r.format(), &own = plain_.format();
  return cut_ && f.element == own.element && f.scale == own.scale && f.rows == own.rows &&
         f.columns == own.columns && r.axis == 0 && r.order == validator::stored_order::as_input;
}

bool distinct_blocks::cover(const hypothesis& r) const {
  // Habits of single blocks; any other one makes a block depend on its place.
  validator::habits others = r;
  others.arithmetic = nullptr;
  others.input = {}, others.specials = {}, others.zeros = {}, others.shift = {};
  others.subnormals = validator::subnormal_rule::kept;
  others.overflow = validator::overflow_code::saturated;
  others.above = validator::tensor_source::computed;
  others.formula = validator::tensor_formula::own;
  others.placement = {};
  return cut_alike(r) && others == validator::habits{} &&
         r.format().tensor != mx::tensor_scaling::per_row &&
         r.recipe.rules.rounding != mx::rounding::stochastic;
}

distinct_blocks::stored_codes distinct_blocks::codes_of(const hypothesis& r) {
  const mx::code_order& order = r.recipe.codes;
  return {order.packing, order.nibbles, order.sixes};
}

const storage_reading& distinct_blocks::of(const hypothesis& r) {
  const storage key{codes_of(r), r.recipe.layout, r.placement.motion, r.placement.by,
                    r.placement.end};
  const std::lock_guard lock(reading_);
  const auto known = readings_.find(key);
  return known != readings_.end() ? known->second : readings_.emplace(key, read(r)).first->second;
}

const distinct_blocks::numbers& distinct_blocks::codes_under(const hypothesis& r) {
  numbers& codes = codes_[codes_of(r)];
  if (!codes.empty()) return codes;
  for (const subject& s : subjects_) {
    const geometry g = *geometry::of(r, s);
    for (std::uint64_t b = 0; b < g.blocks(); ++b) {
      codes.push_back(number_in(code_numbers_, code_text(g, s, b)));
    }
  }
  return codes;
}

std::uint32_t distinct_blocks::number_of(const std::vector<std::uint8_t>& codes) const {
  const auto known = code_numbers_.find(std::string(codes.begin(), codes.end()));
  return known == code_numbers_.end() ? none_found : known->second;
}

block_statement distinct_blocks::said_at(const geometry& g, const block_sort::place& at,
                                         const numbers& codes) const {
  const std::uint64_t first = first_[at.tensor];
  const std::optional<std::uint64_t> source = g.scale_source(at.block);
  return {inputs_[first + at.block], codes[first + at.block],
          source ? inputs_[first + *source] : block_statement::no_source,
          validator::scale_in(subjects_[at.tensor].scales, g, g.scale_at(at.block))};
}

/// The statements on some blocks, each once.
std::vector<counted_statement> distinct_blocks::stated(const hypothesis& r,
                                                       const std::vector<block_sort::place>& list,
                                                       const numbers& codes) const {
  std::vector<counted_statement> kept;
  std::unordered_map<block_statement, std::size_t, statement_hash> known;
  std::optional<geometry> g;
  std::size_t tensor = subjects_.size();
  for (const block_sort::place& at : list) {
    if (at.tensor != tensor) g = geometry::of(r, subjects_[tensor = at.tensor]);
    const block_statement says = said_at(*g, at, codes);
    const auto [found, is_new] = known.emplace(says, kept.size());
    if (is_new) kept.push_back({says, {at.tensor, at.block, 0}});
    ++kept[found->second].at.count;
  }
  return kept;
}

storage_reading distinct_blocks::read(const hypothesis& r) {
  storage_reading reading;
  const numbers& codes = codes_under(r);
  // Of many different blocks few are equal: a sample of them is not worth counting.
  const bool many = inputs() > storage_reading::most_kept;
  std::vector<block_statement> statements;
  for (const block_sort::kind kind : block_sort::kinds) {
    const auto k = static_cast<std::size_t>(kind);
    const std::vector<block_sort::place>& all = sorted_.of(kind);
    const std::vector<counted_statement> said =
        stated(r, many ? spread(all, storage_reading::most_kept) : all, codes);
    reading.distinct += many ? all.size() : said.size();
    reading.blocks[k] = spread(said, storage_reading::most_kept);
    reading.ranked[k] =
        spread(said, many ? storage_reading::most_ranked : storage_reading::most_kept);
    for (const counted_statement& s : reading.blocks[k]) statements.push_back(s.says);
  }
  reading.same_as = first_that_says(std::move(statements), reading);
  return reading;
}

std::size_t distinct_blocks::first_that_says(std::vector<block_statement> statements,
                                             const storage_reading& reading) {
  const std::size_t number = readings_.size();
  if (reading.distinct > most_compared) return number;
  std::sort(statements.begin(), statements.end());
  return said_.emplace(std::move(statements), number).first->second;
}

}  // namespace golden::probe
