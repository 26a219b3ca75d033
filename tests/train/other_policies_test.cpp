// SPDX-License-Identifier: Apache-2.0
// tests/train/other_policies_test.cpp: policies with other outliers, measured beside a study's own.
#include <map>

#include "catch.h"
#include "scratch_folder.h"
#include "sim/report/metrics.h"
#include "sim/train/frozen.h"
#include "sim/train/run.h"
#include "sim/train/warm_up.h"
#include "tiny_study.h"

namespace {

using sim::existing_run;
using sim::run_end;
using test::contents_of;
using test::scratch_folder;

/// Own outliers at two factors, and two further policies; nothing is trained.
sim::study outlier_study() {
  sim::study s = test::tiny_study();
  s.warm_up.steps = 12;
  s.arms.resize(2);
  for (sim::arm& a : s.arms) a.training = sim::arm_training::none;
  s.outliers.policies["heavy"].weights = sim::weight_law::student_t;
  s.outliers.policies["massive"].massive_channels = {4, 20};
  return s;
}

run_end run(const sim::study& s, const std::filesystem::path& folder,
            existing_run existing = existing_run::fresh, const std::atomic<int>* stop = nullptr) {
  return sim::run_study({s, folder, existing, 0, stop, nullptr});
}

std::map<std::string, std::string> by_phase(const std::filesystem::path& folder) {
  std::map<std::string, std::string> result;
  const std::string text = contents_of(folder / "metrics.csv");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    const std::string line = text.substr(begin, end - begin);
    result[line.substr(0, line.find(','))] += line.substr(line.find(','));
    begin = end;
  }
  return result;
}

TEST_CASE("every_arm_has_the_cell_of_every_policy_as_measured_from_its_own_reference") {
  const scratch_folder scratch;
  const sim::study s = outlier_study();
  REQUIRE(run(s, scratch / "run") == run_end::finished);
  const sim::metrics found = sim::read_metrics(scratch / "run" / "metrics.jsonl");
  for (const auto& [name, outliers] : s.outliers.policies) {
    sim::study other = s;
    other.policy.outliers = outliers;
    const sim::setting setting(other);
    const auto reference = sim::make_reference(setting, sim::warmed_up_policy(setting).weights);
    for (const sim::arm& a : s.arms) {
      const auto cell = sim::measure_cell(setting, reference, a, 1, sim::gradient_detail::whole);
      const std::string phase = "frozen-" + name;
      INFO(phase << ", " << a.name);
      for (const char* metric : {"kl", "entropy", "accuracy_sampled"}) {
        const auto measured = found.frozen(a.name, metric, {1, "", "", phase});
        REQUIRE(measured);
        CHECK(measured->value == cell.at({metric, "", ""}).full);
      }
      CHECK((found.frozen(a.name, "kl", {1, "", "", phase})->value > 0) == (a.name != "fp32"));
    }
  }
}

TEST_CASE("other_policies_change_no_row_of_the_study_itself") {
  const scratch_folder scratch;
  sim::study alone = outlier_study();
  alone.outliers.policies.clear();
  REQUIRE(run(outlier_study(), scratch / "both") == run_end::finished);
  REQUIRE(run(alone, scratch / "alone") == run_end::finished);
  const auto both = by_phase(scratch / "both"), own = by_phase(scratch / "alone");
  for (const auto& [phase, rows] : own) {
    INFO(phase);
    const bool same = both.at(phase) == rows;
    CHECK(same);
  }
  CHECK(both.at("frozen-heavy") != both.at("frozen-massive"));
  CHECK(contents_of(scratch / "both" / "hashes.csv") ==
        contents_of(scratch / "alone" / "hashes.csv"));
}

TEST_CASE("a_run_that_stops_at_another_policy_goes_on_to_the_bytes_of_a_straight_one") {
  const scratch_folder scratch;
  REQUIRE(run(outlier_study(), scratch / "straight") == run_end::finished);
  std::atomic<int> stop = 0;
  const auto stop_at_policy = [&](const sim::progress& p) {
    if (p.what == sim::progress::kind::note && p.name.starts_with("policy 'massive'")) stop = 15;
  };
  REQUIRE(sim::run_study({outlier_study(), scratch / "run", existing_run::fresh, 0, &stop,
                          stop_at_policy}) == run_end::stopped);
  CHECK(run(outlier_study(), scratch / "run", existing_run::resume) == run_end::finished);
  for (const char* name : {"metrics.csv", "metrics.jsonl", "hashes.csv"}) {
    const bool same =
        contents_of(scratch / "run" / name) == contents_of(scratch / "straight" / name);
    INFO(name);
    CHECK(same);
  }
}

TEST_CASE("a_replaced_run_leaves_none_of_its_policies") {
  const scratch_folder scratch;
  REQUIRE(run(outlier_study(), scratch / "run") == run_end::finished);
  sim::study other = outlier_study();
  other.seed = 2;
  other.outliers.policies.erase("heavy");
  REQUIRE(run(other, scratch / "run", existing_run::force) == run_end::finished);
  CHECK_FALSE(std::filesystem::exists(scratch / "run" / "policies" / "heavy"));
}

}  // namespace
