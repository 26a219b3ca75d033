// SPDX-License-Identifier: Apache-2.0
// tests/golden/validator/diagnose_test.cpp: kernels with one or two known differences are explained
// by these or reported as ambiguous; a wrong byte is not explained.
#include <algorithm>
#include <cstdio>

#include "catch.h"
#include "golden/validator/tensor/alternatives.h"
#include "golden/validator/tensor/dimension_words.h"
#include "validator_case.h"

namespace golden::validator {
namespace {

bool names(const explanation& h, dimension what) {
  return h.changes.size() == 1 && h.changes.front().dimension == name_of(what);
}

/// Whether a dimension is the explanation's, or that of one indistinguishable from it.
bool is_offered(const diagnosis& d, dimension what) {
  if (d.explanation && names(*d.explanation, what)) return true;
  return std::any_of(d.ambiguous.begin(), d.ambiguous.end(),
                     [&](const rival& r) { return names(r.what, what); });
}

/// Inputs of every kind; no tensor contains values that would mask the others.
validator_case kernel_of(const mx::block_format& f) { return validator_case(probe_candidates(f)); }

TEST_CASE("every single change of a plain recipe is explained, in its own dimension") {
  for (const mx::block_format& f :
       {mx::block_formats::mxfp4, mx::block_formats::mxfp6_e3m2, mx::block_formats::mxfp8_e4m3,
        mx::block_formats::mxfp8_e5m2, mx::block_formats::mxint8, mx::block_formats::nvfp4}) {
    const hypothesis declared = plain(f);
    validator_case kernel = kernel_of(f);
    kernel.run_kernel(declared);
    const std::vector<subject> subjects = kernel.subjects();
    int seen = 0, first = 0;
    for (const alternative& a : alternatives_of(declared, subjects, {true, 64, {}})) {
      hypothesis r = declared;
      a.apply(r);
      const bool another_seed = a.with == company::alone && r.recipe.rules.random.seed > 2;
      if (r == declared || another_seed || !is_possible(r) || !geometry::of(r, subjects.front())) {
        continue;
      }
      const std::deque<rendered> golden = kernel.outputs();
      kernel.run_kernel(r);
      if (kernel.outputs() != golden) {
        const diagnosis d = kernel.judge(declared);
        INFO(name_of(a.what) << ": " << word_of(r, a.what));
        CHECK(d.verdict == verdict::explained);
        CHECK(is_offered(d, a.what));
        ++seen;
        first += d.explanation && names(*d.explanation, a.what) ? 1 : 0;
      }
      kernel.run_kernel(declared);
    }
    std::printf("%d of %d changes are the explanation, the others ambiguous with it\n", first,
                seen);
    CHECK(seen > 60);
    CHECK(first * 100 >= seen * 90);
  }
}

TEST_CASE("two changes at once are found where no single one explains") {
  const mx::block_format f = mx::block_formats::mxfp4;
  validator_case kernel = kernel_of(f);
  hypothesis r = plain(f);
  r.recipe.rules.rule = mx::scale_rule::rceil;
  r.recipe.codes.nibbles = mx::nibble_order::high_first;
  kernel.run_kernel(r);
  const diagnosis d = kernel.judge(plain(f), 2);
  REQUIRE(d.verdict == verdict::explained);
  REQUIRE(d.explanation->changes.size() == 2);
  CHECK(d.explanation->changes[0] ==
        change{name_of(dimension::nibble_order), "low-first", "high-first"});
  CHECK(d.explanation->changes[1] == change{name_of(dimension::scale_rule), "floor", "rceil"});
  CHECK(kernel.judge(plain(f), 1).verdict == verdict::unexplained);
}

TEST_CASE("a wrong byte that no rule gives stays unexplained") {
  const mx::block_format f = mx::block_formats::mxfp4;
  validator_case kernel = kernel_of(f);
  kernel.run_kernel(plain(f));
  kernel.output(0).codes[100] ^= 0x30;
  const diagnosis d = kernel.judge(plain(f), 2);
  CHECK(d.verdict == verdict::unexplained);
  CHECK_FALSE(d.explanation);
  REQUIRE(d.tensors[0].found.first);
  CHECK(d.tensors[0].found.first->element == 201);
}

TEST_CASE("a wrong byte beside a real difference leaves both unexplained") {
  const mx::block_format f = mx::block_formats::mxfp4;
  validator_case kernel = kernel_of(f);
  hypothesis r = plain(f);
  r.recipe.rules.rule = mx::scale_rule::ceil;
  kernel.run_kernel(r);
  kernel.output(0).codes[1000] ^= 0x30;
  CHECK(kernel.judge(plain(f), 2).verdict == verdict::unexplained);
}

TEST_CASE("a wrong byte far from every block that is looked at first leaves all unexplained") {
  const mx::block_format f = mx::block_formats::mxfp4;
  probe_input many{"many", {64, 64 * 32}, {}};
  const probe_input few = probe_candidates(f).front();
  for (int copy = 0; copy < 64; ++copy) {
    many.values.insert(many.values.end(), few.values.begin(), few.values.end());
  }
  validator_case kernel({std::move(many)});
  hypothesis r = plain(f);
  r.recipe.rules.rule = mx::scale_rule::ceil;
  kernel.run_kernel(r);
  CHECK(kernel.judge(plain(f), 1).verdict == verdict::explained);
  for (std::size_t block = 1000; block < 1016; ++block) {
    kernel.output(0).codes[16 * block + 3] ^= 0x30;
    CHECK(kernel.judge(plain(f), 1).verdict == verdict::unexplained);
    kernel.output(0).codes[16 * block + 3] ^= 0x30;
  }
}

TEST_CASE("a tail shorter than a block leaves it its scale, and has no rival that takes it") {
  validator_case kernel({rows_of(mx::block_formats::mxfp4, 16)});
  for (const std::uint64_t count : {1U, 31U, 32U, 33U}) {
    hypothesis r = plain(mx::block_formats::mxfp4);
    r.tail = {count, false};
    kernel.run_kernel(r);
    const diagnosis d = kernel.judge(plain(mx::block_formats::mxfp4));
    REQUIRE(d.explanation);
    CHECK(d.explanation->kernel == r);
    CHECK(d.ambiguous.empty());
    if (count < 32) continue;
    r.tail.zero_scales = true;
    kernel.run_kernel(r);
    CHECK(kernel.judge(plain(mx::block_formats::mxfp4)).explanation->kernel == r);
  }
}

TEST_CASE("what ordinary numbers cannot tell apart is ambiguous, with a probe that can") {
  const mx::block_format f = mx::block_formats::mxfp4;
  validator_case kernel({probe_candidates(f).front()});
  hypothesis r = plain(f);
  r.recipe.rules.rule = mx::scale_rule::ceil;
  kernel.run_kernel(r);
  const diagnosis d = kernel.judge(plain(f));
  REQUIRE(d.explanation);
  CHECK(names(*d.explanation, dimension::scale_rule));
  REQUIRE_FALSE(d.ambiguous.empty());
  for (const rival& other : d.ambiguous) {
    if (!other.probe) continue;
    validator_case told({other.probe->input});
    told.run_kernel(other.what.kernel);
    const std::vector<subject> subjects = told.subjects();
    CHECK(diagnose(d.explanation->kernel, subjects, {0}).verdict == verdict::unexplained);
  }
}

TEST_CASE("one explanation must hold for every tensor of a file, or names those it holds for") {
  const mx::block_format f = mx::block_formats::mxfp4;
  const probe_input ordinary = probe_candidates(f).front();
  validator_case mixed({ordinary, ordinary});
  hypothesis r = plain(f);
  r.recipe.rules.rule = mx::scale_rule::ceil;
  mixed.run_kernel(r);
  CHECK(mixed.judge(plain(f), 1).verdict == verdict::explained);
  const rendered by_ceil = mixed.output(0);
  mixed.run_kernel(plain(f));
  mixed.output(0) = by_ceil;
  const diagnosis d = mixed.judge(plain(f), 2);
  REQUIRE(d.explanation);
  CHECK(d.explanation->where == "all of " + ordinary.what);
  CHECK(diagnose(plain(f), mixed.subjects(), {2, search_reach::whole}).verdict ==
        verdict::unexplained);
}

TEST_CASE("no search meets quest for a scale that more numbers share than its sums are exact for") {
  hypothesis r = plain(mx::block_formats::mxfp4);
  r.recipe.rules.rule = mx::scale_rule::quest;
  r.share.blocks = 8;
  CHECK(is_possible(r));
  r.share.blocks = 9;
  CHECK_FALSE(is_possible(r));
  r.share = {4, 2};
  CHECK(is_possible(r));
  r.share = {5, 2};
  CHECK_FALSE(is_possible(r));
  r.share = {9, 1, share_source::first};
  CHECK(is_possible(r));
  r.share = {9};
  r.recipe.rules.rule = mx::scale_rule::floor;
  CHECK(is_possible(r));
}

TEST_CASE("tiles under a scale for each row are no recipe, so that no search meets them") {
  hypothesis r = plain(mx::block_formats::nvfp4_2d);
  CHECK(is_possible(r));
  r.recipe.rules.format.tensor = mx::tensor_scaling::per_row;
  CHECK_FALSE(is_possible(r));
  validator_case kernel({probe_candidates(mx::block_formats::nvfp4).front()});
  kernel.run_kernel(plain(mx::block_formats::nvfp4));
  kernel.output(0).codes.front() ^= 0x07;
  kernel.output(0).scales.back() ^= 0x11;
  CHECK(kernel.judge(plain(mx::block_formats::nvfp4), 2).verdict == verdict::unexplained);
}

TEST_CASE("blocks along another axis have tensor scales of their own rows") {
  hypothesis declared = plain(mx::block_formats::nvfp4);
  declared.recipe.rules.format.tensor = mx::tensor_scaling::per_row;
  declared.axis = 1;
  hypothesis other = declared;
  other.axis = 0;
  // As many rows as columns: only the tensor scales tell what they are of.
  std::vector<float> values;
  for (int i = 0; i < 32 * 32; ++i) {
    values.push_back(std::ldexp(1.0F + static_cast<float>(i * 37 % 101) / 128, i / 32 % 7));
  }
  validator_case kernel({{"square", {32, 32}, values}});
  kernel.run_kernel(other);
  const diagnosis d = kernel.judge(declared);
  CHECK(d.verdict == verdict::explained);
  CHECK(is_offered(d, dimension::block_axis));
}

TEST_CASE("tensors with a cause each are explained one by one, unless one of them has none") {
  const hypothesis declared = plain(mx::block_formats::mxfp4);
  const std::vector<float> values = rows_of(declared.format(), 32).values;
  validator_case kernel(
      {{"a", {32, 64}, values}, {"b", {64, 32}, values}, {"c", {16, 128}, values}});
  kernel.run_kernel(declared);
  const rendered right = kernel.output(1);
  const auto as = [&](const hypothesis& r, std::size_t tensor) {
    validator_case other = kernel;
    other.run_kernel(r);
    kernel.output(tensor) = other.output(tensor);
  };
  hypothesis cut = declared, lifted = declared;
  cut.recipe.rules.rounding = mx::rounding::toward_zero;
  lifted.recipe.rules.rule = mx::scale_rule::rceil;
  as(cut, 0);
  as(lifted, 2);
  const diagnosis d = kernel.judge(declared, 2);
  REQUIRE(d.explanation);
  CHECK(d.explanation->changes ==
        std::vector<change>{
            {name_of(dimension::element_rounding), "nearest-even", "toward-zero in all of a"},
            {name_of(dimension::scale_rule), "floor", "rceil in all of c"}});
  CHECK(d.explanation->where == "all of a and all of c");
  CHECK(d.ambiguous.empty());
  kernel.output(1).codes.front() ^= 1;
  CHECK(kernel.judge(declared, 2).verdict == verdict::unexplained);
  kernel.output(1) = right;
  CHECK(kernel.judge(declared, 0).verdict == verdict::unexplained);
}

TEST_CASE("several tensors differ in NaN alone if all do, and in codes if one does") {
  diagnosis d;
  const auto add = [&](std::uint64_t codes, nan_alone how) {
    tensor_result& r = d.tensors.emplace_back();
    r.found.codes = codes;
    r.found.nan = how;
  };
  add(1, nan_alone::signs);
  add(0, nan_alone::no);
  CHECK(d.nan() == nan_alone::signs);
  add(1, nan_alone::codes);
  add(1, nan_alone::signs);
  CHECK(d.nan() == nan_alone::codes);
  add(1, nan_alone::no);
  CHECK(d.nan() == nan_alone::no);
}

}  // namespace
}  // namespace golden::validator
