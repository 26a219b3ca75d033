// SPDX-License-Identifier: Apache-2.0
// tests/rtl/dot_test.cpp: the Verilated modules of mx_dot_models.sv against the core, word by word,
// under random stalls on both sides.
#include <deque>
#include <random>

#include "catch.h"
#include "mx/dot.h"
#include "verilated_dots.h"

namespace {

/// Whether a side waits in a cycle.
enum class stalls : std::uint8_t { never, sometimes };

std::uint32_t expected(const rtl::dot_module_entry& module, const cross::dot_word& word) {
  return mx::dot(module.model, word.a.data(), word.b.data(), word.size(), word.c,
                 word.scale_a.data(), word.scale_b.data());
}

/// Sends the words through the module; the first difference, told, or nothing.
class lockstep {
 public:
  lockstep(const rtl::dot_module_entry& module, stalls stalling)
      : module_(module), dut_(module.make()), stalling_(stalling) {
    dut_->reset();
  }

  std::string run(const std::vector<cross::dot_word>& words) {
    std::size_t sent = 0, taken = 0;
    bool offered = false;
    for (std::size_t idle = 0; taken < words.size(); ++idle) {
      if (idle > 1000) return module_.name + ": no result for 1000 cycles";
      offered = sent < words.size() && (offered || goes());
      const bool takes = goes();
      dut_->drive(offered ? &words[sent] : nullptr, takes);
      if (const std::string told = stability(takes); !told.empty()) return told;
      if (dut_->valid() && takes) {
        if (dut_->result() != expected(module_, words[taken])) return difference(words[taken]);
        ++taken;
        idle = 0;
      }
      if (offered && dut_->ready()) {
        ++sent;
        offered = false;
      }
      dut_->rise();
    }
    dut_->drive(nullptr, true);
    return dut_->valid() ? module_.name + ": a result nobody asked for" : "";
  }

 private:
  bool goes() { return stalling_ == stalls::never || from_() % 4 != 0; }

  /// What was offered and not taken stays.
  std::string stability(bool takes) {
    const bool held = !waiting_ || (dut_->valid() && dut_->result() == held_);
    waiting_ = dut_->valid() && !takes;
    held_ = dut_->result();
    return held ? "" : module_.name + ": a result changed while it waited";
  }

  std::string difference(const cross::dot_word& word) const {
    char text[96];
    std::snprintf(text, sizeof text, ": RTL %08x, core %08x, C %08x, word ",
                  static_cast<unsigned>(dut_->result()),
                  static_cast<unsigned>(expected(module_, word)), static_cast<unsigned>(word.c));
    return module_.name + text + word.name;
  }

  const rtl::dot_module_entry& module_;
  std::unique_ptr<rtl::dot_module> dut_;
  stalls stalling_;
  std::minstd_rand from_{1};
  bool waiting_ = false;
  std::uint32_t held_ = 0;
};

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
    const std::string told =
        lockstep(module, count % 2 == 0 ? stalls::never : stalls::sometimes).run(words);
    INFO(told);
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
  dut->reset();
  int results = 0;
  for (int cycle = 0; cycle < 100; ++cycle) {
    dut->drive(words.data(), true);
    CHECK(dut->ready());
    results += dut->valid() ? 1 : 0;
    dut->rise();
  }
  CHECK(results == 96);  // four stages
}

TEST_CASE("a_reset_forgets_what_was_under_way") {
  const rtl::dot_module_entry& module = rtl::dot_modules().front();
  const std::vector<cross::dot_word> words =
      cross::words_of({module.name, module.model, {}}, module.k, 1);
  const auto dut = module.make();
  dut->reset();
  for (int cycle = 0; cycle < 3; ++cycle) {
    dut->drive(words.data(), true);
    dut->rise();
  }
  dut->reset();
  for (int cycle = 0; cycle < 8; ++cycle) {
    dut->drive(nullptr, true);
    CHECK_FALSE(dut->valid());
    dut->rise();
  }
}

}  // namespace
