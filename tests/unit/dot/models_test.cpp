// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/models_test.cpp: mx/dot/models.h: names, evidence, and the sources' treatment of
// zeros.
#include "mx/dot/models.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "catch.h"
#include "model_words.h"
#include "mx/dot/dot.h"
#include "published_models.h"

namespace tests {
namespace {

/// Names that the tests of its tables compare.
std::set<std::string> compared_names() {
  std::set<std::string> names = {"blackwell.mxf4", "blackwell.mxf4nvf4",
                                 "blackwell.mxf4nvf4.ue8m0"};
  for (const tests::published_row& r : tests::rows) {
    names.insert(std::string(r.models) + "." + r.input + ".f32");
    if (r.zero_f16 != 0) names.insert(std::string(r.models) + "." + r.input + ".f16");
  }
  for (const auto& [name, format] : tests::mx_inputs) {
    for (const auto& [other, other_format] : tests::mx_inputs) {
      names.insert("blackwell.mxf8f6f4." + name + "." + other);
    }
  }
  for (const tests::step_row& row : tests::late_rows) names.insert(row.name);
  for (const tests::step_row& row : tests::exact_rows) names.insert(row.name);
  for (const tests::step_row& row : tests::flushed_rows) names.insert(row.name);
  for (const auto& [name, format] : tests::emulated_inputs) {
    names.insert(name + ".f32");
    names.insert(name + ".f16");
  }
  return names;
}

TEST_CASE("every_model_of_a_device_is_compared_with_the_published_algorithm") {
  const std::set<std::string> names = compared_names();
  for (const mx::named_model& entry : mx::model_table) {
    if (entry.operands == mx::operands::any) continue;
    CAPTURE(entry.name);
    CHECK(names.count(std::string(entry.name)) == 1);
  }
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(mx::model_named(name) != nullptr);
  }
}

TEST_CASE("names_are_unique_and_tell_source_and_evidence") {
  std::set<std::string_view> names;
  for (const mx::named_model& entry : mx::model_table) {
    CAPTURE(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK(mx::model_named(entry.name) == &entry);
    CHECK_FALSE(entry.source.empty());
    CHECK_FALSE(name_of(entry.rests_on).empty());
    CHECK(mx::is_sound(entry.model));
  }
  CHECK(mx::model_named("blackwell.mxf5") == nullptr);
  CHECK(mx::model_named("ampere.mma.bf16.f32")->rests_on == mx::model_evidence::recorded_hardware);
  CHECK(mx::model_named("blackwell.mxf4")->rests_on == mx::model_evidence::two_models_agree);
  CHECK(mx::model_named("exact.rne")->rests_on == mx::model_evidence::specification_only);
}

/// Exponent of C = 0 and of products with a zero: below every nonzero C, so that the rules "each
/// zero term" and "never below" are one (D-031): without a zero term there is a C.
TEST_CASE("zeros_of_nvidia_models_are_read_below_every_number_of_the_result") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::accumulation& how = entry.model.sum;
    if (how.alignment == mx::alignment::exact || how.zeros != mx::zero_term::each_zero) continue;
    CAPTURE(entry.name);
    CHECK(how.zero_exponent < how.result.emin());
    CHECK(how.zero_exponent > -140);
  }
}

TEST_CASE("an_exponent_floor_gives_the_bits_of_zero_terms_that_are_read_at_it") {
  for (const std::string name : {"hopper.mma.bf16.f32", "hopper.mma.f16.f16", "volta.mma.f16.f16",
                                 "blackwell.tcgen05.tf32.f32"}) {
    const mx::dot_model& model = model_of(name);
    const mx::dot_model other =
        mx::with_zeros(model, mx::zero_term::floor, model.sum.zero_exponent);
    REQUIRE(other.sum.zeros == mx::zero_term::floor);
    for (int word = 0; word < 500; ++word) {
      const codes a = random_codes(model.a, 16, model.unread_bits);
      const codes b = random_codes(model.b, 16, model.unread_bits);
      const std::uint32_t c = below(2) * below(1U << 12);  // zero, or subnormal
      CAPTURE(name, word);
      REQUIRE(mx::dot(model, a.data(), b.data(), 16, c) ==
              mx::dot(other, a.data(), b.data(), 16, c));
    }
  }
}

TEST_CASE("alternates_are_those_of_their_sources") {
  const std::pair<std::string_view, int> stated[] = {{"hopper.wgmma.e4m3.f32", -139},
                                                     {"hopper.wgmma.e5m2.f32", -139},
                                                     {"volta.mma.f16.f16", -20},
                                                     {"turing.mma.f16.f16", -21},
                                                     {"ampere.mma.f16.f16", -21},
                                                     {"ada.mma.f16.f16", -21},
                                                     {"ada.mma.e4m3.f16", -21},
                                                     {"ada.mma.e5m2.f16", -21},
                                                     {"hopper.mma.f16.f16", -22},
                                                     {"hopper.mma.e4m3.f16", -22},
                                                     {"hopper.mma.e5m2.f16", -22},
                                                     {"hopper.wgmma.f16.f16", -133},
                                                     {"hopper.wgmma.e4m3.f16", -133},
                                                     {"hopper.wgmma.e5m2.f16", -133},
                                                     {"blackwell.mma.f16.f16", -22},
                                                     {"blackwell.mma.e4m3.f16", -22},
                                                     {"blackwell.mma.e5m2.f16", -22},
                                                     {"blackwell.tcgen05.f16.f16", -133},
                                                     {"blackwell.tcgen05.e4m3.f16", -133},
                                                     {"blackwell.tcgen05.e5m2.f16", -133},
                                                     {"blackwell.tcgen05.e2m3.f16", -133},
                                                     {"blackwell.tcgen05.e3m2.f16", -133},
                                                     {"blackwell.tcgen05.e2m1.f16", -133},
                                                     {"rtxblackwell.mma.f16.f16", -22},
                                                     {"rtxblackwell.mma.e4m3.f16", -22},
                                                     {"rtxblackwell.mma.e5m2.f16", -22},
                                                     {"rtxblackwell.mma.e2m3.f16", -22},
                                                     {"rtxblackwell.mma.e3m2.f16", -22},
                                                     {"rtxblackwell.mma.e2m1.f16", -22}};
  CHECK(std::ranges::equal(mx::zero_alternate_table, stated, {}, [](const auto& alternate) {
    return std::pair(alternate.name, alternate.zero_exponent);
  }));
}

TEST_CASE("an_alternate_is_among_the_doubts_of_its_model_beside_the_exponent_taken") {
  for (const mx::zero_alternate& alternate : mx::zero_alternate_table) {
    const mx::named_model& entry = *mx::model_named(alternate.name);
    const std::string doubts(entry.doubts);
    CAPTURE(alternate.name, doubts);
    CHECK(doubts.find("zeros at " + std::to_string(entry.model.sum.zero_exponent) + " (") !=
          std::string::npos);
    CHECK(doubts.find(" or " + std::to_string(alternate.zero_exponent) + " (") !=
          std::string::npos);
  }
}

/// 2^-25, half of the last bit of the window that the model's zeros set, zeros and C = 0: if an
/// alternate reads zeros lower, the sum lies above the tie between 0 and 2^-24, else it is the tie.
TEST_CASE("alternates_of_fp16_results_differ_at_a_tie") {
  for (const mx::zero_alternate& alternate : mx::zero_alternate_table) {
    const mx::dot_model& model = model_of(std::string(alternate.name));
    const mx::dot_model other =
        mx::with_zeros(model, mx::zero_term::each_zero, alternate.zero_exponent);
    CAPTURE(alternate.name);
    CHECK(other.sum.zero_exponent == alternate.zero_exponent);
    CHECK(other.sum.zero_exponent != model.sum.zero_exponent);
    if (!(model.a == binary16)) continue;
    CHECK(alternate.zero_exponent < model.sum.zero_exponent);
    const int lost = model.sum.zero_exponent - model.sum.fraction_bits - 1;
    const codes a = {0x1400, 0x0001};             // 2^-10, 2^-24
    const codes b = {0x0200, 1U << (48 + lost)};  // 2^-15, 2^(24 + lost)
    CHECK(mx::dot(model, a.data(), b.data(), 2, 0U) == 0);
    CHECK(mx::dot(other, a.data(), b.data(), 2, 0U) == 1);
  }
}

/// No product and no C has bits below the window that the higher of the two exponents sets, if
/// nothing sets a higher one: there is none to lose.
TEST_CASE("alternates_of_fp8_and_narrower_factors_cannot_be_told_apart") {
  for (const mx::zero_alternate& alternate : mx::zero_alternate_table) {
    const mx::dot_model& model = model_of(std::string(alternate.name));
    if (model.a == binary16) continue;
    CAPTURE(alternate.name);
    const int end =
        std::max(model.sum.zero_exponent, alternate.zero_exponent) - model.sum.fraction_bits;
    CHECK(mx::integer_unit(model.a) + mx::integer_unit(model.b) >= end);
    const bool is_c_above = model.sum.result.emin() > model.sum.zero_exponent;
    CHECK((is_c_above || mx::integer_unit(model.sum.result) >= end));
  }
}

}  // namespace
}  // namespace tests
