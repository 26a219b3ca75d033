// SPDX-License-Identifier: Apache-2.0
// tests/study/study_difference_test.cpp: sim/study/study_difference.h: every changed key is named, with
// both values.
#include "sim/study/study_difference.h"

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

TEST_CASE("a_changed_format_is_named_by_the_passes_of_its_arms") {
  const texts found = sim::differences(with({}), with({"formats.mxfp4.scale_rule=ceil"}));
  REQUIRE_FALSE(found.empty());
  CHECK(found[0] ==
        "rollout of arm \"mxfp4\" is { data = \"mxfp4\", other = \"mxfp4\" } there and "
        "{ data = \"mxfp4-ceil\", other = \"mxfp4-ceil\" } here");
}

TEST_CASE("keys_that_one_study_leaves_out_are_named") {
  sim::study trained = with({}), frozen = with({});
  frozen.arms[2].training = sim::arm_training::none;
  CHECK(sim::differences(trained, frozen) ==
        texts{"training of arm \"mxfp4\" is \"none\" here and not set there"});
  CHECK(sim::differences(frozen, trained) ==
        texts{"training of arm \"mxfp4\" is \"none\" there and not set here"});
  const sim::exempt_products e{.first = 1, .layers = 2, .format = {mx::operand_numbers::bf16}};
  sim::arithmetic& formats = trained.arms[2].formats;
  for (sim::pass_format* f : {&formats.rollout, &formats.forward, &formats.dgrad, &formats.wgrad}) {
    f->exempt = e;
  }
  CHECK(sim::differences(with({}), trained) ==
        texts{"exempt of arm \"mxfp4\" is { first = 1, last = 0, linears = \"none\", format = "
              "\"bf16\" } here and not set there"});
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
