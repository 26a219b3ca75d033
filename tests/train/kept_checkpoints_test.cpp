// SPDX-License-Identifier: Apache-2.0
// tests/train/kept_checkpoints_test.cpp: sim/train/kept_checkpoints.h, and runs that go on from an
// earlier checkpoint.
#include "sim/train/kept_checkpoints.h"

#include "catch.h"
#include "scratch_folder.h"
#include "sim/train/run.h"
#include "tiny_study.h"

namespace {

namespace fs = std::filesystem;
using sim::existing_run;
using test::contents_of;
using test::scratch_folder;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  if (fs::exists(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

TEST_CASE("the_last_checkpoints_are_kept_and_older_ones_removed") {
  const scratch_folder scratch;
  const fs::path last = scratch / "a.b.safetensors";
  for (const int step : {2, 4, 10, 12}) {
    fs::remove(last);
    test::put_contents(last, "step " + std::to_string(step));
    sim::keep_checkpoint(last, step, 3);
  }
  CHECK(names_in(scratch / "a.b.steps") ==
        std::vector<std::string>{"0000004.safetensors", "0000010.safetensors",
                                 "0000012.safetensors"});
  CHECK(contents_of(scratch / "a.b.steps/0000010.safetensors") == "step 10");
  CHECK(sim::newest_checkpoint(last) == last);
  fs::remove(last);
  CHECK(contents_of(sim::newest_checkpoint(last)) == "step 12");
  // One that was copied back goes on to steps that are kept already.
  test::put_contents(last, "step 12 again");
  sim::keep_checkpoint(last, 12, 3);
  CHECK(contents_of(scratch / "a.b.steps/0000012.safetensors") == "step 12 again");
  fs::remove(last);
  sim::keep_checkpoint(last, 12, 1);
  CHECK(names_in(scratch / "a.b.steps").empty());
  CHECK(sim::newest_checkpoint(last) == last);  // which need not exist
}

sim::study short_study(int kept) {
  sim::study s = test::tiny_study();
  s.warm_up.steps = 4;
  s.grpo.steps = 8;
  s.outliers.factors = {1};
  s.arms.resize(2);
  s.run.keep_checkpoints = kept;
  return s;
}

sim::run_end run(const sim::study& s, const fs::path& folder, int last_step = 0) {
  return sim::run_study({s, folder, existing_run::resume, last_step, nullptr, nullptr});
}

TEST_CASE("a_run_goes_on_from_the_newest_checkpoint_that_is_left_to_the_same_bits") {
  const scratch_folder scratch;
  const fs::path straight = scratch / "straight", folder = scratch / "run";
  REQUIRE(run(short_study(0), straight) == sim::run_end::finished);
  CHECK_FALSE(fs::exists(straight / "checkpoints/mxfp4.steps"));
  REQUIRE(run(short_study(2), folder, 6) == sim::run_end::finished);
  const fs::path kept = folder / "checkpoints/mxfp4.steps";
  REQUIRE(names_in(kept) == std::vector<std::string>{"0000004.safetensors", "0000006.safetensors"});
  CHECK(contents_of(kept / "0000006.safetensors") ==
        contents_of(folder / "checkpoints/mxfp4.safetensors"));
  fs::remove(folder / "checkpoints/mxfp4.safetensors");
  fs::remove(kept / "0000006.safetensors");
  REQUIRE(run(short_study(2), folder) == sim::run_end::finished);
  CHECK(contents_of(folder / "hashes.csv") == contents_of(straight / "hashes.csv"));
  CHECK(contents_of(folder / "metrics.jsonl") == contents_of(straight / "metrics.jsonl"));
  CHECK(names_in(kept) == std::vector<std::string>{"0000006.safetensors", "0000008.safetensors"});
}

}  // namespace
