// SPDX-License-Identifier: Apache-2.0
// tests/claims/repro_folder_test.cpp: folders of other claims or studies and overlapping seeds are
// refused; finished seeds merge.
#include "sim/claims/repro_folder.h"

#include <fmt/format.h>

#include <functional>
#include <stdexcept>

#include "catch.h"
#include "sim/train/folder_lock.h"
#include "tests/claims/claims_text.h"
#include "tests/file_size_limit.h"

namespace {

namespace fs = std::filesystem;
using sim::repro_folder;
using runs = std::vector<sim::planned_run>;

constexpr const char* hash_columns = "arm,seed,step,sha256\n";

std::string figure(const char* place, const char* arm, const char* metric, std::uint64_t value) {
  return fmt::format(
      R"({{{},"arm":"{}","passes":"","layer":"","metric":"{}","value":{},"standard_error":null}})"
      "\n",
      place, arm, metric, value);
}

/// The figures that the claims are about, all of one value.
std::string figures_of(std::uint64_t seed) {
  std::string text;
  for (const char* arm : {"fp32", "mxfp4", "rollout"}) {
    text += figure(R"("phase":"train","step":2,"outliers":null)", arm, "accuracy_sampled", seed);
    text += figure(R"("phase":"frozen","step":null,"outliers":1)", arm, "kl", seed);
    text += figure(R"("phase":"frozen","step":null,"outliers":4)", arm, "kl", seed);
    text += figure(R"("phase":"frozen","step":null,"outliers":4)", arm, "entropy", seed);
  }
  return text;
}

/// What a finished run of the seed leaves, as far as repro reads it.
void put_run(const fs::path& at, const sim::study& s, const std::string& last_step = "2\n") {
  fs::create_directories(at / "checkpoints");
  test::put_contents(at / "study.toml", sim::resolved_toml(s));
  test::put_contents(at / "metrics.csv", "");
  test::put_contents(at / "metrics.jsonl", figures_of(s.seed));
  test::put_contents(at / "hashes.csv", hash_columns);
  test::put_contents(at / "checkpoints" / "finished", last_step);
}

/// A folder `one` that was made, to be merged into `all`.
struct merged_folders {
  test::claims_folder at;
  sim::claims_plan plan = at.plan();
  std::string one = (at.folder / "one").string();
  repro_folder first{one, plan}, all{at.folder / "all", plan};

  merged_folders() { first.make(); }
};

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

bool contains(const std::string& text, const char* part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a_folder_counts_for_its_claims_file_and_study_alone") {
  const test::claims_folder at;
  const fs::path out = at.folder / "out";
  const sim::claims_plan plan = at.plan();
  repro_folder(out, plan).make();
  const repro_folder again(out, plan);
  const auto refused = [&](const char* from, const char* to) {
    const sim::claims_plan other = at.plan(test::changed(test::claims_text, from, to));
    return refusal([&] { const repro_folder folder(out, other); });
  };
  CHECK(contains(refused("seeds = 3", "seeds = 4"), "repro.json: field 'claims_sha256'"));
  test::put_contents(at.folder / "study.toml",
                     test::changed(test::study_text, "\"tiny\"", "\"other\""));
  const sim::claims_plan other_study = at.plan();
  CHECK(contains(refusal([&] { const repro_folder folder(out, other_study); }),
                 "repro.json: field 'study_sha256'"));
  test::put_contents(out / "repro.json", "{");
  CHECK(contains(refusal([&] { const repro_folder folder(out, plan); }), "repro.json: expected"));
}

TEST_CASE("a_seed_is_finished_after_its_last_step_and_only_of_this_study") {
  const test::claims_folder at;
  const sim::claims_plan plan = at.plan();
  const repro_folder folder(at.folder / "out", plan);
  CHECK(folder.missing_runs() == sim::runs_of(plan));
  put_run(folder.of_run({0, 101}), sim::study_of(plan, {0, 101}));
  put_run(folder.of_run({0, 102}), sim::study_of(plan, {0, 102}), "1\n");
  CHECK(folder.missing_runs() == runs{{0, 102}, {0, 103}});
  put_run(folder.of_run({0, 103}), sim::study_of(plan, {0, 102}));
  CHECK(contains(refusal([&] { static_cast<void>(folder.missing_runs()); }),
                 "holds seed 103 of another study"));
}

TEST_CASE("finished_seeds_merge_and_overlapping_ones_are_refused") {
  const test::claims_folder at;
  const sim::claims_plan plan = at.plan();
  const std::string one = (at.folder / "one").string(), two = (at.folder / "two").string();
  const repro_folder first(one, plan), second(two, plan), all(at.folder / "all", plan);
  first.make();
  second.make();
  put_run(first.of_run({0, 101}), sim::study_of(plan, {0, 101}));
  put_run(second.of_run({0, 102}), sim::study_of(plan, {0, 102}));
  put_run(second.of_run({0, 103}), sim::study_of(plan, {0, 103}), "1\n");
  all.merge({one, two});
  CHECK(all.missing_runs() == runs{{0, 103}});
  CHECK(test::contents_of(all.of_run({0, 102}) / "metrics.jsonl") == figures_of(102));
  CHECK(contains(refusal([&] { all.merge({one}); }), "seed 101 is in"));
  const repro_folder other(at.folder / "other", plan);
  put_run(second.of_run({0, 101}), sim::study_of(plan, {0, 101}));
  CHECK(contains(refusal([&] { other.merge({one, two}); }), "seed 101 is in"));
  CHECK(other.missing_runs() == sim::runs_of(plan));
  const sim::claims_plan changed = at.plan(std::string(test::claims_text) + "# changed\n");
  const repro_folder of_changed(at.folder / "changed", changed);
  CHECK(contains(refusal([&] { of_changed.merge({one}); }), "field 'claims_sha256'"));
}

TEST_CASE("seeds_whose_tables_cannot_be_made_are_refused_before_any_is_merged") {
  const test::claims_folder at;
  const sim::claims_plan plan = at.plan();
  const repro_folder one(at.folder / "one", plan), all(at.folder / "all", plan);
  one.make();
  put_run(one.of_run({0, 101}), sim::study_of(plan, {0, 101}));
  put_run(one.of_run({0, 102}), sim::study_of(plan, {0, 102}));
  const auto refused = [&] { return refusal([&] { all.merge({(at.folder / "one").string()}); }); };
  const fs::path metrics = one.of_run({0, 102}) / "metrics.jsonl";
  test::put_contents(metrics,
                     figure(R"("phase":"train","step":2,"outliers":null)", "fp32", "kl", 1));
  CHECK(contains(refused(), "metric 'loss' of the claims"));
  test::put_contents(metrics, figures_of(102));
  test::put_contents(one.of_run({0, 102}) / "hashes.csv", "arm,step\n");
  CHECK(contains(refused(), "hashes.csv: line 1: expected"));
  const std::string sum(64, 'a'), line = "fp32,102,2," + sum;
  for (const std::string& cut : {line, line.substr(0, 40) + "\n", line + "\n" + line}) {
    test::put_contents(one.of_run({0, 102}) / "hashes.csv", hash_columns + cut);
    CHECK(contains(refused(), "hashes.csv: line "));
  }
  test::put_contents(one.of_run({0, 102}) / "hashes.csv", hash_columns + line + "\n");
  fs::remove(one.of_run({0, 102}) / "metrics.csv");
  CHECK(contains(refused(), "metrics.csv: is missing"));
  CHECK_FALSE(fs::exists(all.of_run({0, 101})));
}

TEST_CASE("a_seed_that_a_process_runs_is_not_replaced_and_no_other_one_is_copied") {
  const merged_folders of;
  const auto& [at, plan, one, first, all] = of;
  put_run(first.of_run({0, 101}), sim::study_of(plan, {0, 101}));
  put_run(first.of_run({0, 102}), sim::study_of(plan, {0, 102}));
  const fs::path held = all.of_run({0, 102});
  put_run(held, sim::study_of(plan, {0, 102}), "1\n");
  test::put_contents(held / "metrics.jsonl", "begun");
  {
    const sim::folder_lock other_process(held);
    const std::string refused = refusal([&] { of.all.merge({of.one}); });
    CHECK(contains(refused, "seed-102: process "));
    CHECK(contains(refused, "is running a study in this folder"));
    CHECK(test::contents_of(held / "metrics.jsonl") == "begun");
    CHECK_FALSE(fs::exists(all.of_run({0, 101})));
  }
  all.merge({one});
  CHECK(all.missing_runs() == runs{{0, 103}});
  CHECK(test::contents_of(held / "metrics.jsonl") == figures_of(102));
}

TEST_CASE("a_merged_seed_takes_the_place_of_an_unfinished_run_and_of_no_other_file") {
  const merged_folders of;
  const auto& [at, plan, one, first, all] = of;
  put_run(first.of_run({0, 101}), sim::study_of(plan, {0, 101}));
  const fs::path place = all.of_run({0, 101});
  put_run(place, sim::study_of(plan, {0, 101}), "1\n");
  test::put_contents(place / "report.html", "of the unfinished run");
  test::put_contents(place / "checkpoints" / "warm-up.safetensors", "of the unfinished run");
  test::put_contents(place / "notes.txt", "mine");
  all.merge({one});
  CHECK(all.missing_runs() == runs{{0, 102}, {0, 103}});
  CHECK(test::contents_of(place / "notes.txt") == "mine");
  CHECK_FALSE(fs::exists(place / "report.html"));
  CHECK_FALSE(fs::exists(place / "checkpoints" / "warm-up.safetensors"));
  put_run(first.of_run({0, 102}), sim::study_of(plan, {0, 102}));
  fs::remove_all(first.of_run({0, 101}));
  test::put_contents(all.of_run({0, 102}), "a file");
  CHECK(contains(refusal([&] { of.all.merge({of.one}); }), "seed-102: is no folder"));
  CHECK(test::contents_of(all.of_run({0, 102})) == "a file");
}

TEST_CASE("a_seed_whose_copy_was_cut_off_is_an_unfinished_one") {
  const merged_folders of;
  const auto& [at, plan, one, first, all] = of;
  put_run(first.of_run({0, 101}), sim::study_of(plan, {0, 101}));
  std::string hashes = hash_columns;
  for (int step = 1; step <= 1000; ++step) {
    hashes += fmt::format("fp32,101,{},{}\n", step, std::string(64, 'a'));
  }
  test::put_contents(first.of_run({0, 101}) / "hashes.csv", hashes);
  {
    const test::file_size_limit full_disk(hashes.size() / 2);
    CHECK(contains(refusal([&] { of.all.merge({of.one}); }), "hashes.csv"));
  }
  CHECK(all.missing_runs() == sim::runs_of(plan));
  all.merge({one});
  CHECK(all.missing_runs() == runs{{0, 102}, {0, 103}});
}

TEST_CASE("runs_of_several_studies_are_kept_apart_and_merge") {
  const test::claims_folder at;
  const sim::claims_plan plan = at.plan(test::two_studies);
  const std::string one = (at.folder / "one").string();
  const repro_folder first(one, plan), all(at.folder / "all", plan);
  first.make();
  CHECK(contains(test::contents_of(at.folder / "one" / "repro.json"), "\"study_sha256.deep\""));
  CHECK(first.of_run({1, 2}) == at.folder / "one" / "deep" / "seed-2");
  put_run(first.of_run({1, 2}), sim::study_of(plan, {1, 2}));
  put_run(first.of_run({0, 101}), sim::study_of(plan, {0, 101}));
  all.merge({one});
  CHECK(all.missing_runs() == runs{{0, 102}, {0, 103}, {1, 1}});
  CHECK(test::contents_of(at.folder / "all" / "deep" / "seed-2" / "metrics.jsonl") ==
        figures_of(2));
  CHECK(contains(refusal([&] { all.merge({one}); }), "seed 101 is in"));
  fs::remove_all(first.of_run({0, 101}));
  CHECK(contains(refusal([&] { all.merge({one}); }), "seed deep/2 is in"));
  put_run(all.of_run({1, 1}), sim::study_of(plan, {0, 101}));
  CHECK(contains(refusal([&] { static_cast<void>(all.missing_runs()); }),
                 "holds seed 1 of another study"));
  // The same claims file, whose second study alone is another one now.
  sim::claims_plan changed = plan;
  changed.studies[1].base.policy.layers = 4;
  CHECK(contains(refusal([&] { const repro_folder folder(one, changed); }),
                 "field 'study_sha256.deep'"));
}
