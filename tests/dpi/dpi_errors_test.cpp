// SPDX-License-Identifier: Apache-2.0
// tests/dpi/dpi_errors_test.cpp: refusals and their messages; a refusal has no other effect.
#include <cstring>

#include "catch.h"
#include "models.h"

namespace {

TEST_CASE("null_and_foreign_handles_are_refused_by_every_function") {
  alignas(64) std::uint64_t foreign[32] = {1, 2, 3};
  void* const odd = reinterpret_cast<unsigned char*>(foreign) + 1;
  for (void* handle : {static_cast<void*>(nullptr), static_cast<void*>(foreign), odd}) {
    dpi::operands in;
    svBitVecVal d = 7, words[128] = {7};
    svLogicVecVal logic[256] = {}, logic_d[128] = {};
    unsigned count = 7, element = 7, place = 7;
    int operand = 7;
    svBit special = 7;
    svLogic logic_special = 7;
    CHECK(mx_dpi_destroy(handle) == mx_dpi_bad_handle);
    CHECK(mx_dpi_error_count(handle, &count) == mx_dpi_bad_handle);
    CHECK(count == 0);
    CHECK(std::strcmp(mx_dpi_error_text(handle, 0), "") == 0);
    CHECK(mx_dpi_error_clear(handle) == mx_dpi_bad_handle);
    CHECK(mx_dpi_unknown(handle, &count, &operand, &element, &place) == mx_dpi_bad_handle);
    CHECK((operand == 0 && element == 0 && place == 0));
    CHECK(mx_dpi_dot_select(handle, "", "", "", "", 0, 0) == mx_dpi_bad_handle);
    CHECK(mx_dpi_dot(handle, in.a.data(), in.b.data(), in.scale_a.data(), in.scale_b.data(), &in.c,
                     &d) == mx_dpi_bad_handle);
    CHECK(d == 0);
    CHECK(mx_dpi_dot_logic(handle, logic, logic, logic, logic, logic, logic_d) ==
          mx_dpi_bad_handle);
    CHECK((logic_d[0].aval == ~0U && logic_d[0].bval == ~0U));
    CHECK(mx_dpi_step_count(handle, &count) == mx_dpi_bad_handle);
    CHECK(mx_dpi_tile(handle, words, words, words, words, words, words) == mx_dpi_bad_handle);
    CHECK(words[0] == 0);
    CHECK(mx_dpi_tile_logic(handle, logic, logic, logic, logic, logic, logic_d) ==
          mx_dpi_bad_handle);
    CHECK(mx_dpi_coverage_sample(handle) == mx_dpi_bad_handle);
    CHECK(mx_dpi_coverage_count(handle, &count) == mx_dpi_bad_handle);
    CHECK(std::strcmp(mx_dpi_coverage_name(handle, 0), "") == 0);
    CHECK(mx_dpi_coverage_hits(handle, 0, words) == mx_dpi_bad_handle);
    CHECK(mx_dpi_coverage_clear(handle) == mx_dpi_bad_handle);
    CHECK(mx_dpi_coverage_merge(handle, dpi::made().get()) == mx_dpi_bad_handle);
    CHECK(mx_dpi_coverage_merge(dpi::made().get(), handle) == mx_dpi_bad_handle);
    CHECK(std::strcmp(mx_dpi_coverage_report(handle), "") == 0);
    CHECK(mx_dpi_quantizer_select(handle, "", "", 8) == mx_dpi_bad_handle);
    CHECK(mx_dpi_quantize(handle, words, 0, 0, words, 0, 0, words, &d, &special, &d) ==
          mx_dpi_bad_handle);
    CHECK(special == 0);
    CHECK(mx_dpi_quantize_logic(handle, logic, 0, 0, logic, 0, 0, logic, logic_d, &logic_special,
                                logic_d) == mx_dpi_bad_handle);
    CHECK(logic_special == sv_x);
  }
}

TEST_CASE("null_pointers_are_refused") {
  const dpi::context context = dpi::made();
  void* const handle = context.get();
  svBitVecVal words[128] = {};
  svLogicVecVal logic[256] = {};
  svBit bit = 0;
  int number = 0;
  const int statuses[] = {
      mx_dpi_error_count(handle, nullptr),
      mx_dpi_unknown(handle, nullptr, nullptr, nullptr, nullptr),
      mx_dpi_dot_select(handle, nullptr, "", "", "", 0, 0),
      mx_dpi_dot_select(handle, "", "", "", nullptr, 0, 0),
      mx_dpi_dot(handle, nullptr, words, words, words, words, words),
      mx_dpi_dot(handle, words, words, words, words, words, nullptr),
      mx_dpi_dot_logic(handle, logic, nullptr, logic, logic, logic, logic),
      mx_dpi_dot_logic(handle, logic, logic, logic, logic, logic, nullptr),
      mx_dpi_step_count(handle, nullptr),
      mx_dpi_step(handle, 0, &number, &number, nullptr, words, words, &bit, &number, words),
      mx_dpi_term(handle, 0, 0, &number, nullptr, words, words, &number),
      mx_dpi_term_place(handle, 0, 0, &number, nullptr),
      mx_dpi_coverage_count(handle, nullptr),
      mx_dpi_coverage_hits(handle, 0, nullptr),
      mx_dpi_tile(handle, words, words, words, nullptr, words, words),
      mx_dpi_tile(handle, words, words, words, words, words, nullptr),
      mx_dpi_tile_logic(handle, logic, logic, nullptr, logic, logic, logic),
      mx_dpi_quantizer_select(handle, nullptr, "", 8),
      mx_dpi_quantize(handle, nullptr, 0, 0, words, 0, 0, words, words, &bit, words),
      mx_dpi_quantize(handle, words, 0, 0, words, 0, 0, nullptr, words, &bit, words),
      mx_dpi_quantize_logic(handle, logic, 0, 0, nullptr, 0, 0, logic, logic, &bit, logic),
      mx_dpi_quantize_logic(handle, logic, 0, 0, logic, 0, 0, nullptr, logic, nullptr, logic)};
  for (const int status : statuses) CHECK(status == mx_dpi_bad_argument);
  CHECK(dpi::errors_of(context) == std::size(statuses));
  CHECK(dpi::last_error(context) == "a pointer is null");
}

TEST_CASE("a_choice_that_is_not_understood_is_refused_and_the_one_before_stays") {
  struct refused_choice {
    const char *model, *format_a, *format_b, *format_scale;
    unsigned block, k;
    int status;
    const char* part;
  };
  const refused_choice cases[] = {
      {"blackwell.mxf5", "", "", "", 0, 0, mx_dpi_bad_name, "blackwell.mxf4"},
      {"", "e9m9", "", "", 0, 0, mx_dpi_bad_name, "e9m9"},
      {"", "", "", "ue9m9", 0, 0, mx_dpi_bad_name, "ue9m9"},
      {"", "e4m3", "", "", 0, 0, mx_dpi_unsupported, "takes e2m1"},
      {"", "", "e4m3", "", 0, 0, mx_dpi_unsupported, "takes e2m1"},
      {"exact.rne", "f16", "f16", "", 0, 0, mx_dpi_unsupported, "8 bits"},
      {"exact.rne", "", "", "fp32", 32, 0, mx_dpi_unsupported, "64 bits"},
      {"exact.rne", "", "", "e8m0", 4, 0, mx_dpi_unsupported, "64 bits"},
      {"", "", "", "", 24, 0, mx_dpi_unsupported, "groups divide blocks"},
      {"hopper.mma.f16.f16", "", "", "", 0, 0, mx_dpi_unsupported, "8 bits"},
      {"hopper.wgmma.e4m3.f16", "", "", "", 0, 0, mx_dpi_unsupported, "FP32"},
      {"hopper.wgmma.e4m3.f32", "", "", "ue4m3", 0, 0, mx_dpi_unsupported, "has no scales"},
      {"", "", "", "", 0, 65, mx_dpi_bad_argument, "64"},
      {"", "", "", "", ~0U, 0, mx_dpi_bad_argument, "2^20"}};
  const dpi::context context = dpi::made();
  const dpi::choice first = dpi::choices().front();
  const cross::dot_word word = first.words(1).front();
  for (const refused_choice& one : cases) {
    INFO(one.model << ' ' << one.format_a << ' ' << one.format_scale << ' ' << one.part);
    CHECK(mx_dpi_dot_select(context.get(), one.model, one.format_a, one.format_b, one.format_scale,
                            one.block, one.k) == one.status);
    CHECK(dpi::last_error(context).find(one.part) != std::string::npos);
    svBitVecVal d = 0;
    CHECK(first.operands_of(word).multiply(context, d) == mx_dpi_ok);
    CHECK(d == first.expected(word));
  }
  CHECK(dpi::errors_of(context) == std::size(cases));
  // A model is named once.
  CHECK(mx_dpi_dot_select(context.get(), "volta.mma.f16.f32", "e4m3", "e4m3", "", 0, 0) ==
        mx_dpi_unsupported);
  CHECK(dpi::last_error(context) == "volta.mma.f16.f32 takes f16");
  // Scales of 64 bits have room; what was computed before is none of the new choice's.
  CHECK(mx_dpi_dot_select(context.get(), "exact.rne", "e2m1", "e2m1", "e8m0", 8, 0) == mx_dpi_ok);
  unsigned count = 0;
  CHECK(mx_dpi_step_count(context.get(), &count) == mx_dpi_bad_argument);
}

TEST_CASE("a_quantizer_refuses_what_it_is_not_and_numbers_without_a_meaning") {
  const dpi::context context = dpi::made();
  void* const handle = context.get();
  CHECK(mx_dpi_quantizer_select(handle, "bf17", "", 8) == mx_dpi_bad_name);
  CHECK(mx_dpi_quantizer_select(handle, "", "e7m0", 8) == mx_dpi_bad_name);
  CHECK(mx_dpi_quantizer_select(handle, "f16", "", 8) == mx_dpi_unsupported);
  CHECK(mx_dpi_quantizer_select(handle, "", "ue4m3", 8) == mx_dpi_unsupported);
  CHECK(mx_dpi_quantizer_select(handle, "", "fp32", 8) == mx_dpi_unsupported);
  CHECK(mx_dpi_quantizer_select(handle, "", "", 0) == mx_dpi_bad_argument);
  CHECK(mx_dpi_quantizer_select(handle, "", "", 25) == mx_dpi_bad_argument);
  svBitVecVal x[32] = {0x3F800000}, random[24] = {}, codes[4] = {7, 7, 7, 7}, scale = 7, kept = 7;
  svBit special = 7;
  const auto quantize = [&](int rule, int rounding, unsigned factor, int deadzone) {
    return mx_dpi_quantize(handle, x, rule, rounding, random, factor, deadzone, codes, &scale,
                           &special, &kept);
  };
  CHECK(quantize(7, 0, 0, 0) == mx_dpi_bad_argument);
  CHECK((codes[0] == 0 && codes[3] == 0 && scale == 0 && kept == 0 && special == 0));
  CHECK(quantize(-1, 0, 0, 0) == mx_dpi_bad_argument);
  CHECK(quantize(0, 3, 0, 0) == mx_dpi_bad_argument);
  CHECK(quantize(0, -1, 0, 0) == mx_dpi_bad_argument);
  CHECK(quantize(0, 0, 256, 0) == mx_dpi_bad_argument);
  CHECK(quantize(0, 0, 0, 2) == mx_dpi_bad_argument);
  CHECK(quantize(0, 0, 0, 0) == mx_dpi_ok);
  CHECK((codes[0] == 6 && scale == 125));  // 1 = 4 * 2^-2
  CHECK(dpi::errors_of(context) == 13);
}

TEST_CASE("errors_are_counted_and_the_first_sentences_are_kept_until_cleared") {
  const dpi::context context = dpi::made();
  for (int i = 0; i < 100; ++i) {
    CHECK(mx_dpi_dot_select(context.get(), "nothing", "", "", "", 0, 0) == mx_dpi_bad_name);
  }
  CHECK(dpi::errors_of(context) == 100);
  CHECK(std::string(mx_dpi_error_text(context.get(), 0)).find("nothing") != std::string::npos);
  CHECK(std::strlen(mx_dpi_error_text(context.get(), 63)) > 0);
  CHECK(std::strcmp(mx_dpi_error_text(context.get(), 64), "") == 0);
  CHECK(std::strcmp(mx_dpi_error_text(context.get(), ~0U), "") == 0);
  CHECK(mx_dpi_error_clear(context.get()) == mx_dpi_ok);
  CHECK(dpi::errors_of(context) == 0);
  CHECK(std::strcmp(mx_dpi_error_text(context.get(), 0), "") == 0);
}

}  // namespace
