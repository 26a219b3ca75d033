// SPDX-License-Identifier: Apache-2.0
// tests/cosim/quantizer_cosim_test.cpp: the Verilated quantizers against the emulator, and the
// reports of a difference and of a handshake violation.
#include <set>

#include "bench.h"
#include "catch.h"

namespace {

using namespace hardware;
using cosim::bench_quantizer, cosim::quantizers, cosim::run_cycles;

quantizer_scoreboard::surroundings around(const quantizer_kind& made, std::uint32_t seed) {
  return {[made, seed](std::uint32_t i) { return random_block(made, seed, i); },
          [] { run_cycles(100); }, "mx_cosim"};
}

/// Text of the first difference from the emulator, or empty.
std::string reports_of(const bench_quantizer& of, std::uint32_t seed, std::uint32_t blocks) {
  emulated_quantizer emulator(of.made);
  return quantizer_scoreboard(of.made, *of.verilated, emulator, around(of.made, seed))
      .run(0, blocks);
}

TEST_CASE("every_quantizer_agrees_with_the_emulator_under_random_stalls") {
  for (const bench_quantizer& of : quantizers()) {
    for (const unsigned pace : {16U, 11U, 4U}) {
      of.verilated->reset();
      of.verilated->wait_at(stalls(pace, pace));
      INFO(of.made.in.width() << " bits, scales of " << of.made.scale.width() << ", pace " << pace);
      CHECK(reports_of(of, pace, 1000).empty());
    }
    CHECK(of.verilated->errors().empty());
  }
}

TEST_CASE("random_blocks_reach_all_rules_codes_and_kinds_of_blocks") {
  for (const bench_quantizer& of : quantizers()) {
    std::set<std::uint32_t> codes, scales, rules;
    int special = 0, kept = 0;
    for (std::uint32_t i = 0; i < 1000; ++i) {
      const quantizer_operands block = random_block(of.made, 1, i);
      const quantized_block result = quantized(of.made, block);
      codes.insert(result.codes.begin(), result.codes.end());
      scales.insert(result.scale);
      rules.insert(hardware::rule_pins(block.rule));
      special += result.special ? 1 : 0;
      kept += result.kept != 0 ? 1 : 0;
    }
    CHECK(codes.size() == 16);
    CHECK(scales.size() > 100);
    CHECK(rules.size() == verilog::generated_rules.size());
    CHECK((special > 100 && special < 300));
    CHECK(kept > 100);
  }
}

TEST_CASE("a_reset_in_the_middle_of_blocks_forgets_them_and_nothing_else") {
  for (const bench_quantizer& of : quantizers()) {
    for (int cycles = 1; cycles <= 9; ++cycles) {
      INFO(of.made.in.width() << " bits, after " << cycles << " cycles");
      of.verilated->reset();
      of.verilated->wait_at(stalls(static_cast<std::uint32_t>(cycles), 12));
      for (std::uint32_t i = 0; i < 5; ++i) of.verilated->push(random_block(of.made, 9, i));
      run_cycles(cycles + 2);  // two of them in reset
      of.verilated->reset();
      CHECK_FALSE(of.verilated->pull());
      run_cycles(20);
      CHECK_FALSE(of.verilated->pull());
      CHECK(reports_of(of, 3, 20).empty());
    }
    CHECK(of.verilated->errors().empty());
  }
}

/// An emulator with an error in every third block.
class wrong_quantizer final : public timeless_backend<quantizer_operands, quantized_block> {
 public:
  using fault = void (*)(quantized_block&);

  wrong_quantizer(const quantizer_kind& made, fault how)
      : timeless_backend("wrong", [made, how, count = 0](const quantizer_operands& of) mutable {
          quantized_block block = quantized(made, of);
          if (++count % 3 == 0) how(block);
          return block;
        }) {}
};

TEST_CASE("a_difference_of_quantizers_is_told_with_operands_and_how_to_replay_it") {
  const quantizer_kind made;
  const auto message_with = [&](wrong_quantizer::fault how) {
    emulated_quantizer emulator(made);
    wrong_quantizer wrong(made, how);
    return quantizer_scoreboard(made, emulator, wrong, around(made, 1)).run(10, 5);
  };
  const std::string message = message_with([](quantized_block& block) { block.codes[31] ^= 1; });
  INFO(message);
  CHECK(message.starts_with("block 12, element 31: emulator "));
  for (const char* part : {"\n  rule ", ", rounding ", ", factor ", ", deadzone ", "\n  x ",
                           "\n  random ", "\n  emulator: amax +", ", codes ", ", kept ",
                           "\n  replay: mx_cosim --first 12 --blocks 1\n"}) {
    CHECK(message.find(part) != std::string::npos);
  }
  CHECK(message_with([](quantized_block& block) {
          block.scale ^= 1;
        }).starts_with("block 12, scale: "));
  CHECK(message_with([](quantized_block& block) {
          block.special ^= true;
        }).starts_with("block 12, special: "));
  CHECK(message_with([](quantized_block& block) {
          block.kept ^= 1;
        }).starts_with("block 12, kept: "));
}

TEST_CASE("a_word_that_is_taken_back_or_changed_is_told") {
  output_watch<int> watch("valid_o", "codes_o");
  const auto see = [&](bool valid, int word, bool takes) {
    return watch.see(
        valid, [word] { return word; }, takes);
  };
  CHECK(see(true, 1, true).empty());
  CHECK(see(true, 2, false).empty());
  CHECK(see(true, 2, false).empty());
  CHECK(see(true, 3, false) == "codes_o changed before the word was taken");
  CHECK(see(false, 0, true) == "valid_o fell before the word was taken");
  CHECK(see(false, 0, true).empty());
  CHECK(see(true, 4, false).empty());
  watch.reset();
  CHECK(see(false, 0, true).empty());
}

}  // namespace
