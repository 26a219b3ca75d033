// SPDX-License-Identifier: Apache-2.0
// tests/dpi/dot_coverage_test.cpp: the bins of a dot product, listed by hand, and those that the
// words of tests/cross reach for MXFP4 under blackwell.mxf4.
#include "rtl_models/dpi/dot_coverage.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "catch.h"
#include "dot_words.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"

namespace {

using hardware::dot_coverage;
using names = std::set<std::string>;

mx::dot_model mxf4() { return mx::model_named("blackwell.mxf4")->model; }

/// 64 products of E2M1 codes under E8M0 scales, all of them 0 * 1 at first.
struct word {
  std::vector<std::uint32_t> a = std::vector<std::uint32_t>(64, 0);
  std::vector<std::uint32_t> b = std::vector<std::uint32_t>(64, 2);  // 1
  std::vector<std::uint32_t> scale_a{127, 127}, scale_b{127, 127};
  std::uint32_t c = 0;

  /// The code of A at k, which is the product.
  word& with(int k, std::uint32_t code) {
    a[static_cast<std::size_t>(k)] = code;
    return *this;
  }
  /// The scale of a block of A.
  word& scaled(std::size_t block, std::uint32_t code) {
    scale_a[block] = code;
    return *this;
  }
  word& plus(float number) { return plus_code(mx::bits_of(number)); }
  word& plus_code(std::uint32_t code) {
    c = code;
    return *this;
  }
  [[nodiscard]] hardware::dot_sample sample() const { return {a, b, scale_a, scale_b, c}; }
};

constexpr std::uint32_t one = 2, two = 4, three = 5, four = 6, minus = 8;

names hits(const dot_coverage& coverage) {
  names found;
  for (const auto& bin : coverage.bins().all()) {
    if (bin.count > 0) found.insert(bin.name);
  }
  return found;
}

/// Bins of a point that a word hits.
names hits(const std::string& point, const word& w, const mx::dot_model& model = mxf4()) {
  dot_coverage coverage(model);
  coverage.sample(w.sample());
  names found = hits(coverage);
  std::erase_if(found, [&](const std::string& name) { return !name.starts_with(point + "."); });
  return found;
}

TEST_CASE("a_word_is_counted_once_at_every_point") {
  dot_coverage coverage(mxf4());
  CHECK(coverage.sample(word().with(0, one).sample()) == mx::bits_of(1.0F));
  CHECK(hits(coverage) == names{"a.zero.positive.scale_127", "a.normal.positive.scale_127",
                                "b.normal.positive.scale_127", "c.zero.positive",
                                "align.group.0.kept", "largest.group_0", "cancel.none",
                                "carry.none", "round.exact", "result.normal.positive"});
  CHECK(coverage.bins().count_of("a.zero.positive.scale_127") == 63);
  CHECK(coverage.bins().count_of("b.normal.positive.scale_127") == 64);
  CHECK(coverage.bins().count_of("largest.group_0") == 1);
}

TEST_CASE("operands_are_counted_by_class_sign_and_scale") {
  word w = word().with(0, 1).with(1, 9).with(2, 7).with(3, 15).with(40, 8).scaled(0, 0);
  w.scaled(1, 254);
  CHECK(hits("a", w) == names{"a.zero.positive.scale_0", "a.subnormal.positive.scale_0",
                              "a.subnormal.negative.scale_0", "a.max.positive.scale_0",
                              "a.max.negative.scale_0", "a.zero.positive.scale_254",
                              "a.zero.negative.scale_254"});
  CHECK(hits("b", w) == names{"b.normal.positive.scale_127"});
  w.scaled(0, 2).scaled(1, 128);
  CHECK(hits("a", w).contains("a.max.negative.scale_other"));
  CHECK(hits("a", w).contains("a.zero.negative.scale_128"));
  CHECK(hits("c", word().plus(0x1p-149F)) == names{"c.subnormal.positive"});
  CHECK(hits("c", word().plus_code(0xFF7FFFFF)) == names{"c.max.negative"});
  CHECK(hits("c", word().plus_code(0xFF800000)) == names{"c.infinity.negative"});
  CHECK(hits("c", word().plus_code(0x7FC00001)) == names{"c.nan.positive"});
}

TEST_CASE("alignment_is_counted_by_distance_and_loss") {
  // C is 1, and the group v * 2^-d, of which the window keeps bits down to 2^-35.
  const auto group = [](std::uint32_t code, std::uint32_t distance) {
    return hits("align.group", word().with(0, code).scaled(0, 127 - distance).plus(1.0F));
  };
  CHECK(group(one, 0) == names{"align.group.0.kept"});
  CHECK(group(one, 1) == names{"align.group.1.kept"});
  CHECK(group(one, 2) == names{"align.group.between.kept"});
  CHECK(group(one, 33) == names{"align.group.between.kept"});
  CHECK(group(three, 34) == names{"align.group.F-1.kept"});
  CHECK(group(three, 35) == names{"align.group.F.kept"});
  CHECK(group(three, 36) == names{"align.group.F+1.cut"});
  CHECK(group(four, 36) == names{"align.group.F+1.kept"});
  CHECK(group(one, 36) == names{"align.group.F+1.lost"});
  CHECK(group(four, 37) == names{"align.group.>F+1.kept"});
  // The group is 2^d, and C just below 2.
  const auto c = [](std::uint32_t distance) {
    return hits("align.c", word().with(0, one).scaled(0, 127 + distance).plus(0x1.fffffep0F));
  };
  CHECK(c(12) == names{"align.c.between.kept"});
  CHECK(c(13) == names{"align.c.between.cut"});
  CHECK(c(35) == names{"align.c.F.cut"});
  CHECK(c(36) == names{"align.c.F+1.lost"});
  CHECK(c(37) == names{"align.c.>F+1.lost"});
}

TEST_CASE("the_largest_exponent_is_counted_by_who_has_it") {
  CHECK(hits("largest", word().with(63, one).plus(0.5F)) == names{"largest.group_3"});
  CHECK(hits("largest", word().with(63, one).plus(2.0F)) == names{"largest.c"});
  CHECK(hits("largest", word().with(63, one).plus(1.0F)) == names{"largest.several"});
  // Zeros are aligned at -139.
  CHECK(hits("largest", word().with(0, one).scaled(0, 0).scaled(1, 0)) == names{"largest.group_0"});
  word w = word().with(0, one).scaled(0, 0);
  w.scale_b = {0, 0};
  CHECK(hits("largest", w) == names{"largest.zeros"});
  CHECK(hits("result", w) == names{"result.zero_lost"});
  word cancelled = word().scaled(0, 137).plus(1.0F);
  for (int k = 0; k < 16; ++k) cancelled.with(k, k % 2 == 0 ? one : one | minus);
  CHECK(hits("largest", cancelled) == names{"largest.cancelled_group"});
  CHECK(hits("align", cancelled) == names{"align.c.between.kept"});
}

TEST_CASE("the_leading_bit_of_a_sum_is_counted_against_its_largest_term") {
  CHECK(hits("carry", word().with(0, one).plus(1.0F)) == names{"carry.1"});
  CHECK(hits("carry", word().with(0, one).with(16, one).with(32, one).plus(1.0F)) ==
        names{"carry.2_and_more"});
  CHECK(hits("cancel", word().with(0, one).plus(-0.5F)) == names{"cancel.1"});
  CHECK(hits("cancel", word().with(0, one).plus(-0.75F)) == names{"cancel.2"});
  CHECK(hits("cancel", word().with(0, one).plus(-0x1.ffep-1F)) == names{"cancel.12_to_23"});
  CHECK(hits("cancel", word().with(0, one).plus(-0x1.fffffep-1F)) == names{"cancel.24_and_more"});
  CHECK(hits("cancel", word().with(0, one).plus(-1.0F)) == names{"cancel.to_zero"});
  CHECK(hits("carry", word().with(0, one).plus(-1.0F)).empty());
  CHECK(hits("cancel", word()).empty());
}

TEST_CASE("truncation_is_counted_by_what_is_lost") {
  const auto lost = [](std::uint32_t code, std::uint32_t places) {
    return hits("round", word().with(0, code).scaled(0, 127 - places).plus(1.0F));
  };
  CHECK(lost(one, 23) == names{"round.exact"});
  CHECK(lost(one, 24) == names{"round.half"});
  CHECK(lost(one, 25) == names{"round.below_half"});
  CHECK(lost(three, 25) == names{"round.above_half"});
}

TEST_CASE("rounding_to_nearest_is_counted_by_its_decision") {
  const mx::dot_model nearest = mx::model_named("exact.rne")->model;
  const auto of = [&](std::uint32_t code, std::uint32_t places, float c) {
    return hits("round", word().with(0, code).scaled(0, 127 - places).plus(c), nearest);
  };
  CHECK(of(one, 23, 1.0F) == names{"round.exact"});
  CHECK(of(one, 24, 1.0F) == names{"round.tie_kept"});
  CHECK(of(one, 24, 0x1.000002p0F) == names{"round.tie_raised"});
  CHECK(of(one, 25, 1.0F) == names{"round.below_half"});
  CHECK(of(three, 25, 1.0F) == names{"round.above_half"});
  CHECK(of(one, 24, 0x1.fffffep0F) == names{"round.tie_raised", "round.into_next_binade"});
  CHECK(of(three, 25, 0x1.fffffep0F) == names{"round.above_half", "round.into_next_binade"});
}

TEST_CASE("results_are_counted_by_kind_and_sign") {
  CHECK(hits("result", word().plus_code(0x80000000)) == names{"result.zero_of_zeros.positive"});
  word negative;
  std::ranges::fill(negative.a, minus);
  CHECK(hits("result", negative.plus_code(0x80000000)) == names{"result.zero_of_zeros.negative"});
  CHECK(hits("result", word().with(0, one | minus)) == names{"result.normal.negative"});
  CHECK(hits("result", word().plus(-0x1p-130F)) == names{"result.subnormal.negative"});
  CHECK(hits("result", word().with(0, one).plus(-1.0F)) == names{"result.zero_cancelled"});
  CHECK(hits("result", word().plus_code(0xFF800000)) == names{"result.infinity.negative"});
  CHECK(hits("result", word().plus_code(0x7F800001)) == names{"result.nan"});
  word large = word().with(0, two | minus).scaled(0, 254);
  CHECK(hits("result", large) == names{"result.overflow.negative"});
  word small = word().with(0, one).scaled(0, 0);
  small.scale_b = {104, 104};
  CHECK(hits("result", small) == names{"result.underflow.positive"});
  small.a[0] |= minus;
  CHECK(hits("result", small) == names{"result.underflow.negative"});
}

TEST_CASE("nan_scales_are_counted_also_above_zeros") {
  CHECK(hits("special", word().with(0, one).scaled(0, 255)) == names{"special.nan_scale_a"});
  CHECK(hits("special", word().with(0, one).scaled(1, 255)) ==
        names{"special.nan_scale_a", "special.nan_scale_above_zeros"});
  word both = word().with(40, one);
  both.scale_b = {127, 255};
  CHECK(hits("special", both) == names{"special.nan_scale_b"});
  CHECK(hits("align", both).empty());
}

TEST_CASE("formats_with_specials_have_bins_for_them") {
  const mx::dot_model e5m2 = mx::model_named("blackwell.mxf8f6f4.e5m2.e5m2")->model;
  word w;
  std::ranges::fill(w.b, 0x3CU);
  CHECK(hits("a", w.with(0, 0x7C).with(1, 0xFF), e5m2) == names{"a.zero.positive.scale_127",
                                                                "a.infinity.positive.scale_127",
                                                                "a.nan.negative.scale_127"});
  CHECK(hits("special", w, e5m2).empty());
  CHECK(hits("special", w.with(1, 0xFC), e5m2) == names{"special.nan_of_infinities"});
  CHECK(hits("largest", word().with(0, 0x3C).with(33, 0x3C), e5m2) ==
        names{"largest.product_0", "largest.product_1"});
}

TEST_CASE("every_step_of_a_chain_is_counted") {
  dot_coverage coverage(mx::model_named("blackwell.mxf8f6f4.e2m1.e2m1")->model);
  coverage.sample(word().with(0, one).with(32, one).sample());
  CHECK(coverage.bins().count_of("result.normal.positive") == 2);
  CHECK(coverage.bins().count_of("largest.product_0") == 1);
  CHECK(coverage.bins().count_of("largest.several") == 1);
  CHECK(coverage.samples() == 1);
}

TEST_CASE("runs_of_one_model_can_be_merged") {
  const word first = word().with(0, one), second = word().plus(-3.0F);
  dot_coverage one_run(mxf4()), other_run(mxf4()), both(mxf4());
  one_run.sample(first.sample());
  other_run.sample(second.sample());
  both.sample(first.sample());
  both.sample(second.sample());
  REQUIRE(one_run.merge(other_run));
  CHECK(one_run.report() == both.report());
  CHECK(one_run.bins().count_of("b.normal.positive.scale_127") == 128);
  CHECK_FALSE(one_run.merge(dot_coverage(mx::model_named("exact.rne")->model)));
  CHECK_FALSE(one_run.merge(dot_coverage(mx::with_zeros(mxf4(), mx::zero_term::ignored, 0))));
  CHECK(one_run.samples() == 2);
}

TEST_CASE("a_report_lists_points_in_order_and_their_holes") {
  dot_coverage coverage(mxf4());
  coverage.sample(word().with(0, one).plus(1.0F).sample());
  const std::string text = coverage.report();
  CHECK(text.starts_with("1 dot products, 11 of 222 bins hit\na: 2 of 64 bins hit\n  hole "));
  CHECK(text.find("carry: 1 of 3 bins hit\n  hole carry.none\n  hole carry.2_and_more\n") !=
        std::string::npos);
  CHECK(text.find("hole carry.1\n") == std::string::npos);
  const auto& bins = coverage.bins().all();
  CHECK(bins.front().name == "a.zero.positive.scale_0");
  CHECK(bins.back().name == "result.zero_lost");
}

/// Bins that no word can reach under blackwell.mxf4, with the reason.
struct unreachable {
  const char* why;
  names bins;
};
const std::vector<unreachable>& unreachable_bins() {
  static const std::vector<unreachable> list{
      {"a group is an integer of quarters: its last bit is 2 below its exponent, and lies in the "
       "window of 35 down to a distance of 33",
       {"align.group.0.cut", "align.group.0.lost", "align.group.1.cut", "align.group.1.lost",
        "align.group.between.cut", "align.group.between.lost"}},
      {"the last bit of C is 23 below its exponent",
       {"align.c.0.cut", "align.c.0.lost", "align.c.1.cut", "align.c.1.lost"}},
      {"C is below twice 2^exponent: beyond a distance of 35 nothing of it lies in the window",
       {"align.c.F+1.kept", "align.c.F+1.cut", "align.c.>F+1.kept", "align.c.>F+1.cut"}}};
  return list;
}

/// Words for bins that the random words of tests/cross hit too rarely, or never.
std::vector<word> directed_words() {
  std::vector<word> words;
  // A subnormal C, 2^-149, is aligned at -126, and here at distances of 30 and 35.
  for (const std::uint32_t distance : {30U, 35U}) {
    words.push_back(word().with(0, one).scaled(0, 1 + distance).plus(0x1p-149F));
  }
  for (const std::uint32_t sign : {0U, minus}) {
    word underflow = word().with(0, one | sign).scaled(0, 0);
    underflow.scale_b = {104, 104};  // 2^-150
    words.push_back(underflow);
  }
  word cancelled = word().scaled(0, 137);
  for (int k = 0; k < 16; ++k) cancelled.with(k, k % 2 == 0 ? one : one | minus);
  words.push_back(cancelled);
  return words;
}

TEST_CASE("words_of_the_cross_tests_and_few_more_hit_all_that_can_be_hit_of_mxfp4") {
  const mx::dot_model model = mxf4();
  dot_coverage coverage(model);
  bool equal = true;
  for (const cross::dot_word& w : cross::words_of({"blackwell.mxf4", model, {}}, 64, 1000)) {
    const std::uint32_t d = coverage.sample({w.a, w.b, w.scale_a, w.scale_b, w.c});
    equal = equal && d == mx::dot(model, w.a.data(), w.b.data(), 64, w.c, w.scale_a.data(),
                                  w.scale_b.data());
  }
  CHECK(equal);
  for (const word& w : directed_words()) coverage.sample(w.sample());
  names expected;
  for (const unreachable& each : unreachable_bins())
    expected.insert(each.bins.begin(), each.bins.end());
  const auto holes = coverage.bins().holes();
  INFO(coverage.report());
  CHECK(names(holes.begin(), holes.end()) == expected);
}

}  // namespace
