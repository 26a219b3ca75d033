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
        "dequantized: in all passes, the last 1 of 2 layers and attention: BF16");
  CHECK(notes[notes.size() - 3] ==
        "kernel: the scalar core, threaded, and not vectors, quantizes W of rollout");
  CHECK(sim::cli::notes_of(sim::read_study(default_study())).empty());
}

TEST_CASE("a_task_other_than_column_addition_is_named") {
  sim::study s = sim::read_study(default_study());
  s.task.kind = sim::task_kind::modular_sums;
  s.task.terms = 4;
  s.task.modulus = 19;
  CHECK(sim::cli::notes_of(s) == std::vector<std::string>{"task: sums of 4 numbers modulo 19"});
}
