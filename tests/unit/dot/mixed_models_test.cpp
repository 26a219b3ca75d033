// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/mixed_models_test.cpp: mx/dot/mixed_models.h: names of pairs of two formats, their
// evidence, and their bits in rational numbers.
#include "mx/dot/mixed_models.h"

#include <set>
#include <string>

#include "catch.h"
#include "model_words.h"
#include "mx/dot/dot.h"
#include "published_models.h"
#include "slow_dot.h"

namespace tests {
namespace {

using mx::model_evidence;

const mx::named_model& entry_of(const std::string& name) {
  CAPTURE(name);
  REQUIRE(mx::any_model_named(name) != nullptr);
  return *mx::any_model_named(name);
}

TEST_CASE("f8f6f4_has_a_name_for_each_of_25_pairs") {
  for (const std::string instruction : {"blackwell.tcgen05.", "rtxblackwell.mma."}) {
    for (const std::string output : {".f32", ".f16"}) {
      for (const auto& [a_name, a_format] : mx_inputs) {
        for (const auto& [b_name, b_format] : mx_inputs) {
          const std::string pair = a_name == b_name ? a_name : a_name + "." + b_name;
          const mx::named_model& entry = entry_of(instruction + pair + output);
          CHECK(entry.model.a == a_format);
          CHECK(entry.model.b == b_format);
          CHECK(entry.model.sum == entry_of(instruction + "e4m3" + output).model.sum);
        }
      }
    }
  }
}

TEST_CASE("fp8_goes_with_fp8_of_its_own_family_and_wide_formats_with_none") {
  for (const std::string name :
       {"ada.mma.e4m3.e5m2.f16", "hopper.wgmma.e5m2.e4m3.f32", "hopper.mma.e4m3.e5m2.f16",
        "blackwell.mma.e5m2.e4m3.f32", "cdna3.mfma.e4m3fnuz.e5m2fnuz.f32"}) {
    CHECK(entry_of(name).name == name);
  }
  for (const char* name :
       {"ada.mma.e4m3.e2m1.f32", "ada.mma.e4m3.e4m3.f32", "ampere.mma.f16.bf16.f32",
        "hopper.wgmma.e4m3.e3m2.f32", "volta.mma.e4m3.e5m2.f32", "blackwell.mma.e4m3.e2m1.f32"}) {
    CAPTURE(name);
    CHECK(mx::any_model_named(name) == nullptr);
  }
}

TEST_CASE("names_of_pairs_are_unique_and_tell_source_and_evidence") {
  std::set<std::string_view> names;
  for (const mx::named_model& entry : mx::model_table) names.insert(entry.name);
  for (const mx::named_model& entry : mx::mixed_model_table) {
    CAPTURE(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK(mx::any_model_named(entry.name) == &entry);
    CHECK(mx::is_sound(entry.model));
    CHECK_FALSE(entry.source.empty());
    CHECK_FALSE(entry.model.a == entry.model.b);
    // Words were recorded with A and B in one format alone.
    CHECK(entry.rests_on != model_evidence::recorded_hardware);
    const bool is_new = entry.rests_on == model_evidence::one_model;
    CHECK(entry.doubts.empty() <= !is_new);
  }
  CHECK(entry_of("ada.mma.e4m3.e5m2.f32").rests_on == model_evidence::two_models_agree);
  CHECK(entry_of("ada.mma.e4m3.e5m2.f32").source == mx::tensor_cores::published);
  CHECK(entry_of("hopper.mma.e4m3.e5m2.f16").rests_on == model_evidence::one_model);
  CHECK(entry_of("blackwell.mma.e4m3.e5m2.f32").rests_on == model_evidence::one_model);
  CHECK(entry_of("hopper.wgmma.e5m2.e4m3.f32").doubts == mx::tensor_cores::zero_139);
  for (const char* name : {"blackwell.tcgen05.e4m3.e2m1.f32", "blackwell.tcgen05.e2m1.e4m3.f32"}) {
    CHECK(entry_of(name).rests_on == model_evidence::one_model);
    CHECK(entry_of(name).doubts == mx::tensor_cores::narrow);
  }
  CHECK(entry_of("blackwell.tcgen05.e4m3.e2m1.f16").doubts == mx::tensor_cores::narrow_wide);
  CHECK(entry_of("rtxblackwell.mma.e2m1.e4m3.f16").doubts == mx::tensor_cores::narrow_hopper);
  CHECK(entry_of("rtxblackwell.mma.e5m2.e4m3.f16").doubts == mx::tensor_cores::zero_hopper);
  CHECK(entry_of("cdna3.mfma.e4m3fnuz.e5m2fnuz.f32").source == mx::matrix_cores::published);
}

TEST_CASE("a_model_is_found_by_the_formats_of_its_operands") {
  const mx::named_model& model = entry_of("blackwell.tcgen05.e4m3.f32");
  using namespace mx::formats;
  CHECK(mx::model_of_formats(model, e4m3, e4m3) == &model);
  CHECK(mx::model_of_formats(model, e5m2, e5m2)->name == "blackwell.tcgen05.e5m2.f32");
  CHECK(mx::model_of_formats(model, e2m1, e3m2)->name == "blackwell.tcgen05.e2m1.e3m2.f32");
  CHECK(mx::model_of_formats(entry_of("blackwell.tcgen05.e2m1.e3m2.f32"), e4m3, e4m3) == &model);
  CHECK(mx::model_of_formats(model, e4m3, bfloat16) == nullptr);
  CHECK(mx::model_of_formats(entry_of("ada.mma.e4m3.f32"), e4m3, e2m1) == nullptr);
  CHECK(mx::model_of_formats(entry_of("blackwell.mxf4"), e2m1, e4m3) == nullptr);
  CHECK(mx::model_of_formats(entry_of("exact.rne"), e2m1, e4m3) == nullptr);
}

void compare(const std::string& name, const slow::window_row& row) {
  const mx::dot_model& model = entry_of(name).model;
  for (int word = 0; word < 40; ++word) {
    const auto count = static_cast<std::size_t>(row.fused);
    const slow::codes a = tests::random_codes(model.a, count);
    const slow::codes b = tests::random_codes(model.b, count);
    const std::uint32_t c = tests::random_code(row.result, 0);
    CAPTURE(name, word);
    tests::check_bits(
        row.result, mx::dot(model, a.data(), b.data(), row.fused, c),
        slow::window_step(row, slow::numbers_of(model.a, a), slow::numbers_of(model.b, b), 0, c));
  }
}

/// 2^-9 * 2^15 + 2^-9 * 2^-8: with 2^-9 at the exponent of its field, -6, the window of 25 bits
/// would end at 2^-16.
TEST_CASE("a_subnormal_of_e4m3_is_aligned_as_the_fp16_number_that_it_becomes") {
  const slow::codes e4m3 = {0x01, 0x01}, e5m2 = {0x78, 0x1C};
  for (const std::string arch : {"hopper", "blackwell"}) {
    const mx::dot_model& model = entry_of(arch + ".mma.e4m3.e5m2.f32").model;
    CHECK(mx::dot(model, e4m3.data(), e5m2.data(), 2, 0U) == mx::bits_of(0x1.000002p6F));
    const mx::dot_model& turned = entry_of(arch + ".mma.e5m2.e4m3.f32").model;
    CHECK(mx::dot(turned, e5m2.data(), e4m3.data(), 2, 0U) == mx::bits_of(0x1.000002p6F));
  }
  const mx::dot_model& native = entry_of("blackwell.tcgen05.e4m3.e5m2.f32").model;
  CHECK(mx::dot(native, e4m3.data(), e5m2.data(), 2, 0U) == mx::bits_of(0x1p6F));
}

TEST_CASE("pairs_follow_the_published_algorithm") {
  for (const tests::published_row& r : tests::rows) {
    for (const auto& [other, format] : mx_inputs) {
      const std::string name =
          std::string(r.models) + "." + r.input + "." + other;  // none: not such an instruction
      if (mx::any_model_named(name + ".f32") == nullptr) continue;
      compare(name + ".f32", {r.fused, r.fraction_bits, r.zero_f32, binary32,
                              r.e8m13 ? tests::e8m13 : binary32, mx::rounding::toward_zero});
      compare(name + ".f16", {r.fused, r.fraction_bits, r.zero_f16, binary16, binary16,
                              mx::rounding::ties_to_even});
    }
  }
}

}  // namespace
}  // namespace tests
