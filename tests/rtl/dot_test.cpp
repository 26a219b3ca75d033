// SPDX-License-Identifier: Apache-2.0
// tests/rtl/dot_test.cpp: the Verilated modules of mx_dot_models.sv against the core, word by word,
// under random stalls on both sides.
#include "mx/dot.h"
#include "catch.h"
#include "verilated_dots.h"

namespace {

std::uint32_t expected(const rtl::dot_module_entry& module, const cross::dot_word& word) {
  return mx::dot(module.model, word.a.data(), word.b.data(), word.size(), word.c,
                 word.scale_a.data(), word.scale_b.data());
}

std::string difference(const cross::dot_word& word, std::uint32_t got, std::uint32_t wanted) {
  char text[96];
  std::snprintf(text, sizeof text, "RTL %08x, core %08x, C %08x, word ", static_cast<unsigned>(got),
                static_cast<unsigned>(wanted), static_cast<unsigned>(word.c));
  return text + word.name;
}

/// Words of all kinds for each module, so that there are at least `total` of them.
void expect_equality(int total) {
  constexpr int kinds = 14;
  const auto& modules = rtl::dot_modules();
  const int count = total / (kinds * static_cast<int>(modules.size())) + 1;
  std::size_t words_in_all = 0;
  for (const rtl::dot_module_entry& module : modules) {
    const cross::dot_twins model{module.name, module.model, {}};
    const std::vector<cross::dot_word> words = cross::words_of(model, module.k, count);
    words_in_all += words.size();
    const auto dut = module.make();
    rtl::lockstep<cross::dot_word, std::uint32_t> run(
        *dut, count % 2 == 0 ? rtl::stalls::never : rtl::stalls::sometimes);
    const std::string told = run.run(
        words, [&](const cross::dot_word& word) { return expected(module, word); }, difference);
    INFO(module.name << ": " << told);
    CHECK(told.empty());
  }
  CHECK(words_in_all >= static_cast<std::size_t>(total));
}

TEST_CASE("every_module_gives_the_bits_of_its_model") { expect_equality(100000); }
TEST_CASE("a_million_words_give_the_bits_of_their_models", "[.][nightly]") {
  expect_equality(1000000);
}

TEST_CASE("one_result_a_cycle_where_nobody_waits") {
  const rtl::dot_module_entry& module = rtl::dot_modules().front();
  const std::vector<cross::dot_word> words =
      cross::words_of({module.name, module.model, {}}, module.k, 1);
  const auto dut = module.make();
  CHECK(rtl::results_without_stalls(*dut, words.front(), 100) == 96);  // four stages
}

TEST_CASE("a_reset_forgets_what_was_under_way") {
  const rtl::dot_module_entry& module = rtl::dot_modules().front();
  const std::vector<cross::dot_word> words =
      cross::words_of({module.name, module.model, {}}, module.k, 1);
  const auto dut = module.make();
  CHECK(rtl::results_after_reset(*dut, words.front(), 3) == 0);
}

}  // namespace
