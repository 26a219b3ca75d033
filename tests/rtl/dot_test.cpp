// SPDX-License-Identifier: Apache-2.0
// tests/rtl/dot_test.cpp: the Verilated modules of mx_dot_models.sv against the core, word by word,
// under random stalls on both sides.
#include "mx/dot/dot.h"
#include "catch.h"
#include "mx/dot/model.h"
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

std::vector<cross::dot_word> words_for(const rtl::dot_module_entry& module, int count) {
  return cross::words_of({module.name, module.model, {}}, module.k, count);
}

/// Text of the first difference of a module, or empty.
std::string reports_of(const rtl::dot_module_entry& module, rtl::dot_module& dut,
                       const std::vector<cross::dot_word>& words, rtl::stalls stalling) {
  rtl::lockstep<cross::dot_word, std::uint32_t> run(dut, stalling);
  return run.run(
      words, [&](const cross::dot_word& word) { return expected(module, word); }, difference);
}

constexpr int kinds = 14;

/// Words of all kinds, at least so many for each module.
void expect_equality(int words_of_each) {
  const int count = words_of_each / kinds + 1;
  for (const rtl::dot_module_entry& module : rtl::dot_modules()) {
    const std::vector<cross::dot_word> words = words_for(module, count);
    CHECK(words.size() >= static_cast<std::size_t>(words_of_each));
    const auto stalling = count % 2 == 0 ? rtl::stalls::never : rtl::stalls::sometimes;
    const std::string message = reports_of(module, *module.make(), words, stalling);
    INFO(module.name << ": " << message);
    CHECK(message.empty());
  }
}

/// Products and C of -0; and one product between, negative and far below the smallest result, if a
/// module has products that small.
std::vector<cross::dot_word> words_of_minus_zero(const rtl::dot_module_entry& module) {
  const mx::dot_model& m = module.model;
  const auto k = static_cast<std::size_t>(module.k), scales = k / static_cast<std::size_t>(m.block);
  const std::uint32_t least = m.scale.emin() < -100 ? 0 : 1;
  cross::dot_word word{"-0",
                       std::vector<std::uint32_t>(k, m.a.sign_mask()),
                       std::vector<std::uint32_t>(k, 1),
                       std::vector<std::uint32_t>(scales, least),
                       std::vector<std::uint32_t>(scales, least),
                       0x80000000};
  std::vector<cross::dot_word> words{word};
  if (mx::lowest_product_exponent(m) > -152) return words;
  word.name = "a small product";
  word.a[k / 2] |= 1;
  words.push_back(word);
  return words;
}

TEST_CASE("zero_results_are_plus_zero_in_tensor_cores_and_have_signs_elsewhere") {
  for (const rtl::dot_module_entry& module : rtl::dot_modules()) {
    const bool plus = module.model.sum.zero_result == mx::zero_result::plus;
    CHECK(plus == (module.name.rfind("blackwell", 0) == 0));
    const auto dut = module.make();
    rtl::lockstep<cross::dot_word, std::uint32_t> run(*dut, rtl::stalls::never);
    const auto wanted = [plus](const cross::dot_word&) { return plus ? 0 : 0x80000000; };
    const std::string message = run.run(words_of_minus_zero(module), wanted, difference);
    INFO(module.name << ": " << message);
    CHECK(message.empty());
  }
}

// For 18 modules: 100,000 words, and a million.
TEST_CASE("every_module_gives_the_bits_of_its_model") { expect_equality(5600); }
TEST_CASE("a_million_words_give_the_bits_of_their_models", "[.][nightly]") {
  expect_equality(56000);
}

TEST_CASE("one_result_a_cycle_where_nobody_waits") {
  for (const rtl::dot_module_entry& module : rtl::dot_modules()) {
    const auto dut = module.make();
    INFO(module.name);
    CHECK(rtl::results_without_stalls(*dut, words_for(module, 1).front(), 100) ==
          100 - module.stages);
  }
}

TEST_CASE("a_reset_in_the_middle_of_a_burst_forgets_it_and_nothing_else") {
  for (const rtl::dot_module_entry& module : rtl::dot_modules()) {
    const std::vector<cross::dot_word> words = words_for(module, 2);
    const auto dut = module.make();
    for (int cycles = 1; cycles <= 2 * module.stages + 2; ++cycles) {
      INFO(module.name << " after " << cycles << " cycles");
      CHECK(rtl::results_after_reset(*dut, words.front(), cycles) == 0);
      rtl::fill(*dut, words.front(), cycles);
      const std::string message = reports_of(module, *dut, words, rtl::stalls::sometimes);
      INFO(message);
      CHECK(message.empty());
    }
  }
}

}  // namespace
