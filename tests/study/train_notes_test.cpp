// SPDX-License-Identifier: Apache-2.0
// tests/study/train_notes_test.cpp: the notes of `train` before it starts.
#include "sim/cli/train/train_notes.h"

#include "catch.h"
#include "notable_study.h"

TEST_CASE("notes_name_models_with_their_evidence_and_operands_off_the_vectors") {
  const std::vector<std::string> notes = sim::cli::notes_of(notable_study());
  REQUIRE(notes.size() >= 3);
  CHECK(notes.front() ==
        "cores: rollout, forward under blackwell.mxf4 (two models agree); wgrad under exact.rne "
        "(specification only)");
  CHECK(notes.back() == "all: the scalar core, threaded, and not vectors, quantizes every operand");
  CHECK(notes[notes.size() - 2] ==
        "dequantized: W of forward, dgrad where .*\\.(gate|up)_proj matches: mxfp8-e4m3 floor, "
        "stochastic (8 bits); both operands where .*[.]1[.].* matches: MXFP4 floor");
  CHECK(notes[notes.size() - 3] ==
        "dequantized: in all passes, the last 1 of 2 layers and attention: BF16");
  CHECK(notes[notes.size() - 4] ==
        "kernel: the scalar core, threaded, and not vectors, quantizes W of rollout");
  CHECK(sim::cli::notes_of(sim::read_study(default_study())).empty());
}

TEST_CASE("cells_that_are_no_parts_of_the_whole_are_named") {
  const auto noted = [](const std::string& override) {
    std::string found;
    for (const std::string& note :
         sim::cli::notes_of(sim::read_study(default_study(), {override}))) {
      if (note.starts_with("factorial, ")) found = note.substr(note.find(": ") + 2);
    }
    return found;
  };
  CHECK(noted("seed=2").empty());
  CHECK(
      noted("formats.mxfp4.scale_rule=floor") ==
      "scale, deadzone and grid are the whole error of plain MXFP4 under rceil or ceil alone, and "
      "arm 'mxfp4' has another format");
  CHECK(noted("formats.inj-s.scale_rule=floor") ==
        "inj-s is not the format of arm 'mxfp4' with the parts of the error of that name");
  CHECK(noted("formats.op-sg.parts=[\"scale\"]").starts_with("op-sg is not the format"));
}

TEST_CASE("a_task_other_than_column_addition_is_named") {
  sim::study s = sim::read_study(default_study());
  s.task.kind = sim::task_kind::modular_sums;
  s.task.terms = 4;
  s.task.modulus = 19;
  CHECK(sim::cli::notes_of(s) == std::vector<std::string>{"task: sums of 4 numbers modulo 19"});
}

TEST_CASE("what_the_cpu_does_beside_a_device_is_named_for_each_pass") {
  using mx::operand;
  sim::study s = sim::read_study(default_study());
  s.run.device = sim::compute_device::cuda;
  const operand plain{mx::operand_numbers::coded, {{mx::block_formats::mxfp4}}};
  operand corrected = plain, toggled = plain, drawn = plain;
  corrected.recipe.corrections.macro_block = 128;
  toggled.toggle = mx::toggle::injection;
  drawn.recipe.rules.rounding = mx::rounding::stochastic;
  const operand scaled{mx::operand_numbers::coded, {{mx::block_formats::nvfp4}}};
  const auto arm_of = [](const char* name, const operand& rollout, const operand& forward,
                         const operand& dgrad) {
    return sim::arm{name, {{rollout, {}}, {forward, {}}, {dgrad, {}}, {}}, {}, {}};
  };
  s.arms = {arm_of("plain", plain, {}, plain), arm_of("corrected", plain, corrected, {}),
            arm_of("others", toggled, scaled, drawn)};
  std::vector<std::string> on_cpu;
  for (const std::string& note : sim::cli::notes_of(s)) {
    if (note.find("the CPU quantizes") != std::string::npos) on_cpu.push_back(note);
  }
  const std::string why =
      " too, for whose numbers, rounding, tensor scale, toggle or corrections the device has no "
      "kernel";
  CHECK(on_cpu == std::vector<std::string>{
                      "run.device: the CUDA device computes all products, and quantizes X and dY "
                      "of all passes but wgrad; the CPU quantizes W and the operands of wgrad",
                      "corrected: the CPU quantizes X of forward" + why,
                      "others: the CPU quantizes X of rollout, X of forward, dY of dgrad" + why});
}
