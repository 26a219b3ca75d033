// SPDX-License-Identifier: Apache-2.0
// tests/validator/product_model_test.cpp: models by the formats of the operands.
#include "golden/validator/product/model.h"

#include <algorithm>
#include <string>

#include "catch.h"

using golden::validator::models_taking;
using golden::validator::product_formats;
namespace f = mx::formats;

namespace {

std::vector<std::string> names_taking(const product_formats& formats) {
  std::vector<std::string> names;
  for (const auto& model : models_taking(formats)) names.emplace_back(model.entry->name);
  return names;
}

bool has(const std::vector<std::string>& names, const char* name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("models_take_the_formats_of_their_instructions_and_definitions_take_any") {
  const auto mxfp4 = names_taking({f::e2m1, f::e2m1, f::e8m0, 32});
  CHECK(mxfp4 == std::vector<std::string>{"exact.rne", "exact.rz", "fp32.fma", "fp32.sequential",
                                          "fp32.pairwise", "mxdotp.e2m1", "mxdotp.e4m3",
                                          "vortex.tfr", "blackwell.mxf4",
                                          "blackwell.mxf8f6f4.e2m1.e2m1"});
  const auto nvfp4 = names_taking({f::e2m1, f::e2m1, f::ue4m3, 16});
  CHECK((has(nvfp4, "blackwell.mxf4nvf4") && !has(nvfp4, "blackwell.mxf4")));
  const auto mixed = names_taking({f::e4m3, f::e5m2, {}, 0});
  CHECK((has(mixed, "ada.mma.e4m3.e5m2.f16") && !has(mixed, "ada.mma.e4m3.f32")));
  CHECK(has(names_taking({f::e4m3, f::e2m1, f::e8m0, 32}), "blackwell.mxf8f6f4.e4m3.e2m1"));
  const auto halves = names_taking({f::binary16, f::binary16, {}, 0});
  CHECK((has(halves, "volta.mma.f16.f16") && has(halves, "cdna2.mfma.f16.f32")));
  CHECK_FALSE(has(halves, "ampere.mma.bf16.f32"));
}

TEST_CASE("definitions_read_tf32_in_the_upper_bits_and_refuse_what_has_no_room") {
  const auto tf32 = models_taking({f::tf32, f::tf32, {}, 0});
  REQUIRE(tf32.front().entry->name == "exact.rne");
  CHECK(tf32.front().model.unread_bits == 13);
  CHECK(models_taking({f::tf32, f::binary32, {}, 0}).empty());
  CHECK(models_taking({f::binary32, f::binary32, f::e8m(16), 32}).empty());
}
