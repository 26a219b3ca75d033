// SPDX-License-Identifier: Apache-2.0
// tests/train/run_folder_test.cpp: sim/train/run.h and run_folder.h: the behaviour of a run in an
// existing folder, and the round trip of its stored files.
#include "sim/train/run_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <map>

#include "catch.h"
#include "golden/io/file.h"
#include "golden/io/host_name.h"
#include "mx/number/bits.h"
#include "scratch_folder.h"
#include "sim/train/checkpoint.h"
#include "sim/train/run.h"
#include "tiny_study.h"

namespace {

using sim::existing_run;
using sim::run_end;
using test::contents_of;
using test::files_below;
using test::scratch_folder;

/// A study that takes a few hundredths of a second.
sim::study short_study() {
  sim::study s = test::tiny_study();
  s.warm_up.steps = 4;
  s.grpo.steps = 2;
  s.outliers.factors = {1};
  s.arms.resize(2);
  return s;
}

run_end run(const sim::study& s, const std::filesystem::path& folder,
            existing_run existing = existing_run::fresh, int last_step = 0) {
  return sim::run_study({s, folder, existing, last_step, nullptr, nullptr});
}

/// The message of the run_error that ends a run; empty if it succeeds.
std::string refusal_of(const sim::study& s, const std::filesystem::path& folder,
                       existing_run existing = existing_run::fresh) {
  try {
    static_cast<void>(run(s, folder, existing));
  } catch (const sim::run_error& e) {
    return e.what();
  }
  return {};
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a_finished_folder_is_left_as_it_is") {
  const scratch_folder scratch;
  REQUIRE(run(short_study(), scratch / "run") == run_end::finished);
  const auto before = files_below(scratch / "run");
  for (const char* name : {"metrics.csv", "metrics.jsonl", "hashes.csv", "study.toml",
                           "checkpoints/warm-up.safetensors", "checkpoints/fp32.safetensors",
                           "checkpoints/mxfp4.safetensors"}) {
    CHECK(before.contains(name));
  }
  for (const existing_run existing :
       {existing_run::fresh, existing_run::resume, existing_run::force}) {
    CHECK(run(short_study(), scratch / "run", existing) == run_end::finished_before);
    const bool same = files_below(scratch / "run") == before;
    CHECK(same);
  }
}

TEST_CASE("threads_and_micro_batch_make_no_other_study") {
  const scratch_folder scratch;
  REQUIRE(run(short_study(), scratch / "run") == run_end::finished);
  sim::study s = short_study();
  s.run = {2, 3};
  CHECK(run(s, scratch / "run") == run_end::finished_before);
}

TEST_CASE("a_run_of_another_study_is_refused_and_only_force_replaces_it") {
  const scratch_folder scratch;
  REQUIRE(run(short_study(), scratch / "run") == run_end::finished);
  test::put_contents(scratch / "run" / "notes.txt", "mine");
  const auto before = files_below(scratch / "run");
  sim::study other = short_study();
  other.seed = 2;
  for (const existing_run existing : {existing_run::fresh, existing_run::resume}) {
    const std::string message = refusal_of(other, scratch / "run", existing);
    CHECK(holds(message, "another study"));
    CHECK(holds(message, "--force"));
    const bool same = files_below(scratch / "run") == before;
    CHECK(same);
  }
  CHECK(run(other, scratch / "run", existing_run::force) == run_end::finished);
  CHECK(run(other, scratch / "straight") == run_end::finished);
  for (const char* name : {"metrics.csv", "hashes.csv", "study.toml"}) {
    CHECK(contents_of(scratch / "run" / name) == contents_of(scratch / "straight" / name));
  }
  CHECK(contents_of(scratch / "run" / "notes.txt") == "mine");
}

TEST_CASE("only_files_of_the_run_are_replaced") {
  const scratch_folder scratch;
  sim::study s = short_study();
  s.run.keep_checkpoints = 2;
  REQUIRE(run(s, scratch / "run") == run_end::finished);
  const std::filesystem::path folder = scratch / "run";
  const std::filesystem::path mine[] = {folder / "checkpoints" / "notes.txt",
                                        folder / "checkpoints" / "base.safetensors",
                                        folder / "checkpoints" / "frozen-x1.json",
                                        folder / "policies" / "base.toml",
                                        folder / "policies" / "mine" / "study.toml",
                                        folder / "tensorboard" / "fp32" / "notes",
                                        folder / "checkpoints" / "fp32.steps" / "best.safetensors"};
  const std::filesystem::path of_run[] = {
      folder / "checkpoints" / "mxfp4.safetensors",
      folder / "checkpoints" / "mxfp4.steps" / "0000002.safetensors",
      folder / "tensorboard" / "mxfp4" / "events.out.tfevents.000000.mxprism"};
  for (const auto& file : mine) {
    std::filesystem::create_directories(file.parent_path());
    test::put_contents(file, "mine");
  }
  std::filesystem::create_directories(of_run[2].parent_path());
  test::put_contents(of_run[2], "events");
  for (const auto& file : of_run) REQUIRE(std::filesystem::exists(file));
  sim::study other = short_study();
  other.seed = 2;
  other.arms.resize(1);
  CHECK(run(other, folder, existing_run::force) == run_end::finished);
  for (const auto& file : mine) {
    INFO(file.string());
    CHECK(std::filesystem::exists(file));
  }
  for (const auto& file : of_run) CHECK_FALSE(std::filesystem::exists(file));
  CHECK_FALSE(std::filesystem::exists(of_run[2].parent_path()));
}

TEST_CASE("a_study_without_a_run_is_never_replaced") {
  const scratch_folder scratch;
  const std::filesystem::path folder = scratch / "run";
  std::filesystem::create_directories(folder / "checkpoints");
  REQUIRE(run(short_study(), scratch / "other") == run_end::finished);
  const std::string text = "# mine\n" + contents_of(scratch / "other" / "study.toml");
  test::put_contents(folder / "study.toml", text);
  test::put_contents(folder / "checkpoints" / "notes.txt", "mine");
  const auto before = files_below(folder);
  sim::study other = short_study();
  other.seed = 2;
  for (const sim::study& s : {short_study(), other}) {
    for (const existing_run existing :
         {existing_run::fresh, existing_run::resume, existing_run::force}) {
      const std::string message = refusal_of(s, folder, existing);
      CHECK(holds(message, "study.toml: is there without a run"));
      CHECK(holds(message, "another folder with -o"));
      const bool same = files_below(folder) == before;
      CHECK(same);
    }
  }
}

TEST_CASE("an_unfinished_run_wants_to_be_resumed") {
  const scratch_folder scratch;
  const std::atomic<int> stop = 15;
  REQUIRE(sim::run_study({short_study(), scratch / "run", existing_run::fresh, 0, &stop,
                          nullptr}) == run_end::stopped);
  CHECK(holds(refusal_of(short_study(), scratch / "run"), "--resume"));
  CHECK(run(short_study(), scratch / "run", existing_run::resume) == run_end::finished);
}

TEST_CASE("a_run_that_ended_at_an_earlier_step_goes_on_to_the_bytes_of_a_straight_one") {
  const scratch_folder scratch;
  REQUIRE(run(short_study(), scratch / "straight") == run_end::finished);
  REQUIRE(run(short_study(), scratch / "run", existing_run::fresh, 1) == run_end::finished);
  CHECK(run(short_study(), scratch / "run", existing_run::fresh, 1) == run_end::finished_before);
  CHECK(run(short_study(), scratch / "run", existing_run::resume) == run_end::finished);
  for (const char* name : {"metrics.csv", "metrics.jsonl", "hashes.csv"}) {
    CHECK(contents_of(scratch / "run" / name) == contents_of(scratch / "straight" / name));
  }
}

TEST_CASE("an_extension_that_stops_early_loses_no_rows_and_is_no_finished_run") {
  const scratch_folder scratch;
  REQUIRE(run(short_study(), scratch / "straight") == run_end::finished);
  const auto folder = scratch / "run";
  REQUIRE(run(short_study(), folder, existing_run::fresh, 1) == run_end::finished);
  test::put_contents(folder / "report.html", "of step 1");
  std::map<std::string, std::string> tables;
  for (const char* name : {"metrics.csv", "metrics.jsonl", "hashes.csv"}) {
    tables[name] = contents_of(folder / name);
  }
  const std::atomic<int> stop = 15;  // before the first arm
  REQUIRE(sim::run_study({short_study(), folder, existing_run::resume, 0, &stop, nullptr}) ==
          run_end::stopped);
  for (const auto& [name, text] : tables) CHECK(contents_of(folder / name) == text);
  CHECK(contents_of(folder / "report.html") == "of step 1");
  CHECK(run(short_study(), folder, existing_run::resume, 1) == run_end::finished_before);
  CHECK(run(short_study(), folder, existing_run::resume) == run_end::finished);
  for (const auto& [name, text] : tables) {
    CHECK(contents_of(folder / name) == contents_of(scratch / "straight" / name));
  }
}

TEST_CASE("an_extension_that_stops_while_it_trains_is_no_finished_run_and_has_no_page") {
  const scratch_folder scratch;
  const auto folder = scratch / "run";
  REQUIRE(run(short_study(), folder, existing_run::fresh, 1) == run_end::finished);
  test::put_contents(folder / "report.html", "of step 1");
  std::atomic<int> stop = 0;
  sim::run_request request;
  request.study = short_study();
  request.folder = folder;
  request.existing = existing_run::resume;
  request.stop = &stop;
  request.report = [&stop](const sim::progress& p) {
    if (p.what == sim::progress::kind::arm_step) stop = 15;
  };
  REQUIRE(sim::run_study(request) == run_end::stopped);
  CHECK_FALSE(std::filesystem::exists(folder / "checkpoints" / "finished"));
  CHECK_FALSE(std::filesystem::exists(folder / "report.html"));
}

TEST_CASE("a_run_that_lacks_a_table_or_an_arms_last_checkpoint_is_not_finished") {
  const scratch_folder scratch;
  const auto folder = scratch / "run";
  REQUIRE(run(short_study(), folder) == run_end::finished);
  const auto contents = [&] {
    std::map<std::string, std::string> found;
    for (const auto& [name, file] : files_below(folder)) found[name] = file.contents;
    return found;
  };
  const auto before = contents();
  for (const char* name :
       {"metrics.csv", "metrics.jsonl", "hashes.csv", "checkpoints/mxfp4.safetensors"}) {
    INFO(name);
    std::filesystem::remove(folder / name);
    CHECK(run(short_study(), folder, existing_run::resume) == run_end::finished);
    const bool same = contents() == before;
    CHECK(same);
  }
  // As a seed that was merged.
  for (const char* name : {"warm-up", "fp32", "mxfp4"}) {
    std::filesystem::remove(sim::checkpoint_path(folder, name));
  }
  CHECK(run(short_study(), folder, existing_run::resume) == run_end::finished_before);
}

TEST_CASE("a_file_in_the_place_of_the_folder_is_refused") {
  const scratch_folder scratch;
  test::put_contents(scratch / "run", "a file");
  CHECK(holds(refusal_of(short_study(), scratch / "run"), "no folder"));
  CHECK(contents_of(scratch / "run") == "a file");
}

TEST_CASE("a_damaged_checkpoint_is_named_and_not_used") {
  const scratch_folder scratch;
  const std::atomic<int> stop = 2;
  REQUIRE(sim::run_study({short_study(), scratch / "run", existing_run::fresh, 0, &stop,
                          nullptr}) == run_end::stopped);
  const auto file = scratch / "run" / "checkpoints" / "warm-up.safetensors";
  const std::string whole = contents_of(file);
  REQUIRE(whole.size() > 1000);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{7}, whole.size() / 2, whole.size() - 1}) {
    test::put_contents(file, whole.substr(0, size));
    std::string message;
    try {
      static_cast<void>(run(short_study(), scratch / "run", existing_run::resume));
    } catch (const golden::io::file_error& e) {
      message = e.what();
    }
    CHECK(holds(message, "warm-up.safetensors"));
    CHECK(holds(message, "is damaged: "));
    CHECK(holds(message, "remove the file, and --resume computes it again"));
  }
}

/// A process that has ended.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  return child;
}

TEST_CASE("a_resumed_run_removes_what_killed_ones_were_writing") {
  const scratch_folder scratch;
  const std::atomic<int> stop = 2;
  REQUIRE(sim::run_study({short_study(), scratch / "run", existing_run::fresh, 0, &stop,
                          nullptr}) == run_end::stopped);
  const std::string here = ".mxprism-" + golden::io::host_name() + "-";
  const std::string ended = std::to_string(ended_process());
  const std::string gone = here + ended;
  const auto folder = scratch / "run";
  const std::filesystem::path abandoned[] = {folder / (gone + "-0"), folder / "report.html.partial",
                                             folder / "checkpoints" / (gone + "-17"),
                                             folder / "tensorboard" / "mxfp4" / (gone + "-1")};
  // Of a running process, of another machine, and what is no temporary file.
  const std::filesystem::path others[] = {
      folder / (here + "1-0"),    folder / (".mxprism-other-" + ended + "-0"),
      folder / (gone + "-0.txt"), folder / (gone + "-"),
      folder / (here + "-5-0"),   folder / "checkpoints" / "notes.partial"};
  std::filesystem::create_directories(folder / "tensorboard" / "mxfp4");
  for (const auto& file : abandoned) test::put_contents(file, "half");
  for (const auto& file : others) test::put_contents(file, "mine");
  CHECK(holds(refusal_of(short_study(), folder), "--resume"));
  for (const auto& file : abandoned) CHECK(std::filesystem::exists(file));
  CHECK(run(short_study(), folder, existing_run::resume) == run_end::finished);
  for (const auto& file : abandoned) CHECK_FALSE(std::filesystem::exists(file));
  for (const auto& file : others) CHECK(contents_of(file) == "mine");
  // Whoever was killed behind the last step was writing the page or the events.
  for (const auto& file : {abandoned[0], abandoned[3]}) test::put_contents(file, "half");
  CHECK(run(short_study(), folder, existing_run::resume) == run_end::finished_before);
  for (const auto& file : {abandoned[0], abandoned[3]}) {
    CHECK_FALSE(std::filesystem::exists(file));
  }
}

TEST_CASE("a_folder_whose_study_cannot_be_read_is_refused_with_the_reason") {
  const scratch_folder scratch;
  REQUIRE(run(short_study(), scratch / "run") == run_end::finished);
  test::put_contents(scratch / "run" / "study.toml", "name = \"cut");
  const std::string message = refusal_of(short_study(), scratch / "run", existing_run::resume);
  CHECK(holds(message, "study.toml:1: expected TOML"));
  CHECK(holds(message, "--force"));
  CHECK(run(short_study(), scratch / "run", existing_run::force) == run_end::finished);
}

// ---- stored files ------------------------------------------------------------------------------

/// Equal numbers with equal signs, or both NaN.
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

void check_kept(const sim::cell_figures& figures) {
  const scratch_folder scratch;
  const sim::run_folder folder(scratch / "run", short_study(), existing_run::fresh, 2);
  CHECK_FALSE(folder.load_cell("mxfp4", 1).has_value());
  folder.save_cell("mxfp4", 1, {figures, {}});
  const auto cell = folder.load_cell("mxfp4", 1);
  REQUIRE(cell.has_value());
  CHECK_FALSE(folder.load_cell("mxfp4", 4).has_value());
  REQUIRE(cell->figures.size() == figures.size());
  for (const auto& [key, figure] : figures) {
    const sim::replicated& found = cell->figures.at(key);
    CHECK(same(found.full, figure.full));
    REQUIRE(found.without.size() == figure.without.size());
    for (std::size_t i = 0; i < figure.without.size(); ++i) {
      INFO(key.metric << " without batch " << i << ": " << figure.without[i]);
      CHECK(same(found.without[i], figure.without[i]));
    }
  }
}

TEST_CASE("figures_of_a_cell_read_back_as_they_were_kept") {
  check_kept({{{"kl", "", ""}, {0.1, {1.0 / 3, 2e-300, -0.0, 12345678901234567.0}}},
              {{"gradient_cosine", "all", "0"}, {std::nan(""), {std::nan(""), 1}}}});
}

TEST_CASE("infinite_figures_of_a_cell_read_back_as_they_were_kept") {
  const double inf = std::numeric_limits<double>::infinity();
  check_kept({{{"gradient_projection", "all", "0"}, {inf, {-inf, 1}}}});
}

TEST_CASE("energies_of_a_cell_read_back_as_they_were_kept") {
  const scratch_folder scratch;
  const sim::run_folder folder(scratch / "run", short_study(), existing_run::fresh, 2);
  const sim::metric_row energy{"frozen", "mxfp4",          std::nullopt, 1,           "",
                               "0.q",    "energy.x.scale", 0.3,          std::nullopt};
  folder.save_cell("mxfp4", 1, {{}, {energy}});
  const auto cell = folder.load_cell("mxfp4", 1);
  REQUIRE(cell.has_value());
  REQUIRE(cell->energies.size() == 1);
  CHECK(sim::row_as_json(cell->energies[0], 1) == sim::row_as_json(energy, 1));
}

TEST_CASE("a_cell_of_another_study_is_not_taken") {
  const scratch_folder scratch;
  sim::study other = short_study();
  other.seed += 1;
  const sim::run_folder own(scratch / "own", short_study(), existing_run::fresh, 2);
  const sim::run_folder of_other(scratch / "other", other, existing_run::fresh, 2);
  of_other.save_cell("mxfp4", 1, {{{{"kl", "", ""}, {0.1, {}}}}, {}});
  CHECK(of_other.load_cell("mxfp4", 1).has_value());
  std::filesystem::copy_file(sim::cell_path(scratch / "other", "mxfp4", 1),
                             sim::cell_path(scratch / "own", "mxfp4", 1));
  CHECK_FALSE(own.load_cell("mxfp4", 1).has_value());
}

TEST_CASE("a_checkpoint_reads_back_as_it_was_kept") {
  const scratch_folder scratch;
  const sim::parameter_table table(short_study().policy);
  const auto file = scratch / "policy.safetensors";
  sim::checkpoint c;
  c.state.weights = sim::initial_weights(table, 5);
  c.state.weights[3] = -0.0F;
  c.state.weights[4] = mx::float_of(1);
  c.state.optimizer = {c.state.weights, c.state.weights, 17};
  c.state.step = 9;
  const double inf = std::numeric_limits<double>::infinity();
  for (const double v : {0.1, std::nan(""), inf, -inf, -0.0, 3.0}) {
    c.rows.push_back({"train", "mxfp4", 4, std::nullopt, "", "", "reward", v, std::nullopt});
  }
  c.rows.push_back({"frozen", "factorial", std::nullopt, 16, "all", "0", "kl.\"x\"", 1, 0.5});
  c.hashes.push_back({"mxfp4", 4, std::string(64, 'a')});
  CHECK_FALSE(sim::load_checkpoint(file, table, "h").has_value());
  sim::save_checkpoint(file, table, "h", c);
  const auto found = sim::load_checkpoint(file, table, "h");
  REQUIRE(found.has_value());
  const auto bits = [](const std::vector<float>& x) {
    std::vector<std::uint32_t> result;
    for (const float v : x) result.push_back(mx::bits_of(v));
    return result;
  };
  const bool same = bits(found->state.weights) == bits(c.state.weights) &&
                    bits(found->state.optimizer.m) == bits(c.state.optimizer.m) &&
                    bits(found->state.optimizer.v) == bits(c.state.optimizer.v);
  CHECK(same);
  CHECK(found->state.step == 9);
  CHECK(found->state.optimizer.step == 17);
  REQUIRE(found->rows.size() == c.rows.size());
  for (std::size_t i = 0; i < c.rows.size(); ++i) {
    CHECK(sim::row_as_json(found->rows[i], 1) == sim::row_as_json(c.rows[i], 1));
  }
  REQUIRE(found->hashes.size() == 1);
  CHECK(found->hashes[0].sha256 == std::string(64, 'a'));
  CHECK_THROWS_AS(sim::load_checkpoint(file, table, "other"), golden::io::file_error);
}

}  // namespace
