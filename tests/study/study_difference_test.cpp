// SPDX-License-Identifier: Apache-2.0
// tests/study/study_difference_test.cpp: sim/study/study_difference.h: every changed key is named, with
// both values.
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

TEST_CASE("keys_that_one_study_alone_sets_are_named") {
  sim::study sums = with({});
  sums.task.kind = sim::task_kind::modular_sums;
  sums.task.terms = 4;
  const auto has = [](const texts& found, const std::string& text) {
    return std::ranges::count(found, text) == 1;
  };
  const texts there = sim::differences(sums, with({})), here = sim::differences(with({}), sums);
  CHECK(here.front() == "task.kind is not set there and \"modular-sums\" here");
  CHECK(has(here, "task.terms is not set there and 4 here"));
  CHECK(has(here, "task.digits is 3 there and not set here"));
  CHECK(has(there, "task.kind is \"modular-sums\" there and not set here"));
  sim::study capped = with({});
  capped.arms[2].importance_cap = 3.0F;
  CHECK(sim::differences(with({}), capped) ==
        texts{"importance_cap of arm \"mxfp4\" is not set there and 3.0 here"});
}

TEST_CASE("a_changed_format_is_named_by_the_passes_of_its_arms") {
  const texts found = sim::differences(with({}), with({"formats.mxfp4.scale_rule=ceil"}));
  REQUIRE_FALSE(found.empty());
  CHECK(found[0] ==
        "rollout of arm \"mxfp4\" is { data = \"mxfp4\", other = \"mxfp4\" } there and "
        "{ data = \"mxfp4-ceil\", other = \"mxfp4-ceil\" } here");
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
