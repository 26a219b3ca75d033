// SPDX-License-Identifier: Apache-2.0
// tests/release/first_steps_test.cpp: the first steps of the default study have their recorded
// hashes on every instruction set that this machine offers. Also built by
// tests/release/toolchains.py with other compilers and flags.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "catch.h"
#include "instruction_sets.h"
#include "scratch_folder.h"
#include "sim/study/study_file.h"
#include "sim/train/warm_up.h"

namespace {

constexpr int first_steps = 5;

std::filesystem::path source(const std::string& name) {
  const char* root = std::getenv("MX_SOURCE_DIR");
  REQUIRE(root != nullptr);
  return std::filesystem::path(root) / name;
}

/// The recorded lines "default,warm-up,STEP,SHA256", which tests/train/first_steps_test.cpp writes.
std::string recorded_steps() {
  std::istringstream lines(test::contents_of(source("tests/e2e/frozen/first_steps.csv")));
  std::string steps;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("default,warm-up,")) steps += line + '\n';
  }
  return steps;
}

std::string computed_steps() {
  const sim::setting s(sim::read_study(source("sim/studies/default.toml"), {}));
  sim::training_state state{sim::initial_weights(s.table, s.constants.seed), {}, 0};
  sim::gradient_computer gradient(s);
  sim::warm_up_schedule schedule(s.constants.warm_up);
  std::ostringstream steps;
  while (state.step < first_steps) {
    sim::warm_up_step(s, gradient, state, schedule);
    steps << "default,warm-up," << state.step << ',' << sim::step_hash(state, {}) << '\n';
  }
  return steps.str();
}

TEST_CASE("the_first_steps_have_their_recorded_hashes_on_every_instruction_set") {
  const std::string recorded = recorded_steps();
  REQUIRE(std::count(recorded.begin(), recorded.end(), '\n') == first_steps);
  test::on_all_instruction_sets([&] { CHECK(computed_steps() == recorded); });
}

}  // namespace
