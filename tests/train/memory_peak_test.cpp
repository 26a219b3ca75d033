// SPDX-License-Identifier: Apache-2.0
// tests/train/memory_peak_test.cpp: sim/train/memory_peak.h and memory_limit.h against whole runs,
// and sim/train/available_memory.h against a kernel's files.
#include "sim/train/memory_peak.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "catch.h"
#include "scratch_folder.h"
#include "sim/study/study_file.h"
#include "sim/train/available_memory.h"
#include "sim/train/memory_limit.h"
#include "sim/train/run.h"
#include "tiny_study.h"

namespace {

/// A run of one arm whose vectors of all parameters dwarf the program.
sim::study large_study() {
  sim::study s = test::tiny_study();
  s.arms.resize(1);
  s.policy = {};
  s.policy.width = 512;
  s.policy.layers = 6;
  s.policy.heads = 8;
  s.policy.kv_heads = 2;
  s.policy.head_width = 64;
  s.policy.hidden = 1536;
  s.policy.vocabulary = 8192;
  s.warm_up.steps = 0;
  s.grpo.steps = 2;  // the first has no moments yet
  s.grpo.prompts = 2;
  s.grpo.samples = 4;
  s.outliers.factors.clear();
  s.measurement.evaluation_problems = s.measurement.final_problems = 8;
  s.run.threads = 1;
  s.run.kept = sim::kept_rows::inputs;
  return s;
}

void check_peak(const sim::study& s) {
  const test::scratch_folder folder;
  sim::forget_peak();
  const sim::memory_need need = sim::memory_need_of(s, s.run.threads);
  sim::run_request request;
  request.study = s;
  request.folder = folder / "run";
  CHECK(sim::run_study(request) == sim::run_end::finished);
  const double measured = sim::peak_memory();
  INFO(sim::words_of(need) << "; measured " << measured / 1e9);
  CHECK(measured < need.bytes() * 1.1);
  CHECK(measured > need.bytes() / 1.1);
}

TEST_CASE("the_peak_of_a_run_is_predicted_within_a_tenth") {
  sim::study s = large_study();
  SECTION("of a policy that is large beside its batch") {}
  SECTION("of a vocabulary that is large beside the layers") {
    s.policy.vocabulary = 65536;
    s.policy.layers = 1;
    s.policy.width = 128;
    s.policy.heads = 2;
    s.policy.hidden = 256;
  }
  SECTION("of a policy with experts") {
    s.policy.family = sim::policy_family::qwen3_moe;
    s.policy.experts = {16, 2};
    s.policy.vocabulary = 32;
    s.policy.layers = 2;
    s.policy.hidden = 512;
  }
  SECTION("of a batch that is large beside the policy and goes to experts") {
    s.policy.family = sim::policy_family::qwen3_moe;
    s.policy.experts = {8, 4};
    s.policy.vocabulary = 32;
    s.policy.width = 128;
    s.policy.heads = 2;
    s.policy.layers = 3;
    s.policy.hidden = 256;
    s.grpo.prompts = 64;
    s.run.kept = sim::kept_rows::every_layer;
  }
  SECTION("of a batch that is large beside the policy") {
    s.policy.vocabulary = 32;
    s.policy.width = 256;
    s.policy.layers = 4;
    s.policy.hidden = 512;
    s.grpo.prompts = 64;
    s.run.kept = sim::kept_rows::every_layer;
  }
  check_peak(s);
}

/// Run by hand: it takes minutes, and a checkpoint of 6 GB.
TEST_CASE("half_a_billion_parameters_need_about_ten_gigabytes", "[.][half-billion]") {
  sim::study s = large_study();
  s.policy.width = 896;
  s.policy.layers = 24;
  s.policy.heads = 14;
  s.policy.hidden = 4864;
  s.policy.vocabulary = 151'936;
  s.grpo.prompts = 1;
  fmt::print("predicted: {}\n", sim::words_of(sim::memory_need_of(s, 1)));
  check_peak(s);
  fmt::print("measured: {:.2f} GB\n", sim::peak_memory() / 1e9);
}

/// Run by hand: it needs most of 24 GB.
TEST_CASE("a_layer_of_the_shape_of_qwen3_30b_a3b_is_trained", "[.][thirty-billion]") {
  sim::study s = large_study();
  s.policy.family = sim::policy_family::qwen3_moe;
  s.policy.experts = {128, 8};
  s.policy.width = 2048;
  s.policy.layers = 1;
  s.policy.heads = 32;
  s.policy.kv_heads = 4;
  s.policy.head_width = 128;
  s.policy.hidden = 768;
  s.policy.vocabulary = 32;
  s.grpo.prompts = 1;
  s.grpo.samples = 2;
  s.grpo.optimizer = sim::optimizer_kind::sgd;
  fmt::print("predicted: {}\n", sim::words_of(sim::memory_need_of(s, 1)));
  check_peak(s);
  fmt::print("measured: {:.2f} GB\n", sim::peak_memory() / 1e9);
}

sim::study too_large_study() {
  sim::study s = large_study();
  s.policy.vocabulary = 262144;
  s.policy.width = 2048;
  s.policy.heads = 32;
  s.grpo.prompts = 64;
  s.run.kept = sim::kept_rows::every_layer;
  s.run.memory = 2;
  return s;
}

std::string refusal_of(const sim::study& s) {
  try {
    sim::expect_memory(s, 2, sim::memory_need_of(s, 2));
  } catch (const sim::run_error& e) {
    return e.what();
  }
  return "";
}

TEST_CASE("several_updates_a_batch_need_the_state_and_the_distributions_before_them") {
  sim::study s = large_study();
  const double one = sim::step_peak(s, s.arms.front(), 1).bytes();
  s.grpo.minibatches = 2;
  const auto vector = static_cast<double>(sim::parameter_table(s.policy).count()) * sizeof(float);
  const double distributions = double{sizeof(float)} * s.grpo.prompts * s.grpo.samples *
                               sim::response_limit(s.task) * s.policy.vocabulary;
  CHECK(sim::step_peak(s, s.arms.front(), 1).bytes() == Approx(one + 3 * vector + distributions));
}

TEST_CASE("what_needs_less_is_a_study_that_can_be_read") {
  sim::study s = too_large_study();
  s.outliers.factors = {1};
  CHECK(refusal_of(s).find("outliers.factors") == std::string::npos);
  s.outliers.factors = {1, 4};
  CHECK(refusal_of(s).find("outliers.factors=[]") == std::string::npos);
  s.grpo.prompts = 72;
  s.grpo.minibatches = 8;
  CHECK(refusal_of(s).find("grpo.prompts=32") != std::string::npos);  // 36 is no multiple of 8
  s.grpo.minibatches = 72;
  CHECK(refusal_of(s).find("grpo.prompts=36") == std::string::npos);
}

TEST_CASE("a_run_that_needs_more_than_it_may_is_refused_with_what_needs_less") {
  const test::scratch_folder folder;
  sim::run_request request;
  request.study = too_large_study();
  request.folder = folder / "run";
  std::string message;
  try {
    static_cast<void>(sim::run_study(request));
  } catch (const sim::run_error& e) {
    message = e.what();
  }
  for (const char* part :
       {"run.memory allows 2.15 GB", "weights and moments", "grpo.prompts=32", "run.memory=GIB"}) {
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
  }
  CHECK(!std::filesystem::exists(request.folder));
}

// ---- the kernel's files
// --------------------------------------------------------------------------

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST_CASE("the_least_of_the_machine_and_every_group_is_left") {
  const test::scratch_folder folder;
  const std::filesystem::path root = folder / "root";
  const std::filesystem::path groups = root / "sys/fs/cgroup";
  write(root / "proc/meminfo", "MemTotal: 8000 kB\nMemFree: 10 kB\nMemAvailable: 4000 kB\n");
  CHECK(sim::available_memory(root) == 4000 * 1024.0);
  SECTION("version 2") {
    write(root / "proc/self/cgroup", "0::/jobs/mine\n");
    write(groups / "jobs/mine/memory.max", "max\n");
    write(groups / "jobs/mine/memory.current", "500\n");
    CHECK(sim::available_memory(root) == 4000 * 1024.0);
    write(groups / "jobs/memory.max", "1000000\n");
    write(groups / "jobs/memory.current", "700000\n");
    CHECK(sim::available_memory(root) == 300000);
    write(groups / "jobs/memory.stat", "anon 600000\ninactive_file 50000\n");
    CHECK(sim::available_memory(root) == 350000);
    write(groups / "jobs/mine/memory.max", "100000\n");
    CHECK(sim::available_memory(root) == 99500);
  }
  SECTION("version 1") {
    write(root / "proc/self/cgroup", "4:memory:/mine\n3:cpu:/other\n");
    write(groups / "memory/mine/memory.limit_in_bytes", "1000000\n");
    write(groups / "memory/mine/memory.usage_in_bytes", "900000\n");
    write(groups / "memory/mine/memory.stat", "total_inactive_file 100000\n");
    CHECK(sim::available_memory(root) == 200000);
  }
  SECTION("a container that sees its own group as the root") {
    write(root / "proc/self/cgroup", "0::/somewhere/on/the/host\n");
    write(groups / "memory.max", "1000000\n");
    write(groups / "memory.current", "250000\n");
    CHECK(sim::available_memory(root) == 750000);
  }
}

}  // namespace
