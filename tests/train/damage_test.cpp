// SPDX-License-Identifier: Apache-2.0
// tests/train/damage_test.cpp: sim/train/run.h: a run ended by an error inside an arm or a cell, or
// by a damaged file, reports it, keeps only complete files, and resumes to the same bytes.
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <thread>

#include "catch.h"
#include "file_size_limit.h"
#include "golden/io/file.h"
#include "scratch_folder.h"
#include "sim/study/study_file.h"
#include "sim/train/run.h"
#include "tiny_study.h"

namespace {

using sim::existing_run;
using sim::progress;
using sim::run_end;
using test::contents_of;
using test::scratch_folder;

constexpr const char* results[] = {"hashes.csv", "metrics.csv", "metrics.jsonl"};

sim::study study_with(int threads) {
  sim::study s = test::tiny_study();
  s.warm_up.steps = 24;
  s.run.threads = threads;
  return s;
}

using report = std::function<void(const progress&)>;

run_end resume(const sim::study& s, const std::filesystem::path& folder, const report& by = {}) {
  const bool begun = std::filesystem::exists(folder / "study.toml");
  return sim::run_study(
      {s, folder, begun ? existing_run::resume : existing_run::fresh, 0, nullptr, by});
}

/// The message of the error that ends a run; empty if none does.
std::string error_of(const sim::study& s, const std::filesystem::path& folder,
                     const report& by = {}) {
  try {
    static_cast<void>(resume(s, folder, by));
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return {};
}

class straight_run {
 public:
  straight_run() { REQUIRE(resume(study_with(1), scratch_ / "run") == run_end::finished); }
  [[nodiscard]] std::filesystem::path folder() const { return scratch_ / "run"; }

 private:
  scratch_folder scratch_;
};

const std::filesystem::path& straight() {
  static const straight_run run;
  static const std::filesystem::path folder = run.folder();
  return folder;
}

void check_resumes(const sim::study& s, const std::filesystem::path& folder) {
  CHECK(resume(s, folder) == run_end::finished);
  for (const char* name : results) {
    INFO(name);
    const bool same = contents_of(folder / name) == contents_of(straight() / name);
    CHECK(same);
  }
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A report that throws at a progress call.
report throwing_at(progress::kind what, const std::string& name, int done) {
  return [=](const progress& p) {
    if (p.what == what && p.name == name && (done == 0 || p.done == done)) {
      throw sim::run_error("broken on purpose");
    }
  };
}

TEST_CASE("an_arm_that_throws_ends_alone_and_is_named") {
  for (const int threads : {1, 2, 4}) {
    for (const int step : {1, 3}) {
      const scratch_folder scratch;
      INFO(threads << " threads, step " << step);
      const std::string error = error_of(study_with(threads), scratch / "run",
                                         throwing_at(progress::kind::arm_step, "inj-s", step));
      CHECK(holds(error, "arm 'inj-s': broken on purpose"));
      CHECK_FALSE(holds(error, "mxfp4"));
      const auto checkpoints = scratch / "run" / "checkpoints";
      CHECK_FALSE(std::filesystem::exists(checkpoints / "finished"));
      const int interval = study_with(threads).measurement.evaluation_interval;
      CHECK(std::filesystem::exists(checkpoints / "inj-s.safetensors") == (step > interval));
      check_resumes(study_with(threads), scratch / "run");
    }
  }
}

TEST_CASE("an_arm_that_fails_keeps_the_others_from_their_next_step") {
  for (const int threads : {1, 2}) {
    const scratch_folder scratch;
    sim::study s = study_with(threads);
    s.grpo.steps = 12;
    std::string failed;
    std::map<std::string, int> steps_after;
    const std::string error = error_of(s, scratch / "run", [&](const progress& p) {
      if (p.what != progress::kind::arm_step || !p.reward) return;  // evaluations have none
      if (failed.empty()) {
        failed = p.name;
        throw sim::run_error("broken on purpose");
      }
      ++steps_after[p.name];
      // Of the step that was under way: by its end the failure is known.
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    });
    INFO(threads << " threads");
    CHECK(holds(error, "arm '" + failed + "': broken on purpose"));
    for (const auto& [name, steps] : steps_after) CHECK(steps <= (threads == 1 ? 0 : 1));
  }
}

TEST_CASE("a_cell_that_throws_ends_alone_and_is_named") {
  for (const int threads : {1, 2, 4}) {
    for (const char* name : {"fp32 x1", "mxfp4 x1", "inj-s x4"}) {
      const scratch_folder scratch;
      INFO(threads << " threads, " << name);
      const std::string error = error_of(study_with(threads), scratch / "run",
                                         throwing_at(progress::kind::cell, name, 0));
      CHECK(holds(error, std::string("cell ") + name + ": broken on purpose"));
      check_resumes(study_with(threads), scratch / "run");
    }
  }
}

TEST_CASE("a_file_that_cannot_grow_ends_the_run_with_its_name") {
  const auto checkpoints = straight() / "checkpoints";
  // Less than a cell, than a warm-up, and than an arm with all its rows.
  const auto cell = std::filesystem::file_size(checkpoints / "frozen-x1-fp32.json");
  const auto warm_up = std::filesystem::file_size(checkpoints / "warm-up.safetensors");
  const auto arm = std::filesystem::file_size(checkpoints / "inj-s.safetensors");
  for (const int threads : {1, 2, 4}) {
    for (const std::uintmax_t size : {std::uintmax_t{3}, cell / 2, warm_up - 1, arm - 1}) {
      const scratch_folder scratch;
      INFO(threads << " threads, " << size << " bytes");
      std::string error;
      {
        const test::file_size_limit limit(size);
        error = error_of(study_with(threads), scratch / "run");
      }
      CHECK(holds(error, "cannot write: File too large"));
      CHECK(holds(error, (scratch / "run").string()));
      check_resumes(study_with(threads), scratch / "run");
    }
  }
}

/// A run that was stopped within its training, so that files of all kinds are present to be read
/// again.
void begin(const std::filesystem::path& folder) {
  std::filesystem::copy(straight(), folder, std::filesystem::copy_options::recursive);
  std::filesystem::remove(folder / "checkpoints" / "finished");
}

void flip(const std::filesystem::path& file, std::size_t byte, int bit) {
  std::string contents = contents_of(file);
  contents[byte] = static_cast<char>(contents[byte] ^ (1 << bit));
  test::put_contents(file, contents);
}

/// Resumes after a flip of one bit: refused with the file's name, or computed again to the same
/// bytes.
void check_flip(const std::string& name, std::size_t byte, int bit) {
  const scratch_folder scratch;
  begin(scratch / "run");
  const auto file = scratch / "run" / "checkpoints" / name;
  flip(file, byte, bit);
  INFO(name << ", byte " << byte << ", bit " << bit);
  const std::string error = error_of(study_with(2), scratch / "run");
  if (!error.empty()) {
    CHECK(holds(error, file.string()));
    std::filesystem::remove(file);
  }
  check_resumes(study_with(2), scratch / "run");
}

TEST_CASE("a_flipped_bit_in_any_kept_file_never_reaches_the_results") {
  for (const char* name : {"warm-up.safetensors", "mxfp4.safetensors", "frozen-x1-mxfp4.json"}) {
    const std::size_t size = std::filesystem::file_size(straight() / "checkpoints" / name);
    for (std::size_t i = 0; i < 12; ++i) {
      check_flip(name, i < 4 ? 3 + 29 * i : size * i / 12 + i, static_cast<int>(i % 8));
    }
  }
}

TEST_CASE("a_flipped_bit_of_a_weight_is_refused_with_the_remedy") {
  const scratch_folder scratch;
  begin(scratch / "run");
  const auto file = scratch / "run" / "checkpoints" / "mxfp4.safetensors";
  flip(file, contents_of(file).size() - 5, 2);
  const std::string error = error_of(study_with(1), scratch / "run");
  CHECK(holds(error, "arm 'mxfp4': " + file.string() + ": is damaged"));
  CHECK(holds(error, "checksum"));
  CHECK(holds(error, "remove the file, and --resume"));
}

TEST_CASE("every_damaged_cell_is_named_at_once") {
  const scratch_folder scratch;
  begin(scratch / "run");
  for (const char* name : {"frozen-x1-inj-s.json", "frozen-x4-fp32.json"}) {
    const auto file = scratch / "run" / "checkpoints" / name;
    std::string contents = contents_of(file);
    test::put_contents(file, contents.substr(0, contents.size() / 2));
  }
  const std::string error = error_of(study_with(4), scratch / "run");
  CHECK(holds(error, "cell inj-s x1: "));
  CHECK(holds(error, "frozen-x1-inj-s.json: is damaged"));
  CHECK(holds(error, "frozen-x4-fp32.json: is damaged"));
}

/// Without the member or note that holds the checksum, as earlier versions wrote.
void remove_sum(const std::filesystem::path& file) {
  std::string contents = contents_of(file);
  const std::size_t at = contents.find("\"sha256\":\"");
  REQUIRE(at != std::string::npos);
  contents.replace(at + 1, 6, "unused");
  test::put_contents(file, contents);
}

TEST_CASE("files_without_a_checksum_are_computed_again_and_that_is_said") {
  const scratch_folder scratch;
  begin(scratch / "run");
  const auto checkpoints = scratch / "run" / "checkpoints";
  // A truncated cell, kept as if it were complete.
  test::put_contents(
      checkpoints / "frozen-x1-mxfp4.json",
      "{\"study\":\"" + sim::study_hash(study_with(1)) + "\",\"figures\":[],\"energies\":[]}");
  remove_sum(checkpoints / "warm-up.safetensors");
  remove_sum(checkpoints / "inj-s.safetensors");
  std::string notes;
  CHECK(resume(study_with(2), scratch / "run", [&](const progress& p) {
          if (p.what == progress::kind::note) notes += p.name + "\n";
        }) == run_end::finished);
  for (const char* name : {"frozen-x1-mxfp4.json", "warm-up.safetensors", "inj-s.safetensors"}) {
    CHECK(holds(notes, name));
  }
  CHECK(std::count(notes.begin(), notes.end(), '\n') == 3);
  for (const char* name : results) {
    const bool same = contents_of(scratch / "run" / name) == contents_of(straight() / name);
    CHECK(same);
  }
}

}  // namespace
