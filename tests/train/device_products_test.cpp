// SPDX-License-Identifier: Apache-2.0
// tests/train/device_products_test.cpp: training with `[run] device = "cuda"`, whose kernels are
// bodies on the CPU: every step has the hash that the bulk functions give.
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "all_linears.h"
#include "catch.h"
#include "host_device.h"
#include "sim/device/device_products.h"
#include "sim/device/lane.h"
#include "sim/device/quantized_rows.h"
#include "sim/train/warm_up.h"
#include "tiny_study.h"

namespace {

/// Hashes of two steps of an arm.
std::vector<std::string> hashes_of(const sim::setting& s, const sim::arm& a,
                                   const std::vector<float>& weights) {
  sim::training_state state{weights, {}, 0};
  sim::gradient_computer gradient(s);
  std::vector<std::string> hashes;
  while (state.step < 2) {
    const sim::rollout_step step = sim::grpo_step(s, a, gradient, state);
    hashes.push_back(sim::step_hash(state, step));
  }
  return hashes;
}

/// Rows of all weights of linears: those of a sequence's leaves.
std::int64_t rows_of_linears(const sim::parameter_table& table) {
  std::int64_t rows = 0;
  for (int layer = 0; layer < table.shape().layers; ++layer) {
    for (const sim::linear l : test::all_linears) rows += table.layer(layer).of(l).rows;
  }
  return rows;
}

/// The products of an arm that went through the bodies.
void check_counts(const sim::setting& s, const sim::arm& a) {
  const test::device_counts& found = test::counts_of_device();
  const int sequences = 2 * s.constants.grpo.prompts * s.constants.grpo.samples;
  const std::int64_t linears = sequences * rows_of_linears(s.table);
  const bool values = a.formats.wgrad.multiplies_values();
  CHECK(found.code_leaves == (values ? 0 : linears / a.formats.wgrad.sequences));
  CHECK(found.value_leaves ==
        sequences * std::int64_t{s.table.embedding().rows} + (values ? linears : 0));
  CHECK((found.code_rows > 0) == !a.formats.forward.multiplies_values());
  CHECK(found.value_rows > 0);  // of the head, in any arm
  CHECK((found.quantized_rows > 0) == sim::is_quantized_on_device(a.formats.rollout.data));
}

void expect_equal_hashes(const sim::study& study, const std::vector<sim::arm>& arms) {
  const sim::setting on_cpu(study);
  const std::vector<float> weights = sim::warmed_up_policy(on_cpu).weights;
  const auto device = sim::cuda_products();
  const sim::setting on_device(study, *device);
  for (const sim::arm& a : arms) {
    INFO(a.name);
    test::counts_of_device().reset();
    CHECK(hashes_of(on_device, a, weights) == hashes_of(on_cpu, a, weights));
    check_counts(on_device, a);
  }
}

sim::study few_prompts(sim::study s) {
  s.grpo.prompts = 4;
  s.grpo.samples = 2;
  s.run.micro_batch = 2;  // so that leaves come in several calls
  return s;
}

/// A format's codes under a model in every pass.
sim::arm coded_arm(const char* name, const mx::block_format& format, const char* model) {
  const mx::operand f{mx::operand_numbers::coded, {{format, mx::scale_rule::floor}}};
  sim::arm a{name, test::everywhere(f), {}, {}};
  for (sim::pass_format* of :
       {&a.formats.rollout, &a.formats.forward, &a.formats.dgrad, &a.formats.wgrad}) {
    of->model = mx::model_named(model);
  }
  return a;
}

TEST_CASE("steps_by_the_bodies_of_kernels_have_the_hashes_of_the_bulk_functions") {
  const sim::study s = few_prompts(test::tiny_study());
  expect_equal_hashes(s, s.arms);
}

TEST_CASE("steps_of_codes_do_too") {
  sim::arm two_sequences =
      coded_arm("mxfp4-sequential", mx::block_formats::mxfp4, "fp32.sequential");
  two_sequences.formats.wgrad.sequences = 2;
  expect_equal_hashes(
      few_prompts(test::tiny_study()),
      {test::drawn_arm(), coded_arm("mxfp4", mx::block_formats::mxfp4, "blackwell.mxf4"),
       coded_arm("mxfp8", mx::block_formats::mxfp8_e4m3, "blackwell.mxf8f6f4.e4m3.e4m3"),
       two_sequences});
}

TEST_CASE("the_default_policy_s_steps_do_too", "[.nightly]") {
  sim::study s = few_prompts(test::tiny_study());
  s.policy = sim::study{}.policy;
  s.task = sim::study{}.task;
  s.outliers = {};
  expect_equal_hashes(s, {s.arms[0], s.arms[1], test::drawn_arm()});
}

TEST_CASE("a_machine_without_a_device_is_refused") {
  test::set_device_count(0);
  CHECK_THROWS_AS(sim::cuda_products(), sim::device_error);
  test::set_device_count(1);
}

TEST_CASE("dense_memory_is_copied_whatever_the_pitch_of_copies") {
  test::set_most_pitch(64);
  std::vector<float> from(60), to(60);
  std::iota(from.begin(), from.end(), 0.0F);
  {
    const sim::lane own;
    own.to_device(to.data(), std::span<const float>(from));
    CHECK(to == from);
    own.to_device(to.data(), from.data() + 20, 30, 1, 40);
    CHECK(std::ranges::equal(std::span(to).first(40), std::span(from).subspan(20)));
    own.to_device(to.data(), from.data(), 20, 3, 20);
    CHECK(to == from);
    own.to_device(to.data(), from.data(), 16, 3, 10);
    CHECK(std::ranges::equal(std::span(to).subspan(20, 10), std::span(from).subspan(32, 10)));
    CHECK_THROWS_AS(own.to_device(to.data(), from.data(), 17, 3, 10), sim::device_error);
  }
  test::set_most_pitch(test::cuda_most_pitch);
}

TEST_CASE("memory_and_streams_of_a_run_end_with_it") {
  { CHECK(sim::cuda_products() != nullptr); }
  CHECK(test::counts_of_device().memory == 0);
  CHECK(test::counts_of_device().streams == 0);
}

}  // namespace
