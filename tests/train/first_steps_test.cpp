// SPDX-License-Identifier: Apache-2.0
// tests/train/first_steps_test.cpp: the first steps of both versions of the default study have
// their recorded hashes on every machine: five steps of the warm-up as they are, and five steps of
// every arm from a policy that was warmed up briefly on an easier task, since the study's own
// warm-up takes a minute. The nightly test e2e_default_study checks all steps.
#include <cstdlib>
#include <sstream>

#include "catch.h"
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

sim::study shipped(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return sim::read_study(source("sim/studies/" + name + ".toml"), overrides);
}

/// Lines "study,arm,step,sha256".
class hash_lines {
 public:
  void add(const std::string& study, const std::string& arm, int step, const std::string& hash) {
    text_ << study << ',' << arm << ',' << step << ',' << hash << '\n';
  }
  [[nodiscard]] std::string text() const { return "study,arm,step,sha256\n" + text_.str(); }

 private:
  std::ostringstream text_;
};

void add_warm_up(const std::string& name, hash_lines& lines) {
  const sim::setting s(shipped(name));
  sim::training_state state{sim::initial_weights(s.table, s.constants.seed), {}, 0};
  sim::gradient_computer gradient(s);
  sim::warm_up_schedule schedule(s.constants.warm_up);
  while (state.step < first_steps) {
    sim::warm_up_step(s, gradient, state, schedule);
    lines.add(name, "warm-up", state.step, sim::step_hash(state, {}));
  }
}

/// Five GRPO steps of an arm; the last hash covers all of them but earlier trajectories.
void add_arm(const std::string& name, const sim::setting& s, const sim::arm& a,
             const std::vector<float>& weights, hash_lines& lines) {
  sim::training_state state{weights, {}, 0};
  sim::gradient_computer gradient(s);
  sim::rollout_step step;
  while (state.step < first_steps) step = sim::grpo_step(s, a, gradient, state);
  INFO(a.name);
  CHECK(state.weights != weights);
  lines.add(name, a.name, state.step, sim::step_hash(state, step));
}

void add_arms(const std::string& name, std::size_t count, hash_lines& lines) {
  const sim::setting s(
      shipped(name, {"task.digits=1", "warm_up.schedule=fixed", "warm_up.steps=60",
                     "warm_up.sequences=16", "warm_up.learning_rate=1e-2", "warm_up.ramp_steps=6",
                     "warm_up.gate_problems=1", "grpo.prompts=4"}));
  const std::vector<float> weights = sim::warmed_up_policy(s).weights;
  for (std::size_t i = 0; i < std::min(count, s.constants.arms.size()); ++i) {
    add_arm(name, s, s.constants.arms[i], weights, lines);
  }
}

TEST_CASE("the_first_steps_of_the_default_study_have_their_recorded_hashes") {
  hash_lines lines;
  for (const char* name : {"default", "default-v1"}) add_warm_up(name, lines);
  add_arms("default", 100, lines);
  add_arms("default-v1", 3, lines);  // the arms are the same; what differs are the problems
  if (const char* folder = std::getenv("MX_RECORD")) {
    test::put_contents(std::filesystem::path(folder) / "first_steps.csv", lines.text());
  }
  CHECK(lines.text() == test::contents_of(source("tests/e2e/frozen/first_steps.csv")));
}

}  // namespace
