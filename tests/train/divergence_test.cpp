// SPDX-License-Identifier: Apache-2.0
// tests/train/divergence_test.cpp: sim/train/divergence.h and watched_step.h: the first number that
// is not finite is named, ends its arm alone, and leaves the weights before it.
#include "sim/train/divergence.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <sstream>

#include "catch.h"
#include "golden/io/file.h"
#include "mx/number/bits.h"
#include "scratch_folder.h"
#include "sim/report/divergences.h"
#include "sim/study/study_file.h"
#include "sim/train/checkpoint.h"
#include "sim/train/run.h"
#include "sim/train/watched_step.h"
#include "tiny_study.h"

namespace {

using floats = std::vector<float>;
using sim::divergence;
using test::contents_of;
using test::scratch_folder;

constexpr float infinity = std::numeric_limits<float>::infinity();

const sim::parameter_table& table() {
  static const sim::parameter_table of_tiny(test::tiny_study().policy);
  return of_tiny;
}

floats constant(float value) { return floats(static_cast<std::size_t>(table().count()), value); }

void set_first(const sim::parameter& p, float value, floats& values) {
  values[static_cast<std::size_t>(p.offset)] = value;
}

/// "PASS TENSOR VALUE" of the divergence that some work throws; empty without one.
std::string thrown_by(const std::function<void()>& work) {
  try {
    work();
  } catch (const divergence& d) {
    return fmt::format("{} {} {}", d.pass, d.tensor, d.value);
  }
  return {};
}

// ---- gradients, weights and moments -------------------------------------------------------------

TEST_CASE("a_gradient_is_named_in_the_order_of_the_backward_pass") {
  floats g = constant(0.5F);
  const float norm = sim::gradient_norm(table(), g);
  CHECK(thrown_by([&] { sim::expect_finite(table(), g, norm); }).empty());
  set_first(table().embedding(), infinity, g);
  set_first(table().layer(0).of(sim::linear::q), -infinity, g);
  set_first(table().layer(0).of(sim::linear::down), infinity, g);
  CHECK(thrown_by([&] { sim::expect_finite(table(), g, infinity); }) ==
        "backward model.layers.0.mlp.down_proj.weight.gradient inf");
}

TEST_CASE("a_gradient_whose_norm_alone_overflows_is_named_by_its_norm") {
  const floats g = constant(3e38F);
  CHECK(thrown_by([&] { sim::expect_finite(table(), g, sim::gradient_norm(table(), g)); }) ==
        "backward gradient_norm inf");
}

/// What an update with a tiny gradient would find in a state.
std::string found_in(sim::adam_state state, floats weights) {
  const sim::update_rule one_step{.learning_rate = 0x1p-100F, .clip = 1e30F};
  return thrown_by([&] { sim::update(table(), one_step, constant(1e-30F), state, weights); });
}

TEST_CASE("a_weight_whose_square_overflows_is_named") {
  const sim::adam_state moments{constant(0), constant(0), 1};
  floats weights = constant(0x1.fffffep63F);
  CHECK(found_in(moments, weights).empty());
  set_first(table().layer(0).of(sim::linear::v), -0x1p64F, weights);
  CHECK(found_in(moments, weights) ==
        fmt::format("update model.layers.0.self_attn.v_proj.weight {}", -0x1p64));
}

TEST_CASE("a_moment_that_is_not_finite_is_named_after_every_weight") {
  sim::adam_state moments{constant(1e30F), constant(1e30F), 1};
  set_first(table().final_norm(), infinity, moments.v);
  CHECK(found_in(moments, constant(1)) == "update optimizer.v.model.norm.weight inf");
  floats weights = constant(1);
  set_first(table().final_norm(), 0x1p64F, weights);
  set_first(table().embedding(), infinity, moments.v);
  CHECK(found_in(moments, weights) == fmt::format("update model.norm.weight {}", 0x1p64));
}

TEST_CASE("an_update_that_would_diverge_changes_nothing") {
  floats weights = constant(1);
  set_first(table().final_norm(), 0x1p64F, weights);
  const floats before = weights;
  sim::adam_state state;
  const sim::update_rule one_step{.learning_rate = 1e-3F, .clip = 1};
  bool asked = false;
  CHECK(!thrown_by([&] {
           sim::update(table(), one_step, constant(1e-3F), state, weights, [&] { asked = true; });
         }).empty());
  CHECK(!asked);
  const bool same = weights == before;
  CHECK(same);
  CHECK(state.m.empty());
  CHECK(state.step == 0);
}

TEST_CASE("an_update_with_a_gradient_that_is_not_finite_changes_nothing") {
  floats weights = constant(1), gradient = constant(1e-3F);
  sim::adam_state state;
  set_first(table().final_norm(), std::nanf(""), gradient);
  const sim::update_rule one_step{.learning_rate = 1e-3F, .clip = 1};
  CHECK(thrown_by([&] { sim::update(table(), one_step, gradient, state, weights); }) ==
        "backward model.norm.weight.gradient nan");
  const bool same = weights == constant(1);
  CHECK(same);
  CHECK(state.step == 0);
}

// ---- forward passes
// ------------------------------------------------------------------------------

/// A policy whose middle norm overflows for every token, and whose first norm does for the digit 7.
floats overflowing_weights() {
  floats weights = sim::initial_weights(table(), 5);
  const sim::parameter& o = table().layer(0).of(sim::linear::o);
  std::fill_n(weights.begin() + o.offset, o.count(), 1e30F);
  std::fill_n(weights.begin() + table().embedding().offset + 7 * table().embedding().columns,
              table().embedding().columns, 1e20F);
  return weights;
}

TEST_CASE("the_earliest_place_is_named_whatever_the_micro_batch") {
  for (const int micro_batch : {1, 3, 32}) {
    CAPTURE(micro_batch);
    sim::study study = test::tiny_study();
    study.run.micro_batch = micro_batch;
    const sim::setting s(study);
    sim::gradient_computer gradient(s);
    sim::training_state state{overflowing_weights(), {}, 0};
    const auto outcome = sim::watched_step(s, study.arms[0], gradient, state);
    REQUIRE(std::holds_alternative<divergence>(outcome));
    const auto& why = std::get<divergence>(outcome);
    CHECK(why.pass == "forward");
    CHECK(why.tensor == "model.layers.0.input_layernorm.mean_square");
    CHECK(why.value == double{infinity});
    const bool same = state.weights == overflowing_weights();
    CHECK(same);
    CHECK(state.step == 0);
    CHECK(state.optimizer.m.empty());
  }
}

TEST_CASE("a_rollout_that_overflows_alone_is_named") {
  sim::study study = test::tiny_study();
  study.noise.sigmas.assign(9, 3e38F);  // in the rollout alone, from the second interval on
  sim::arm noisy = study.arms[0];
  noisy.noise = sim::rollout_noise::adaptive;
  const sim::setting s(study);
  sim::gradient_computer gradient(s);
  sim::training_state state{sim::initial_weights(table(), 5), {}, 1};
  const auto outcome = sim::watched_step(s, noisy, gradient, state);
  REQUIRE(std::holds_alternative<divergence>(outcome));
  CHECK(std::get<divergence>(outcome).pass == "rollout");
  CHECK(std::get<divergence>(outcome).tensor == "log_probability");
  CHECK(state.step == 1);
}

TEST_CASE("a_step_with_finite_numbers_is_the_plain_step") {
  const sim::setting s(test::tiny_study());
  sim::gradient_computer gradient(s);
  sim::training_state watched{sim::initial_weights(table(), 5), {}, 0}, plain = watched;
  const auto outcome = sim::watched_step(s, s.constants.arms[1], gradient, watched);
  REQUIRE(std::holds_alternative<sim::rollout_step>(outcome));
  const auto step = sim::grpo_step(s, s.constants.arms[1], gradient, plain);
  CHECK(sim::step_hash(watched, std::get<sim::rollout_step>(outcome)) ==
        sim::step_hash(plain, step));
}

// ---- runs
// ----------------------------------------------------------------------------------------

sim::study short_study() {
  sim::study s = test::tiny_study();
  s.outliers.factors = {1};
  s.arms.resize(3);
  return s;
}

sim::run_end run(const sim::study& s, const std::filesystem::path& folder, int last_step = 0,
                 sim::existing_run existing = sim::existing_run::fresh) {
  return sim::run_study({s, folder, existing, last_step, nullptr, nullptr});
}

/// Lines of hashes.csv by arm.
std::map<std::string, std::vector<std::string>> hashes_in(const std::filesystem::path& folder) {
  std::map<std::string, std::vector<std::string>> by_arm;
  std::istringstream lines(contents_of(folder / "hashes.csv"));
  for (std::string line; std::getline(lines, line);) {
    by_arm[line.substr(0, line.find(','))].push_back(line);
  }
  return by_arm;
}

/// A run of which the arm mxfp4 has, after step 2, a norm weight with which its next pass
/// overflows.
void begin_with_damage(const sim::study& s, const std::filesystem::path& folder) {
  REQUIRE(run(s, folder, 2) == sim::run_end::finished);
  const auto file = folder / "checkpoints" / "mxfp4.safetensors";
  auto c = sim::load_checkpoint(file, table(), sim::study_hash(s));
  REQUIRE(c.has_value());
  set_first(table().layer(0).input_norm, 0x1p63F, c->state.weights);
  set_first(table().layer(0).of(sim::linear::q), 0x1p63F, c->state.weights);
  sim::save_checkpoint(file, table(), sim::study_hash(s), *c);
}

TEST_CASE("a_diverged_arm_ends_at_its_step_and_the_others_go_on") {
  const scratch_folder scratch;
  const sim::study s = short_study();
  REQUIRE(run(s, scratch / "straight") == sim::run_end::finished);
  begin_with_damage(s, scratch / "run");
  const auto kept = sim::load_checkpoint(scratch / "run" / "checkpoints" / "mxfp4.safetensors",
                                         table(), sim::study_hash(s));
  REQUIRE(run(s, scratch / "run", 0, sim::existing_run::resume) == sim::run_end::finished);

  auto expected = hashes_in(scratch / "straight"), found = hashes_in(scratch / "run");
  CHECK(found["fp32"] == expected["fp32"]);
  CHECK(found["inj-s"] == expected["inj-s"]);
  expected["mxfp4"].resize(2);
  CHECK(found["mxfp4"] == expected["mxfp4"]);

  const sim::metrics m = sim::read_metrics(scratch / "run" / "metrics.jsonl");
  const auto marks = sim::divergences_in(m);
  REQUIRE(marks.size() == 1);
  CHECK(sim::divergence_words(marks[0]) ==
        "arm 'mxfp4' diverged at step 3: model.layers.0.self_attn.q_norm.mean_square is Inf in "
        "forward; the weights of step 2 are kept, and accuracy and reward count as 0 from step 3 "
        "on");
  CHECK(m.along("train", "mxfp4", "accuracy_sampled").steps == std::vector<double>{0, 2, 4});
  CHECK(m.along("train", "mxfp4", "accuracy_sampled").values.back() == 0);
  CHECK(m.along("train", "mxfp4", "accuracy_greedy").steps == std::vector<double>{0, 4});
  CHECK(m.along("train", "mxfp4", "accuracy_greedy").values.back() == 0);
  for (const char* metric : {"accuracy_sampled_in_fp32", "accuracy_final_in_fp32"}) {
    REQUIRE(m.along("train", "mxfp4", metric).steps.back() == 4);
    CHECK(m.along("train", "mxfp4", metric).values.back() == 0);
  }
  CHECK(m.along("train", "mxfp4", "accuracy_sampled_of_fp32").steps ==
        m.along("train", "inj-s", "accuracy_sampled_of_fp32").steps);
  const auto reward = m.along("train", "mxfp4", "reward").values;
  REQUIRE(reward.size() == 4);
  CHECK(reward[2] == 0);
  CHECK(reward[3] == 0);

  const auto left = sim::load_checkpoint(scratch / "run" / "checkpoints" / "mxfp4.safetensors",
                                         table(), sim::study_hash(s));
  const bool same = left->state.weights == kept->state.weights;
  CHECK(same);
  CHECK(left->state.step == 2);
}

TEST_CASE("a_run_with_a_diverged_arm_resumes_to_the_same_files") {
  const scratch_folder scratch;
  const sim::study s = short_study();
  begin_with_damage(s, scratch / "straight");
  std::filesystem::copy(scratch / "straight", scratch / "run",
                        std::filesystem::copy_options::recursive);
  REQUIRE(run(s, scratch / "straight", 0, sim::existing_run::resume) == sim::run_end::finished);
  CHECK(run(s, scratch / "straight") == sim::run_end::finished_before);
  // It diverges, stops at that step, goes on to the last one, and does that once more.
  REQUIRE(run(s, scratch / "run", 3, sim::existing_run::resume) == sim::run_end::finished);
  REQUIRE(run(s, scratch / "run", 0, sim::existing_run::resume) == sim::run_end::finished);
  std::filesystem::remove(scratch / "run" / "checkpoints" / "finished");
  REQUIRE(run(s, scratch / "run", 0, sim::existing_run::resume) == sim::run_end::finished);
  for (const char* name : {"metrics.csv", "metrics.jsonl", "hashes.csv"}) {
    CHECK(contents_of(scratch / "run" / name) == contents_of(scratch / "straight" / name));
  }
}

TEST_CASE("a_learning_rate_of_1e30_is_caught_at_the_update_and_keeps_the_weights_before_it") {
  const scratch_folder scratch;
  sim::study s = short_study();
  s.arms.resize(2);
  s.grpo.learning_rate = 1e30F;
  REQUIRE(run(s, scratch / "run") == sim::run_end::finished);
  const auto marks = sim::divergences_in(sim::read_metrics(scratch / "run" / "metrics.jsonl"));
  REQUIRE(marks.size() == 2);
  CHECK(marks[0].passes == "update");
  CHECK(marks[0].layer == "model.embed_tokens.weight");
  CHECK(std::abs(marks[0].value) > 1e29);
  const auto c = sim::load_checkpoint(scratch / "run" / "checkpoints" / "fp32.safetensors", table(),
                                      sim::study_hash(s));
  REQUIRE(c.has_value());
  CHECK(std::ranges::all_of(c->state.weights, [](float w) { return std::abs(w) < 10; }));
  // Evaluations of the reference under other arms are those of its policy too.
  const sim::metrics m = sim::read_metrics(scratch / "run" / "metrics.jsonl");
  CHECK(m.along("train", "mxfp4", "accuracy_sampled_of_fp32").values.back() == 0);
  CHECK(hashes_in(scratch / "run")["fp32"].size() == std::size_t(*marks[0].step - 1));
}

TEST_CASE("a_warm_up_that_diverges_is_refused_with_the_tensor_and_the_key") {
  const scratch_folder scratch;
  sim::study s = short_study();
  s.warm_up.learning_rate = 1e30F;
  std::string message;
  try {
    static_cast<void>(run(s, scratch / "run"));
  } catch (const sim::run_error& e) {
    message = e.what();
  }
  CHECK(message.find("the warm-up diverged at step 1: model.embed_tokens.weight is") == 0);
  CHECK(message.find("warm_up.learning_rate, or policy.embedding_std") != std::string::npos);
}

TEST_CASE("a_checkpoint_with_a_number_that_is_not_finite_is_refused_by_the_tensors_name") {
  const scratch_folder scratch;
  const auto file = scratch / "policy.safetensors";
  sim::checkpoint sound;
  sound.state.weights = sim::initial_weights(table(), 5);
  sound.state.optimizer = {sound.state.weights, sound.state.weights, 1};
  const auto check = [&](const sim::checkpoint& c, const std::string& tensor) {
    sim::save_checkpoint(file, table(), "h", c);
    std::string message;
    try {
      static_cast<void>(sim::load_checkpoint(file, table(), "h"));
    } catch (const golden::io::file_error& e) {
      message = e.what();
    }
    for (const std::string& part :
         {std::string("policy.safetensors"), "'" + tensor + "': holds NaN",
          std::string("remove the file")}) {
      CAPTURE(message, part);
      CHECK(message.find(part) != std::string::npos);
    }
  };
  const sim::parameter& up = table().layer(0).of(sim::linear::up);
  for (const auto& [prefix, numbers_of] :
       {std::pair{"", +[](sim::training_state& s) { return &s.weights; }},
        std::pair{"optimizer.m.", +[](sim::training_state& s) { return &s.optimizer.m; }},
        std::pair{"optimizer.v.", +[](sim::training_state& s) { return &s.optimizer.v; }}}) {
    sim::checkpoint c = sound;
    set_first(up, std::nanf(""), *numbers_of(c.state));
    check(c, prefix + up.name);
  }
}

}  // namespace
