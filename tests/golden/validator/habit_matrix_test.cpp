// SPDX-License-Identifier: Apache-2.0
// tests/golden/validator/habit_matrix_test.cpp: every habit of kernels combined with the declared
// rules, in every format, under several rules and layouts of scales.
#include <cstdio>
#include <functional>
#include <string>

#include "catch.h"
#include "golden/validator/tensor/operation_orders.h"
#include "validator_case.h"

namespace golden::validator {
namespace {

/// A kernel's deviation, and the dimension it belongs to.
struct habit {
  std::string name;
  dimension what;
  std::function<void(hypothesis&)> apply;
};

void append_shares(std::vector<habit>& list) {
  for (const std::uint64_t blocks : {2U, 4U}) {
    const std::string of = std::to_string(blocks) + " blocks";
    list.push_back({"one scale for " + of, dimension::block_size,
                    [blocks](hypothesis& r) { r.share.blocks = blocks; }});
    list.push_back({"scale of the first of " + of, dimension::block_size, [blocks](hypothesis& r) {
                      r.share = {blocks, 1, share_source::first};
                    }});
    list.push_back(
        {"scales written once for " + of, dimension::scale_layout, [blocks](hypothesis& r) {
           r.placement = {scale_motion::spread, static_cast<int>(blocks)};
         }});
  }
  list.push_back({"one scale for a square tile", dimension::block_size, [](hypothesis& r) {
                    r.share.rows = static_cast<std::uint64_t>(r.format().columns);
                  }});
}

void append_unwritten(std::vector<habit>& list) {
  const auto add = [&list](const char* name, unwritten_rows rows) {
    list.push_back({name, dimension::dropped_tail, [rows](hypothesis& r) { r.unwritten = rows; }});
  };
  add("last 3 rows zeros", {3, 0, stale_bytes::constant, 0, 0});
  add("last 3 rows zeros, scales right", {3, 0, stale_bytes::constant, 0, {}});
  add("last rows after tiles of 16 0xCD", {0, 16, stale_bytes::constant, 0xCD, 0xCD});
  add("last rows after tiles of 32 stale", {0, 32, stale_bytes::earlier_tile, 0, {}});
}

void append_specials(std::vector<habit>& list) {
  const auto add = [&list](const char* name, special_rule rule) {
    list.push_back({name, dimension::nan_rule, [rule](hypothesis& r) { r.specials = rule; }});
  };
  using enum special_scale;
  using enum special_codes;
  add("NaN with its sign", {of_finite, of_finite, nan_keeps_sign});
  add("NaN with a sign", {largest, largest, nan_negative});
  add("quiet NaN, Inf kept",
      {of_finite, of_finite, nan_to_largest, nan_code::quiet, infinity_code::kept});
  add("lowest NaN", {nan, nan, nan_to_largest, nan_code::lowest, infinity_code::saturated});
  add("scale NaN with a sign", {negative_nan, negative_nan, zeros});
}

std::vector<habit> habits() {
  std::vector<habit> list;
  append_shares(list);
  append_unwritten(list);
  append_specials(list);
  for (const std::uint64_t seed : {5U, 0xFFFFFFFFU}) {
    list.push_back({"stochastic, seed " + std::to_string(seed), dimension::element_rounding,
                    [seed](hypothesis& r) {
                      r.recipe.rules.rounding = mx::rounding::stochastic;
                      r.recipe.rules.random.seed = seed;
                    }});
  }
  const std::vector<named_order>& orders = operation_orders(mx::block_formats::nvfp4);
  for (std::size_t k = 0; k < orders.size() / 2; ++k) {
    list.push_back({std::string(orders[k].formula.substr(0, 36)), dimension::operation_order,
                    [a = &orders[k].arithmetic](hypothesis& r) { r.arithmetic = a; }});
  }
  return list;
}

/// Whether the habit applies to a format.
bool has_occasion(const habit& h, const hypothesis& r) {
  const mx::block_format& f = r.format();
  if (!is_possible(r)) return false;
  if (h.what != dimension::nan_rule) return true;
  const bool several =
      r.specials.nan != nan_code::all_bits || r.specials.infinity != infinity_code::saturated;
  if (several) return f.element.specials == mx::specials::ieee;
  return r.specials.with_nan != special_scale::negative_nan || f.scale == mx::formats::ue4m3;
}

std::vector<hypothesis> declarations() {
  std::vector<hypothesis> list;
  for (const mx::block_format& f :
       {mx::block_formats::mxfp4, mx::block_formats::mxfp6_e3m2, mx::block_formats::mxfp8_e4m3,
        mx::block_formats::mxfp8_e5m2, mx::block_formats::mxint8, mx::block_formats::nvfp4}) {
    for (const mx::scale_layout layout :
         {mx::scale_layout::linear, mx::scale_layout::blocked_128x4}) {
      hypothesis r = plain(f);
      r.recipe.layout = layout;
      list.push_back(r);
      if (f.scale != mx::formats::e8m0) continue;
      for (const mx::scale_rule rule : {mx::scale_rule::rceil, mx::scale_rule::even}) {
        r.recipe.rules.rule = rule;
        list.push_back(r);
      }
    }
  }
  return list;
}

///   '.' named   'a' among equals   '=' the same bytes   ' ' not applicable
///   'X' another dimension first   '!' unexplained
char judged(const habit& h, const hypothesis& declared) {
  hypothesis r = declared;
  h.apply(r);
  if (!has_occasion(h, r)) return ' ';
  validator_case kernel({with_specials(declared.format(), 37)});
  kernel.run_kernel(declared);
  const std::deque<rendered> right = kernel.outputs();
  kernel.run_kernel(r);
  if (kernel.outputs() == right) return '=';
  const diagnosis d = kernel.judge(declared);
  if (!d.explanation) return '!';
  const std::vector<change>& changes = d.explanation->changes;
  if (changes.size() != 1 || changes.front().dimension != name_of(h.what)) return 'X';
  return d.ambiguous.empty() ? '.' : 'a';
}

TEST_CASE("every habit is found in its dimension, whatever was declared") {
  const std::vector<hypothesis> declared = declarations();
  int cells = 0, right = 0, wrong = 0;
  for (const habit& h : habits()) {
    std::string row;
    for (const hypothesis& r : declared) row += judged(h, r);
    std::printf("%-38s %s\n", h.name.c_str(), row.c_str());
    for (const char cell : row) {
      cells += cell == ' ' || cell == '=' ? 0 : 1;
      right += cell == '.' || cell == 'a' ? 1 : 0;
      wrong += cell == 'X' ? 1 : 0;
    }
    CHECK(row.find_first_of(".a") != std::string::npos);
  }
  std::printf("%d habits seen, %d in their dimension, %d in another\n", cells, right, wrong);
  CHECK(wrong == 0);
  CHECK(right * 100 >= cells * 98);
}

}  // namespace
}  // namespace golden::validator
