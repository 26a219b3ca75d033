// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/train_command.cpp: reads a study, runs it with progress, and writes the report.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <limits>
#include <optional>

#include "golden/io/shown_text.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/standard_streams.h"
#include "sim/cli/train/chosen_arms.h"
#include "sim/cli/train/event_log.h"
#include "sim/cli/train/stop_request.h"
#include "sim/cli/train/train_notes.h"
#include "sim/cli/train/train_progress.h"
#include "sim/device/device_products.h"
#include "sim/pretrained/starting_policy.h"
#include "sim/ranks/agreement_of_ranks.h"
#include "sim/ranks/launched_ranks.h"
#include "sim/report/divergences.h"
#include "sim/report/report.h"
#include "sim/study/study_file.h"
#include "sim/study/study_keys.h"
#include "sim/task/problem_file.h"
#include "sim/train/memory_limit.h"
#include "sim/train/run.h"
#include "sim/train/thread_limit.h"

namespace sim::cli {
namespace {

struct train_options {
  std::string file, folder, arms, resume;
  std::vector<std::string> overrides;
  int threads = -1, micro_batch = -1, keep_last = 0, steps = 0;
  std::optional<std::int64_t> seed;
  bool quick = false, force = false;
  output form = output::text;
};

/// The key of a KEY=VALUE.
std::string_view key_of(std::string_view text) {
  const std::string_view key = text.substr(0, text.find('='));
  return key.substr(0, key.find_last_not_of(' ') + 1);
}

/// Overrides of the command line, and those that options stand for. An option and an override of
/// one key contradict each other.
class all_overrides {
 public:
  explicit all_overrides(const std::vector<std::string>& given) : given_(given), all_(given) {}

  void add(std::string_view option, const std::string& text) {
    const auto both = std::ranges::find(given_, key_of(text), key_of);
    if (both != given_.end()) {
      throw usage_error("{} and '{}' both set {}; give one of them", option, *both, key_of(text));
    }
    all_.push_back(text);
  }
  [[nodiscard]] const std::vector<std::string>& list() const { return all_; }

 private:
  const std::vector<std::string>& given_;
  std::vector<std::string> all_;
};

/// The study of the file and the options.
study requested_study(const train_options& options) {
  all_overrides overrides(options.overrides);
  if (options.seed) overrides.add("--seed", fmt::format("seed={}", *options.seed));
  if (options.threads >= 0) {
    overrides.add("--threads", fmt::format("run.threads={}", options.threads));
  }
  if (options.micro_batch >= 0) {
    overrides.add("--micro-batch", fmt::format("run.micro_batch={}", options.micro_batch));
  }
  if (options.keep_last > 0) {
    overrides.add("--keep-last", fmt::format("run.keep_checkpoints={}", options.keep_last));
  }
  if (options.quick) overrides.add("--quick", "outliers.factors=[1]");
  study s = read_study(options.file, overrides.list());
  load_problems(s);
  load_policy(s);
  if (options.quick) {
    s.outliers.policies.clear();
    std::vector<std::string> wanted;
    for (const char* name : {"mxfp4", "inj-s", "inj-d", "inj-g", "mbs+of+aqn"}) {
      if (std::ranges::find(s.arms, name, &arm::name) != s.arms.end()) wanted.emplace_back(name);
    }
    keep_arms(s, wanted);
  }
  if (!options.arms.empty()) keep_arms(s, split(options.arms));
  return s;
}

const char* word_of(run_end end) {
  constexpr std::array words{"finished", "finished before", "stopped"};
  return words[static_cast<std::size_t>(end)];
}

/// The diverged arms of a finished run.
std::vector<metric_row> diverged_in(const std::filesystem::path& folder, run_end end) {
  const std::filesystem::path file = folder / "metrics.jsonl";
  if (end == run_end::stopped || !std::filesystem::exists(file)) return {};
  return divergences_in(read_metrics(file));
}

void print_as_json(const train_options& options, const study& s, run_end end,
                   const std::vector<metric_row>& diverged) {
  ordered_json page{{"study", s.name},
                    {"hash", study_hash(s)},
                    {"folder", options.folder},
                    {"status", word_of(end)}};
  for (const metric_row& mark : diverged) {
    page["diverged"].push_back({{"arm", mark.arm},
                                {"step", *mark.step},
                                {"pass", mark.passes},
                                {"tensor", mark.layer},
                                {"value", json_number(mark.value)}});
  }
  print_json(page);
}

/// The signal that stopped the run of all ranks, of which it may have reached one alone; 0: none
/// did.
int signal_of_ranks(const rank_group& ranks, run_end end) {
  if (end != run_end::stopped) return 0;
  int found = 0;
  for (const int signal : {SIGINT, SIGTERM}) {
    if (any_rank(ranks, requested_stop().load() == signal)) found = signal;
  }
  return found;
}

///   stopped_by  the signal, if the run was stopped
int finish(const train_options& options, const study& s, run_end end, int stopped_by) {
  const std::filesystem::path folder = options.folder;
  // A run that was killed behind its last step is finished, without a page.
  const bool lacks_page =
      end == run_end::finished_before && !std::filesystem::exists(folder / "report.html");
  if (end == run_end::finished || lacks_page) write_report(folder);
  const std::vector<metric_row> diverged = diverged_in(folder, end);
  if (options.form == output::json) {
    print_as_json(options, s, end, diverged);
  } else if (end == run_end::finished_before) {
    fmt::print("{} holds this study already, finished; {}\n", options.folder,
               lacks_page ? "its page is written, which it lacked" : "nothing was changed");
  } else if (end == run_end::finished) {
    fmt::print("\n{}\nreport: {}\n", terminal_table(read_metrics(folder / "metrics.jsonl")),
               (folder / "report.html").string());
  }
  for (const metric_row& mark : diverged) {
    say("mxprism: " + golden::io::shown(divergence_words(mark)) + "\n");
  }
  if (end != run_end::stopped) {
    return diverged.empty() ? exit_status::done : exit_status::difference;
  }
  say("stopped; the same command with --resume continues\n");
  return 128 + stopped_by;
}

/// The memory that the run needs, models of products with their evidence, and operands that are
/// quantized slowly.
void say_notes(const train_options& options, const study& s) {
  if (options.form == output::json) return;
  say("memory: " + words_of(memory_need_of(s, threads_of(s.run))) + "\n");
  for (const std::string& note : notes_of(s)) say(note + "\n");
}

int train(const train_options& options) {
  const rank_group& ranks = launched_ranks();
  const bool speaks = ranks.rank() == 0;
  const study s = requested_study(options);
  const std::unique_ptr<const value_products> products = products_of(s.run.device);
  if (speaks) say_notes(options, s);
  const int last_step = options.steps > 0 ? std::min(options.steps, s.grpo.steps) : s.grpo.steps;
  stop_at_next_step_on_signals();
  run_end end{};
  {
    std::optional<train_progress> shown;
    std::optional<event_log> events;
    if (speaks) {
      shown.emplace(s, last_step);
      events.emplace(std::filesystem::path(options.folder) / "tensorboard");
    }
    run_request request;
    request.study = s;
    if (products) request.products = products.get();
    request.folder = options.folder;
    request.existing = options.force             ? existing_run::force
                       : !options.resume.empty() ? existing_run::resume
                                                 : existing_run::fresh;
    request.last_step = last_step;
    request.stop = &requested_stop();
    if (shown) request.report = [&](const progress& p) { shown->show(p); };
    if (events) {
      request.log = [&](const std::string& run, std::span<const metric_row> rows) {
        events->take(run, rows);
      };
    }
    request.ranks = &ranks;
    end = run_study(request);
  }
  const int stopped_by = signal_of_ranks(ranks, end);
  if (speaks) return finish(options, s, end, stopped_by);
  return end == run_end::stopped ? 128 + stopped_by : exit_status::done;
}

}  // namespace

void add_train(CLI::App& program, action& chosen) {
  CLI::App* command =
      program.add_subcommand("train", "Train a policy by RL under every arm of a study");
  auto options = std::make_shared<train_options>();
  command->add_option("STUDY", options->file, "A study file, such as sim/studies/default.toml")
      ->required();
  command->add_option("KEY=VALUE", options->overrides,
                      "Override keys of the study, as in grpo.steps=20 or "
                      "arm.mxfp4.learning_rate=1e-4");
  add_value(*command, "-o,--output", options->folder, "DIR", "Folder for everything the run writes")
      ->required();
  add_value(*command, "--arms", options->arms, "A,B,...",
            "Train these arms; the reference is always among them");
  add_value(*command, "--steps", options->steps, "N", "Stop training after N steps; schedules stay")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  add_value(*command, "--seed", options->seed, "N", "The study's seed")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
  add_threads_option(*command, options->threads);
  add_value(*command, "--micro-batch", options->micro_batch, "N",
            "Sequences a micro-batch; 0: chosen")
      ->check(range_of(micro_batch_size));
  add_value(*command, "--keep-last", options->keep_last, "N",
            "Checkpoints of each arm that are kept, at most 1000 (default 1)")
      ->check(range_of({1, kept_checkpoint_count.high}));
  command->add_flag("--quick", options->quick,
                    "For a first look: fp32, mxfp4, inj-s, inj-d, inj-g, mbs+of+aqn; no outliers");
  command
      ->add_flag("--resume{auto}", options->resume,
                 "Go on with this study's run in the folder, or start it where there is none; "
                 "also --resume auto")
      ->check(CLI::IsMember({"auto"}));
  command->add_flag("--force", options->force, "Replace another study's run in the folder");
  add_json_flag(*command, options->form);
  command->footer(
      "Into the folder: metrics.csv, metrics.jsonl, hashes.csv, report.html, study.toml,\n"
      "checkpoints/, and tensorboard/ with event files (tensorboard --logdir FOLDER/tensorboard).\n"
      "Exit status: 0 done, 1 an arm diverged, 2 bad usage or bad input; 130 after SIGINT and 143\n"
      "after SIGTERM, which end it behind the present step, with checkpoints; --resume goes on to\n"
      "the same bits. A second signal ends it at once.\n\n" +
      example("  mxprism train sim/studies/default.toml -o out/first --arms mxfp4 --steps 2\n"));
  command->callback([options, &chosen] { chosen = [options] { return train(*options); }; });
}

}  // namespace sim::cli
