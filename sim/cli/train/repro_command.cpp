// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/repro_command.cpp: runs the seeds of a claims file, and decides its claims.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>

#include "golden/io/replaced_file.h"
#include "golden/io/shown_text.h"
#include "sim/claims/claims_file.h"
#include "sim/claims/claims_table.h"
#include "sim/claims/hash_table.h"
#include "sim/claims/origin.h"
#include "sim/claims/repro_folder.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/standard_streams.h"
#include "sim/cli/train/chosen_seeds.h"
#include "sim/cli/train/stop_request.h"
#include "sim/cli/train/train_progress.h"
#include "sim/device/device_products.h"
#include "sim/ranks/agreement_of_ranks.h"
#include "sim/ranks/launched_ranks.h"
#include "sim/report/report.h"
#include "sim/report/seeds/claims_section.h"
#include "sim/report/seeds/seed_page.h"
#include "sim/study/study_keys.h"
#include "sim/train/equal_ranks.h"
#include "sim/train/run.h"
#include "sim/train/run_folder.h"

namespace sim::cli {
namespace {

struct repro_options {
  std::string file, folder;
  run_choice choice;
  std::string verified, table;  ///< a seed, and the file with its hashes
  std::vector<std::string> merged;
  int threads = -1;  ///< as in the study
  output form = output::text;
};

/// The run, with its progress on the terminal.
run_end run_shown(run_request request) {
  train_progress shown(request.study, request.study.grpo.steps);
  request.report = [&](const progress& p) { shown.show(p); };
  return run_study(request);
}

/// Runs one seed, or continues it; reads what the claims need of it, so that a metric that no run
/// has is refused after the first seed.
run_end run_seed(const claims_plan& plan, const repro_folder& folder, const planned_run& run) {
  run_request request;
  request.study = study_of(plan, run);
  const std::unique_ptr<const value_products> products = products_of(request.study.run.device);
  if (products) request.products = products.get();
  request.folder = folder.of_run(run);
  request.existing = existing_run::resume;
  request.stop = &requested_stop();
  const run_end end = run_shown(request);
  if (end == run_end::stopped) return end;
  write_report(request.folder);
  static_cast<void>(values_of(plan, {folder.metrics_of(run)}));
  return end;
}

ordered_json json_of(const claims_plan& plan, std::size_t claim, const claim_result& result) {
  const stated_claim& stated = plan.claims[claim];
  const std::vector<contrast_line> lines = lines_of(plan, claim, result);
  ordered_json contrasts = json_array(lines, [&](const contrast_line& l) {
    ordered_json line{{"contrast", l.of->of.text},
                      {"metric", l.metric},
                      {"meaning", l.meaning},
                      {"expected", l.of->expected},
                      {"estimate", json_number(l.sample.mean)},
                      {"low", json_number(l.mean.low)},
                      {"high", json_number(l.mean.high)},
                      {"deviation", json_number(l.sample.deviation)},
                      {"detectable", json_number(l.detectable)}};
    if (stated.rule == claim_rule::spread) {
      line["deviation_low"] = json_number(l.deviation.low);
      line["deviation_high"] = json_number(l.deviation.high);
      line["within"] = {stated.within.low, stated.within.high};
    }
    return line;
  });
  return {{"name", stated.name},
          {"verdict", word_of(result.decided)},
          {"p_for", json_number(result.pass_p)},
          {"p_against", json_number(result.fail_p)},
          {"note", note_of(plan, claim, result, lines)},
          {"contrasts", std::move(contrasts)}};
}

/// Hashes, folder and unfinished seeds: of the main study, and by name of others.
ordered_json json_head(const repro_options& options, const claims_plan& plan,
                       const std::vector<planned_run>& missing) {
  const auto missing_of = [&](std::size_t study) {
    ordered_json seeds = ordered_json::array();
    for (const planned_run& run : missing) {
      if (run.study == study) seeds.push_back(run.seed);
    }
    return seeds;
  };
  ordered_json head{{"claims_sha256", plan.sha256},
                    {"study_sha256", shared_hash(plan.studies.front())},
                    {"folder", options.folder},
                    {"missing", missing_of(0)}};
  for (std::size_t i = 1; i < plan.studies.size(); ++i) {
    head["studies"][plan.studies[i].name] = {{"study_sha256", shared_hash(plan.studies[i])},
                                             {"missing", missing_of(i)}};
  }
  return head;
}

void print_results(const repro_options& options, const claims_plan& plan,
                   const std::vector<claim_result>& results) {
  if (options.form == output::text) {
    fmt::print("{}\n{}\n{}\n", terminal_claims(plan, results), options.folder + "/claims.md",
               options.folder + "/report.html");
    return;
  }
  ordered_json all = json_head(options, plan, {});
  all["claims"] = ordered_json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    all["claims"].push_back(json_of(plan, i, results[i]));
  }
  print_json(all);
}

table_origin origin_of(const repro_options& options) {
  return {fmt::format("mxprism repro {} -o DIR", options.file), build_commit(), machine_words()};
}

/// The runs of a study of the file.
seed_runs runs_of_study(const claims_plan& plan, std::size_t study, const repro_folder& folder) {
  std::vector<std::filesystem::path> runs;
  for (const std::uint64_t seed : plan.studies[study].seeds) {
    runs.push_back(folder.of_run({study, seed}));
  }
  return read_seeds(runs);
}

/// The page of the claims and of the main study's seeds, and a page of each other study's in its
/// folder.
void write_pages(const repro_options& options, const claims_plan& plan, const repro_folder& folder,
                 const std::vector<claim_result>& results) {
  write_page(options.folder, page_of(runs_of_study(plan, 0, folder), "Claims: " + plan.name,
                                     claims_section(plan, results), origin_of(options)));
  for (std::size_t i = 1; i < plan.studies.size(); ++i) {
    const planned_study& other = plan.studies[i];
    if (other.seeds.size() < 2) continue;
    write_page(options.folder + "/" + other.name,
               page_of(runs_of_study(plan, i, folder), other.name, "", origin_of(options)));
  }
}

/// Decides once all seeds are there: a table of some would invite stopping at a good one.
int decide_all(const repro_options& options, const claims_plan& plan, const repro_folder& folder) {
  std::vector<seed_metrics> seeds;
  for (const planned_run& run : runs_of(plan)) seeds.push_back(folder.metrics_of(run));
  const std::vector<claim_result> results = decide(plan, values_of(plan, seeds));
  golden::io::write_text(options.folder + "/claims.csv", csv_claims(plan, results));
  golden::io::write_text(options.folder + "/claims.md",
                         markdown_claims(plan, results, origin_of(options)));
  golden::io::write_text(options.folder + "/hashes.csv", hash_table(plan, folder));
  write_pages(options, plan, folder, results);
  print_results(options, plan, results);
  const bool failed = std::ranges::count(results, outcome::fail, &claim_result::decided) > 0;
  return failed ? exit_status::difference : exit_status::done;
}

int report_missing(const repro_options& options, const claims_plan& plan,
                   const std::vector<planned_run>& missing) {
  if (options.form == output::json) {
    ordered_json all = json_head(options, plan, missing);
    all["claims"] = ordered_json::array();
    print_json(all);
    return exit_status::done;
  }
  const std::size_t runs = runs_of(plan).size();
  std::vector<std::string> names;
  for (const planned_run& run : missing) names.push_back(name_of(plan, run));
  fmt::print("{} of {} seeds are finished; claims are decided once all are. Missing: {}\n",
             runs - missing.size(), runs, fmt::join(names, ", "));
  return exit_status::done;
}

/// Of these runs those that are not finished, and of them every N-th, of N ranks.
std::vector<planned_run> own_runs(const rank_group& ranks, const repro_folder& folder,
                                  const std::vector<planned_run>& runs) {
  // A rank that looked later would see what another has finished since.
  const std::string finished = from_rank_0(ranks, [&] {
    std::string marks;
    for (const planned_run& run : runs) marks += folder.is_finished(run) ? '1' : '0';
    return marks;
  });
  std::vector<planned_run> own;
  int unfinished = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (finished[i] == '0' && unfinished++ % ranks.size() == ranks.rank()) {
      own.push_back(runs[i]);
    }
  }
  return own;
}

/// Runs them, one after the other.
///   returns  the signal that stopped it, or 0
int run_each(const claims_plan& plan, const repro_folder& folder,
             const std::vector<planned_run>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    say(fmt::format("seed {}, {} of {} to run\n", name_of(plan, runs[i]), i + 1, runs.size()));
    if (run_seed(plan, folder, runs[i]) == run_end::stopped) return requested_stop().load();
  }
  return 0;
}

/// Runs those that are not finished, each rank its share, as a process of its own. A rank whose run
/// fails ends when the others have done theirs.
///   returns  the signal that stopped it, or 0
int run_all(const claims_plan& plan, const repro_folder& folder,
            const std::vector<planned_run>& runs) {
  const rank_group& ranks = launched_ranks();
  const std::vector<planned_run> own = own_runs(ranks, folder, runs);
  on_rank_0(ranks, [&] { folder.make(); });
  stop_at_next_step_on_signals();
  int signal = 0;
  std::exception_ptr failure;
  try {
    signal = run_each(plan, folder, own);
  } catch (...) {
    failure = std::current_exception();
  }
  static_cast<void>(any_rank(ranks, failure != nullptr));
  if (failure != nullptr) std::rethrow_exception(failure);
  return signal;
}

/// Runs one seed, and compares its hashes with those of a table.
int verify_seed(const repro_options& options, const claims_plan& plan, const repro_folder& folder) {
  const planned_run run = named_run(plan, options.verified);
  if (folder.is_finished(run)) {
    throw repro_error("{}: holds this seed already; choose another folder, to compute it again",
                      folder.of_run(run).string());
  }
  const std::vector<hash_line> table = hashes_in_table(plan, run, options.table);
  const int signal = run_all(plan, folder, {run});
  if (signal != 0) return 128 + signal;
  const std::string difference = hash_difference(table, hashes_of_run(plan, folder, run));
  if (options.form == output::json) {
    print_json({{"seed", options.verified},
                {"equal", difference.empty()},
                {"difference", difference.empty() ? ordered_json() : ordered_json(difference)}});
  } else {
    fmt::print(
        "seed {}: {}\n", options.verified,
        difference.empty() ? "every hash is that of the table" : golden::io::shown(difference));
  }
  return difference.empty() ? exit_status::done : exit_status::difference;
}

/// The pages of seeds that were killed between their last step and their page. Merged ones have
/// none.
void write_missing_pages(const claims_plan& plan, const repro_folder& folder) {
  for (const planned_run& run : runs_of(plan)) {
    const std::filesystem::path seed = folder.of_run(run);
    const bool ran_here = std::filesystem::exists(checkpoint_path(seed, warm_up_name));
    if (!ran_here || std::filesystem::exists(seed / "report.html")) continue;
    if (folder.is_finished(run)) write_report(seed);
  }
}

/// Refuses ranks that would not run parts of one plan, and work that has no parts.
void expect_equal_farm(const repro_options& options, const claims_plan& plan,
                       const rank_group& ranks) {
  if (ranks.size() == 1) return;
  if (!options.verified.empty() || !options.merged.empty()) {
    throw usage_error("{}: one process does it, found {} ranks; start it without mpirun",
                      options.merged.empty() ? "--verify-seed" : "--merge", ranks.size());
  }
  expect_equal_programs(ranks);
  expect_equal(ranks, "claims (SHA-256)", plan.sha256, "give every rank the same claims file");
  expect_equal(ranks, "folder", options.folder, "give every rank the same -o");
  std::string chosen;
  for (const planned_run& run : chosen_runs(plan, options.choice)) {
    chosen += (chosen.empty() ? "" : ",") + name_of(plan, run);
  }
  expect_equal(ranks, "seeds", chosen, "give every rank the same --study, --seeds and --shard");
}

int repro(const repro_options& options) {
  claims_plan plan = read_claims(options.file);
  for (planned_study& s : plan.studies) {
    if (options.threads >= 0) s.base.run.threads = options.threads;
  }
  const rank_group& ranks = launched_ranks();
  expect_equal_farm(options, plan, ranks);
  const repro_folder folder(options.folder, plan);
  if (!options.verified.empty()) return verify_seed(options, plan, folder);
  if (!options.merged.empty()) {
    folder.merge(options.merged);
  } else {
    const int signal = run_all(plan, folder, chosen_runs(plan, options.choice));
    if (signal != 0) {
      say("stopped; the same command continues\n");
      return 128 + signal;
    }
    if (ranks.rank() != 0) return exit_status::done;  // rank 0 decides
    write_missing_pages(plan, folder);
  }
  const std::vector<planned_run> missing = folder.missing_runs();
  return missing.empty() ? decide_all(options, plan, folder)
                         : report_missing(options, plan, missing);
}

}  // namespace

void add_repro(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "repro", "Run every seed of a claims file, and decide its claims: PASS, FAIL, INCONCLUSIVE");
  const auto o = std::make_shared<repro_options>();
  command->add_option("CLAIMS", o->file, "A claims file, such as sim/studies/claims.toml")
      ->required();
  add_value(*command, "-o,--output", o->folder, "DIR",
            "Folder of the runs, DIR/seed-N and DIR/STUDY/seed-N; the same command continues there")
      ->required();
  CLI::Option* study =
      add_value(*command, "--study", o->choice.study, "NAME",
                "Run seeds of this study alone; main: that of the file's own keys");
  CLI::Option* shard = add_value(*command, "--shard", o->choice.shard, "I/N",
                                 "Run every N-th seed from the I-th: one part of N, on N machines");
  CLI::Option* seeds = add_value(*command, "--seeds", o->choice.seeds, "LIST",
                                 "Run these of the file's seeds, as in 101,103-105");
  CLI::Option* verified =
      add_value(*command, "--verify-seed", o->verified, "SEED",
                "Run this seed alone, as 101 or STUDY/101, and compare its hashes with --against")
          ->excludes(study)
          ->excludes(shard)
          ->excludes(seeds);
  CLI::Option* against = add_value(*command, "--against", o->table, "TABLE",
                                   "The hashes.csv of a folder whose seeds are all finished");
  against->needs(verified);
  verified->needs(against);
  add_value(*command, "--merge", o->merged, "DIR",
            "Run nothing: take the finished seeds of these folders into the output")
      ->excludes(study)
      ->excludes(shard)
      ->excludes(seeds)
      ->excludes(verified);
  add_threads_option(*command, o->threads);
  add_json_flag(*command, o->form);
  command->footer(
      example("  mxprism repro sim/studies/claims.toml -o out/claims  # 24 seeds; the same command "
              "goes "
              "on\n"
              "  mxprism repro sim/studies/claims.toml -o out/part1 --shard 1/2\n"
              "  mxprism repro sim/studies/claims.toml -o out/part2 --shard 2/2\n"
              "  mxprism repro sim/studies/claims.toml -o out/all --merge out/part1 out/part2\n") +
      "\nOnce all seeds are finished: claims.md has the table, claims.csv every seed's contrasts,\n"
      "hashes.csv every step's hash, report.html the page of claims and seeds.\n"
      "Exit status 1 if a claim FAILs.\n");
  command->callback([o, &chosen] { chosen = [o] { return repro(*o); }; });
}

}  // namespace sim::cli
