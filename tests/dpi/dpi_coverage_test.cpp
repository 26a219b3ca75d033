// SPDX-License-Identifier: Apache-2.0
// tests/dpi/dpi_coverage_test.cpp: functional coverage through the DPI package equals that of the
// class.
#include "catch.h"
#include "models.h"
#include "rtl_models/dpi/dot_coverage.h"

namespace {

using hardware::coverage_bins, hardware::dot_coverage;

unsigned bins_of(const dpi::context& context) {
  unsigned count = 0;
  REQUIRE(mx_dpi_coverage_count(context.get(), &count) == mx_dpi_ok);
  return count;
}
std::uint64_t hits_of(const dpi::context& context, unsigned index) {
  dpi::bit_vector<64> hits{};
  REQUIRE(mx_dpi_coverage_hits(context.get(), index, hits.data()) == mx_dpi_ok);
  return std::uint64_t{hits[1]} << 32 | hits[0];
}

/// Whether a context has the bins of a coverage, in order, each hit `times` as often.
bool is_same(const dpi::context& context, const dot_coverage& expected, std::uint64_t times = 1) {
  const std::vector<coverage_bins::bin>& bins = expected.bins().all();
  bool same = bins_of(context) == bins.size();
  for (unsigned i = 0; same && i < bins.size(); ++i) {
    same = mx_dpi_coverage_name(context.get(), i) == bins[i].name &&
           hits_of(context, i) == times * bins[i].count;
  }
  return same;
}

void sample(const dpi::context& context, const dpi::choice& choice, const cross::dot_word& word,
            dot_coverage& expected) {
  svBitVecVal d = 0;
  CHECK(choice.operands_of(word).multiply(context, d) == mx_dpi_ok);
  CHECK(mx_dpi_coverage_sample(context.get()) == mx_dpi_ok);
  const bool scaled = choice.stands_for.block > 0;
  const std::vector<std::uint32_t> none;
  CHECK(expected.sample({word.a, word.b, scaled ? word.scale_a : none, scaled ? word.scale_b : none,
                         word.c}) == d);
}

TEST_CASE("bins_and_hits_are_those_of_the_samples_that_were_asked_for") {
  for (const dpi::choice& choice : dpi::choices()) {
    INFO(choice.model);
    const dpi::context context = dpi::made();
    REQUIRE(choice.select(context) == mx_dpi_ok);
    dot_coverage expected(choice.stands_for);
    CHECK(is_same(context, expected));
    for (const cross::dot_word& word : choice.words(2)) {
      sample(context, choice, word, expected);
      svBitVecVal d = 0;  // not sampled
      CHECK(choice.operands_of(word).multiply(context, d) == mx_dpi_ok);
    }
    CHECK(is_same(context, expected));
    CHECK(mx_dpi_coverage_report(context.get()) == expected.report());
    CHECK(mx_dpi_coverage_clear(context.get()) == mx_dpi_ok);
    CHECK(is_same(context, dot_coverage(choice.stands_for)));
  }
}

TEST_CASE("coverage_of_two_contexts_of_a_model_is_one") {
  const std::vector<dpi::choice> choices = dpi::choices();
  const dpi::context one = dpi::made(), two = dpi::made();
  dot_coverage expected(choices[0].stands_for);
  for (const cross::dot_word& word : choices[0].words(1)) sample(one, choices[0], word, expected);
  CHECK(mx_dpi_coverage_merge(two.get(), one.get()) == mx_dpi_ok);
  CHECK(is_same(two, expected));
  CHECK(mx_dpi_coverage_merge(two.get(), one.get()) == mx_dpi_ok);
  CHECK(is_same(two, expected, 2));
  CHECK(is_same(one, expected));
  REQUIRE(choices[1].select(two) == mx_dpi_ok);
  CHECK(mx_dpi_coverage_merge(two.get(), one.get()) == mx_dpi_unsupported);
  CHECK(is_same(two, dot_coverage(choices[1].stands_for)));
}

TEST_CASE("what_is_no_context_is_not_merged_and_the_context_tells_so") {
  const dpi::context context = dpi::made();
  CHECK(mx_dpi_coverage_merge(context.get(), nullptr) == mx_dpi_bad_handle);
  CHECK(dpi::errors_of(context) == 1);
  CHECK(dpi::last_error(context) == "the other handle is not one of mx_dpi_create");
}

TEST_CASE("there_is_nothing_to_sample_before_a_dot_product_and_no_bin_behind_the_last") {
  const dpi::context context = dpi::made();
  CHECK(mx_dpi_coverage_sample(context.get()) == mx_dpi_bad_argument);
  dpi::bit_vector<64> hits{7, 7};
  CHECK(mx_dpi_coverage_hits(context.get(), bins_of(context), hits.data()) == mx_dpi_bad_argument);
  CHECK((hits[0] == 0 && hits[1] == 0));
  CHECK(std::string(mx_dpi_coverage_name(context.get(), bins_of(context))).empty());
  CHECK(!std::string(mx_dpi_coverage_name(context.get(), bins_of(context) - 1)).empty());
}

}  // namespace
