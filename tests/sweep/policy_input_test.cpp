// SPDX-License-Identifier: Apache-2.0
// tests/sweep/policy_input_test.cpp: policies as inputs of a sweep: keys of rows, points that are
// left out, halving, the page, and what is refused.
#include <atomic>
#include <set>

#include "catch.h"
#include "sim/pretrained/model_weights.h"
#include "sim/study/study_file.h"
#include "sim/sweep/pareto_front.h"
#include "sim/sweep/sweep_page.h"
#include "tests/sweep/small_policy.h"

namespace {

using test::policy_folder;

const std::string both = "measures = [\"frozen\", \"training\"]\n";

/// The key of the only row of a sweep of one point.
std::string key(const policy_folder& folder, const std::string& keys = both,
                const std::string& policy = "") {
  return sim::work_of(folder.sweep("format = \"mxfp4\"\n", keys, policy)).front().key;
}

std::string refusal(const policy_folder& folder, const std::string& keys,
                    const std::string& policy = "", const std::string& axes = "block = 32\n") {
  std::string text = test::refusal_of([&] { return folder.sweep(axes, keys, policy); });
  const std::string place = folder.path / "";
  for (auto at = text.find(place); at != text.npos; at = text.find(place))
    text.erase(at, place.size());
  return text;
}

}  // namespace

TEST_CASE("a_key_changes_with_all_that_its_values_depend_on_and_nothing_else") {
  const policy_folder folder;
  std::set<std::string> keys{key(folder)};
  const auto is_new = [&](const std::string& k) { return keys.insert(k).second; };
  CHECK(is_new(key(folder, "measures = [\"frozen\"]\n")));
  CHECK(is_new(key(folder, both, "steps = 2\n")));
  CHECK(is_new(key(folder, both, "texts = \"texts.jsonl\"\n")));
  CHECK(is_new(key(folder, both, "texts = \"texts.jsonl\"\nbatch = 1\n")));
  CHECK(is_new(key(folder, both, "texts = \"texts.jsonl\"\ntokens = 20\n")));
  test::put_contents(folder.path / "texts.jsonl",
                     test::with(policy_folder::texts(5), "[1,", "[2,"));
  CHECK(is_new(key(folder, both, "texts = \"texts.jsonl\"\n")));
  CHECK(is_new(key(policy_folder("seed = 2\n" + test::small_study))));
  CHECK(is_new(key(policy_folder(test::with(test::small_study, "steps = 96", "steps = 95")))));
  CHECK_FALSE(is_new(key(folder, both, "steps = 3\n")));  // as the study has
  CHECK_FALSE(is_new(
      key(policy_folder(test::with(test::small_study, "name = \"small\"", "name = \"other\"") +
                        "[[arm]]\nname = \"more\"\nformat = \"bf16\"\n"))));
}

TEST_CASE("a_key_changes_with_the_weights_of_a_checkpoint") {
  const policy_folder folder;
  const sim::parameter_table table(sim::read_study(folder.path / "study.toml").policy);
  const std::string study =
      "[policy]\ncheckpoint = \"m\"\n[task]\ndigits = 1\n[warm_up]\nschedule = \"fixed\"\nsteps = "
      "0\n[[arm]]\nname = \"fp32\"\n";
  test::put_contents(folder.path / "study.toml", study);
  std::set<std::string> keys;
  for (const std::uint64_t seed : {3, 4}) {
    std::filesystem::remove_all(folder.path / "m");
    sim::save_model(folder.path / "m", table, sim::initial_weights(table, seed),
                    sim::saved_numbers::fp32);
    keys.insert(key(folder, ""));
  }
  CHECK(keys.size() == 2);
}

TEST_CASE("rows_of_numbers_have_the_same_keys_beside_a_policy") {
  const policy_folder folder;
  const auto alone = test::loaded(test::sweep_of("format = \"mxfp4\"\n"));
  const auto beside = folder.loaded_with_policies(
      sim::sweep_in(test::sweep_text("format = \"mxfp4\"\n") +
                        "[[input]]\nname = \"p\"\npolicy = \"study.toml\"\n",
                    (folder.path / "s.toml").string()));
  CHECK(sim::work_of(alone).front().key == sim::work_of(beside).front().key);
}

TEST_CASE("points_that_a_policy_cannot_take_are_left_out_with_its_reason") {
  const policy_folder folder;
  const std::string axes =
      "format = [\"mxfp4\", \"e2m1:e8m0:16x16\"]\n"
      "model = { values = [\"none\", \"exact.rne\"], when = \"format == mxfp4\" }\n"
      "split_k = { values = [1, 2], when = \"model == exact.rne and format == mxfp4\" }\n";
  const auto s = folder.sweep(axes);
  CHECK(s.list.points.size() == 2);
  REQUIRE(s.list.refused.size() == 2);
  const auto& [reason, left] = *s.list.refused.begin();
  CHECK(reason.starts_with("input p: X of rollout: "));
  CHECK(left.example == "format=e2m1:e8m0:16x16");
  CHECK(
      s.list.refused.contains("input p: the products of a policy have no promote, split_k, "
                              "split_order or output of their own"));
  const std::string refused = refusal(folder, "invalid = \"refuse\"\n", "", "block = \"16x16\"\n");
  CHECK(test::contains(refused, "the point block=16x16: input p: X of rollout"));
}

TEST_CASE("halving_takes_a_part_of_the_steps_and_the_mean_of_the_inputs_that_have_the_objective") {
  const policy_folder folder;
  const auto s = folder.loaded_with_policies(
      sim::sweep_in("search = \"halving\"\nhalving = { rounds = 1, objective = \"kl\" }\n" +
                        test::gaussian_input +
                        "[[input]]\nname = \"p\"\npolicy = \"study.toml\"\n[[grid]]\n"
                        "format = [\"mxfp4\", \"mxfp8-e4m3\"]\n",
                    (folder.path / "s.toml").string()));
  sim::sweep_rows rows;
  std::atomic<int> measured = 0;  // rows come from several threads
  const auto best = sim::halve(s, rows, [&](const sim::sweep_row&) { ++measured; });
  CHECK(measured == 4 + 2);
  CHECK(best == std::vector<std::size_t>{1});
}

TEST_CASE("a_page_shows_each_input_by_a_metric_that_it_has") {
  const policy_folder folder;
  const auto s = folder.loaded_with_policies(sim::sweep_in(
      test::gaussian_input + "[[input]]\nname = \"p\"\npolicy = \"study.toml\"\n[[grid]]\n"
                             "element = [\"e2m1\", \"e2m3\"]\nblock = [16, 32]\n",
      (folder.path / "s.toml").string()));
  const auto work = sim::work_of(s);
  sim::sweep_rows rows;
  sim::measure(s, work, rows, [](const sim::sweep_row&) {});
  const sim::sweep_results r{s, work, rows};
  CHECK(s.study.page_metric == "sqnr_db");
  CHECK_FALSE(sim::front_of(r, s.inputs[0]).empty());
  const auto front = sim::front_of(r, s.inputs[1]);
  REQUIRE_FALSE(front.empty());
  for (std::size_t i = 1; i < front.size(); ++i) {
    CHECK(sim::quality_of(r, work[front[i]]) < sim::quality_of(r, work[front[i - 1]]));
  }
  const std::string page = sim::page_of(r, "s.toml");
  CHECK(test::contains(page, "sqnr_db: energy of x over that of the error"));
  CHECK(test::contains(page, "kl: KL of the distributions from FP32"));
  CHECK(test::contains(page, "p: best kl, "));
  CHECK_FALSE(test::contains(page, "points of the fronts by input"));
  CHECK(test::contains(page, "1 of 1,024 elements"));
  CHECK(test::contains(sim::csv_of(r), ",kl,entropy,entropy_change,cross_entropy,"));
}

TEST_CASE("measures_inputs_and_metrics_that_do_not_belong_together_are_refused") {
  const policy_folder folder;
  CHECK(refusal(folder, "measures = [\"total\"]\n") ==
        "s.toml:1: key 'measures': \"total\" is measured on numbers (file or law), and no "
        "[[input]] is "
        "one; add one, or leave the measure out");
  CHECK(test::grid_refusal("block = 32\n", "measures = [\"frozen\"]\n") ==
        "s.toml:1: key 'measures': \"frozen\" is measured on a policy (policy = \"STUDY.toml\"), "
        "and no "
        "[[input]] is one; add one, or leave the measure out");
  CHECK(
      refusal(folder, "measures = [\"frozen\"]\n", "steps = 2\n") ==
      "s.toml:1: key 'measures': without \"training\" the key steps of the input p has no effect; "
      "add the measure, or remove the key");
  CHECK(refusal(folder, "measures = [\"training\"]\n", "texts = \"texts.jsonl\"\n") ==
        "s.toml:1: key 'measures': without \"frozen\" the key texts of the input p has no effect; "
        "add "
        "the measure, or remove the key");
  CHECK(
      refusal(folder, "page_metric = \"accuracy_gap\"\n") ==
      "s.toml:1: key 'page_metric': accuracy_gap is given by the measure \"training\", which this "
      "sweep lacks on its inputs; add it to measures, or name another metric");
  CHECK(
      test::contains(refusal(folder, "search = \"halving\"\nhalving = { objective = \"error\" }\n"),
                     "key 'halving.objective': error is given by the measure \"total\""));
  CHECK(test::contains(refusal(folder, "constraints = [\"kl < 0.1\"]\n"),
                       "'kl < 0.1': kl is measured, and constraints choose the points before"));
  const std::string mixed = test::sweep_text("block = 32\n", "measures = [\"total\"]\n") +
                            "[[input]]\nname = \"p\"\npolicy = \"study.toml\"\n";
  CHECK(
      test::refusal_of([&] { return sim::sweep_in(mixed, "s.toml"); }) ==
      "s.toml:1: key 'measures': none of them is for the input p, which is a policy: \"frozen\" or "
      "\"training\"; add one, or leave the input out");
}

TEST_CASE("keys_of_a_policy_are_checked") {
  const policy_folder folder;
  CHECK(refusal(folder, "", "batch = 2\n") ==
        "s.toml:4: key 'input.batch': is about texts: add the key texts, or remove it");
  CHECK(test::contains(refusal(folder, "", "rows = 2\n"), "key 'input.rows': unknown key"));
  test::put_contents(folder.path / "texts.jsonl", "{\"tokens\": [1, 99]}\n");
  CHECK(test::contains(refusal(folder, "", "texts = \"texts.jsonl\"\n"),
                       "texts.jsonl:1: has token 99, and the policy's vocabulary ends before 32"));
  const policy_folder decaying(
      test::with(test::small_study, "[grpo]\n", "[grpo]\nschedule = \"linear\"\n"));
  CHECK(test::contains(refusal(decaying, both, "steps = 2\n"), "grpo.ramp_steps"));
  const policy_folder diverging(
      test::with(test::small_study, "learning_rate = 1e-2", "learning_rate = 1e30"));
  CHECK(test::contains(
      test::refusal_of([&] { return test::measured_rows(diverging.sweep("block = 32\n")); }),
      "the warm-up diverged: "));
}
