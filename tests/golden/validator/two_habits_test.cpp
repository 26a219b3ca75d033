// SPDX-License-Identifier: Apache-2.0
// tests/golden/validator/two_habits_test.cpp: every two habits of different dimensions at once;
// words of changes that never read the same.
#include <algorithm>
#include <cstdio>

#include "catch.h"
#include "golden/validator/tensor/alternatives.h"
#include "golden/validator/tensor/change_words.h"
#include "validator_case.h"

namespace golden::validator {
namespace {

const mx::variant_entry& preset(const char* name) { return *mx::variant_named(name); }

hypothesis following(const char* name) {
  const mx::variant_entry& v = preset(name);
  hypothesis r = plain(v.about.formats.front());
  r.follow(&v);
  return r;
}

struct habit {
  dimension what;
  void (*apply)(hypothesis&);
};

/// One habit a dimension, of storage and of arithmetic.
constexpr std::array habits_of_rules{
    habit{dimension::scale_rule, [](hypothesis& r) { r.recipe.rules.rule = mx::scale_rule::even; }},
    habit{dimension::element_rounding,
          [](hypothesis& r) { r.recipe.rules.rounding = mx::rounding::toward_zero; }}};
constexpr std::array habits_of_all{
    habit{dimension::nibble_order,
          [](hypothesis& r) { r.recipe.codes.nibbles = mx::nibble_order::high_first; }},
    habit{dimension::scale_layout,
          [](hypothesis& r) { r.recipe.layout = mx::scale_layout::blocked_128x4; }},
    habit{dimension::scale_offset, [](hypothesis& r) { r.shift.by = 1; }},
    habit{dimension::zero_rule, [](hypothesis& r) { r.zeros.sign = zero_sign::positive; }},
    habit{dimension::subnormals,
          [](hypothesis& r) { r.subnormals = subnormal_rule::inputs_to_positive; }},
    habit{dimension::input_precision,
          [](hypothesis& r) {
            r.input = {precision::bfloat16, rounded_for::scale};
          }},
    habit{dimension::dropped_tail, [](hypothesis& r) {
            r.unwritten = {3, 0, stale_bytes::constant, 0, {}};
          }}};

/// Numbers on which each of these habits shows: subnormals, zeros of both signs, amax just below a
/// power of two.
probe_input telling_rows(const mx::block_format& f) {
  probe_input p = rows_of(f, 128);
  const auto columns = static_cast<std::size_t>(f.columns);
  for (std::size_t k = 0; k < p.values.size(); ++k) {
    const std::size_t block = k / columns;
    if (block % 9 == 4) p.values[k] = mx::float_of(mx::bits_of(p.values[k]) & 0x807FFFFF);
    if (block % 9 == 5 && k % 3 == 0) p.values[k] = k % 2 == 0 ? 0.0F : -0.0F;
    if (k == 0) p.values[k] = 340.0F;  // 340 / 2688 is not 340 * (1 / 2688)
    if (block % 9 == 6 && k % columns == 7) p.values[k] = mx::float_of(0x41FFFFFF);
  }
  return p;
}

bool names_both(const explanation& e, dimension a, dimension b) {
  const auto has = [&](dimension what) {
    return std::any_of(e.changes.begin(), e.changes.end(),
                       [&](const change& c) { return c.dimension == name_of(what); });
  };
  return e.changes.size() == 2 && has(a) && has(b);
}

/// Whether two habits that a kernel has at once are the explanation, or one of those that the bytes
/// do not tell apart.
void check_pair(const hypothesis& declared, const habit& a, const habit& b) {
  INFO(name_of(a.what) << " and " << name_of(b.what));
  hypothesis r = declared;
  a.apply(r);
  b.apply(r);
  validator_case kernel({telling_rows(declared.format())});
  kernel.run_kernel(r);
  const diagnosis d = kernel.judge(declared, 2);
  REQUIRE(d.verdict == verdict::explained);
  const bool first = names_both(*d.explanation, a.what, b.what);
  const bool among = std::any_of(d.ambiguous.begin(), d.ambiguous.end(), [&](const rival& other) {
    return names_both(other.what, a.what, b.what);
  });
  CHECK((first || among));
}

TEST_CASE("every two habits at once are found under the rules") {
  std::vector<habit> all(habits_of_rules.begin(), habits_of_rules.end());
  all.insert(all.end(), habits_of_all.begin(), habits_of_all.end());
  for (std::size_t j = 0; j < all.size(); ++j) {
    for (std::size_t k = j + 1; k < all.size(); ++k) {
      check_pair(plain(mx::block_formats::mxfp4), all[j], all[k]);
    }
  }
}

TEST_CASE("every two habits at once are found under a preset, which keeps its name") {
  const habit away{dimension::element_rounding,
                   [](hypothesis& r) { r.element = mx::rounding::toward_zero; }};
  for (const habit& other : habits_of_all) check_pair(following("aiter.even"), away, other);
}

/// Rows in which every fifth number is a tie.
probe_input rows_with_ties(const mx::block_format& f) {
  probe_input p = rows_of(f, 64);
  for (std::size_t k = 0; k < p.values.size(); k += 5) {
    p.values[k] = mx::float_of((mx::bits_of(p.values[k]) & 0xFF800000) | 0x00200000);  // 1.25 * 2^e
  }
  return p;
}

TEST_CASE(
    "two habits that a preset of others has too are named first, and the preset beside them") {
  using enum mx::scale_rule;
  for (const auto& [rule, name] : {std::pair{even, "quark.even"}, std::pair{rceil, "triton.v0.up"},
                                   std::pair{floor6, "triton.v0.down"}}) {
    INFO(name);
    hypothesis r = plain(mx::block_formats::mxfp4);
    r.recipe.rules.rule = rule;
    r.recipe.rules.rounding = mx::rounding::ties_away;
    validator_case kernel({rows_with_ties(r.format())});
    kernel.run_kernel(r);
    const diagnosis d = kernel.judge(plain(mx::block_formats::mxfp4), 2);
    REQUIRE(d.explanation);
    CHECK(d.explanation->kernel == r);
    CHECK(std::ranges::any_of(d.ambiguous, [&](const rival& other) {
      return other.what.changes.front() == change{name_of(dimension::variant), "none", name};
    }));
    // A preset alone is one change.
    CHECK(kernel.judge(plain(mx::block_formats::mxfp4), 1).explanation->kernel.variant() !=
          nullptr);
  }
}

TEST_CASE("a formula of the tensor scale and a habit of blocks are found at once") {
  const habit formula{dimension::tensor_scale,
                      [](hypothesis& r) { r.formula = tensor_formula::reciprocal; }};
  for (const habit& other : {habits_of_rules[1], habits_of_all[0], habits_of_all[1]}) {
    check_pair(plain(mx::block_formats::nvfp4), formula, other);
  }
}

TEST_CASE("the words of a change never read the same on both sides") {
  std::vector<hypothesis> declared;
  for (const mx::block_format& f :
       {mx::block_formats::mxfp4, mx::block_formats::mxfp8_e5m2, mx::block_formats::mxint8,
        mx::block_formats::nvfp4, mx::block_formats::nvfp4_2d}) {
    declared.push_back(plain(f));
  }
  for (const char* name : {"aiter.even", "te.nvfp4", "torchao.nvfp4", "microxcaling.nearest"}) {
    declared.push_back(following(name));
  }
  declared.push_back(drawn_with(mx::block_formats::mxfp4, {.seed = 5}));
  for (const hypothesis& r : declared) {
    const validator_case kernel({rows_of(r.format(), 32)});
    validator_case made = kernel;
    made.run_kernel(r);
    const std::vector<subject> subjects = made.subjects();
    alternative_list list = alternatives_of(r, subjects, {true, 40, {3, 0, 0}});
    append_further_alternatives(r, list);
    extent_memory extents;
    const prediction right(r, subjects.front(), extents);
    for (const alternative& a : list) {
      hypothesis other = r;
      a.apply(other);
      if (other == r || !is_possible(other) || !fits_all(other, subjects)) continue;
      const change c = change_of(a.what, r, other, subjects);
      if (c.expected != c.found) continue;
      INFO(c.dimension << ": " << c.expected);
      CHECK(render(prediction(other, subjects.front(), extents)) == render(right));
    }
  }
}

}  // namespace
}  // namespace golden::validator
