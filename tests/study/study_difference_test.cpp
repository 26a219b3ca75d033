// SPDX-License-Identifier: Apache-2.0
// tests/study/study_difference_test.cpp: sim/study/study_difference.h: every changed key is named,
// with both values.
#include "sim/study/study_difference.h"

#include <algorithm>

#include "catch.h"
#include "sim/study/study_file.h"
#include "text_file.h"

namespace {

using texts = std::vector<std::string>;

sim::study with(const std::vector<std::string>& overrides) {
  return sim::read_study(default_study(), overrides);
}

}  // namespace

TEST_CASE("changed_keys_are_named_with_both_values") {
  CHECK(sim::differences(with({"seed=3"}), with({"grpo.steps=20", "seed=4"})) ==
        texts{"seed is 3 there and 4 here", "grpo.steps is 40 there and 20 here"});
  CHECK(sim::differences(with({}), with({"grpo.adam.beta1=0.5", "name=other"})) ==
        texts{"name is \"default\" there and \"other\" here",
              "grpo.adam.beta1 is 0.9 there and 0.5 here"});
}

TEST_CASE("another_task_is_named_with_its_keys") {
  sim::study sums = with({});
  sums.task.kind = sim::task_kind::modular_sums;
  sums.task.terms = 4;
  const auto has = [](const texts& found, const std::string& text) {
    return std::ranges::count(found, text) == 1;
  };
  const texts there = sim::differences(sums, with({})), here = sim::differences(with({}), sums);
  CHECK(here.front() == "task.kind is left out there and \"modular-sums\" here");
  CHECK(has(here, "task.terms is left out there and 4 here"));
  CHECK(has(here, "task.digits is 3 there and left out here"));
  CHECK(has(there, "task.kind is \"modular-sums\" there and left out here"));
}

TEST_CASE("a_key_that_only_one_study_writes_is_named") {
  const texts both{"seed is 3 there and 4 here",
                   "measurement.additivity_steps is left out there and [] here"};
  CHECK(sim::differences(with({"seed=3"}), with({"seed=4", "measurement.additivity_steps=[]"})) ==
        both);
  CHECK(sim::differences(with({"measurement.additivity_steps=[2]"}), with({})) ==
        texts{"measurement.additivity_steps is [2] there and left out here"});
  CHECK(sim::differences(with({}), with({"policy.weights=student-t"})) ==
        texts{"policy.weights is left out there and \"student-t\" here",
              "policy.degrees is left out there and 5 here"});
  CHECK(sim::differences(with({"outliers.policies.a.massive_channels=[3]"}), with({})) ==
        texts{"outliers.policies.a.massive_channels is [3] there and left out here",
              "outliers.policies.a.massive_value is 100.0 there and left out here"});
}

TEST_CASE("a_changed_format_is_named_by_the_passes_of_its_arms") {
  const texts found = sim::differences(with({}), with({"formats.mxfp4.scale_rule=ceil"}));
  REQUIRE_FALSE(found.empty());
  CHECK(found[0] ==
        "rollout of arm \"mxfp4\" is { data = \"mxfp4\", other = \"mxfp4\" } there and "
        "{ data = \"mxfp4-ceil\", other = \"mxfp4-ceil\" } here");
}

TEST_CASE("keys_that_one_study_leaves_out_are_named") {
  sim::study slow = with({});
  slow.arms[2].learning_rate = 0.5F;
  CHECK(sim::differences(with({}), slow) ==
        texts{"learning_rate of arm \"mxfp4\" is left out there and 0.5 here"});
  CHECK(sim::differences(slow, with({})) ==
        texts{"learning_rate of arm \"mxfp4\" is 0.5 there and left out here"});
  CHECK(sim::differences(with({"grpo.optimizer=sgd"}), with({"seed=2"})) ==
        texts{"seed is 1 there and 2 here", "grpo.optimizer is \"sgd\" there and left out here"});
  sim::study trained = with({}), frozen = with({});
  frozen.arms[2].training = sim::arm_training::none;
  CHECK(sim::differences(trained, frozen) ==
        texts{"training of arm \"mxfp4\" is left out there and \"none\" here"});
  CHECK(sim::differences(frozen, trained) ==
        texts{"training of arm \"mxfp4\" is \"none\" there and left out here"});
  const sim::exempt_products e{.first = 1, .layers = 2, .format = {mx::operand_numbers::bf16}};
  sim::arithmetic& formats = trained.arms[2].formats;
  for (sim::pass_format* f : {&formats.rollout, &formats.forward, &formats.dgrad, &formats.wgrad}) {
    f->exempt = e;
  }
  CHECK(sim::differences(with({}), trained) ==
        texts{"exempt of arm \"mxfp4\" is left out there and { first = 1, last = 0, linears = "
              "\"none\", format = \"bf16\" } here"});
}

TEST_CASE("missing_arms_are_named_once") {
  sim::study few = with({});
  const std::string last = few.arms.back().name;
  few.arms.pop_back();
  CHECK(sim::differences(with({}), few) == texts{"there is no arm \"" + last + "\" here"});
  CHECK(sim::differences(few, with({})) == texts{"there is no arm \"" + last + "\" there"});
}

TEST_CASE("an_order_of_arms_is_a_difference_and_threads_are_none") {
  sim::study turned = with({});
  std::swap(turned.arms[1], turned.arms[2]);
  CHECK(sim::differences(with({}), turned) == texts{"the order of the arms"});
  CHECK(sim::differences(with({"seed=3"}), with({"run.threads=3", "seed=5"})) ==
        texts{"seed is 3 there and 5 here"});
}
