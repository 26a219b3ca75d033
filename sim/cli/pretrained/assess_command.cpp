// SPDX-License-Identifier: Apache-2.0
// sim/cli/pretrained/assess_command.cpp: measures a checkpoint at frozen weights under a study's
// arms.
#include <fmt/format.h>

#include <limits>

#include "sim/assess/assessment.h"
#include "sim/assess/text_file.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/progress_bar.h"
#include "sim/cli/train/chosen_arms.h"
#include "sim/cli/train/stop_request.h"
#include "sim/pretrained/starting_policy.h"
#include "sim/report/figure_text.h"
#include "sim/report/report.h"
#include "sim/study/model_file.h"
#include "sim/study/study_file.h"
#include "sim/study/study_keys.h"

namespace sim::cli {
namespace {

namespace fs = std::filesystem;

struct assess_options {
  std::string model, study, prompts, folder, arms;
  int batch = 2, threads = 0;
  long long tokens = std::numeric_limits<long long>::max();
  output form = output::text;
};

/// The arms of the study; its policy is the checkpoint, and its task is not looked at.
study study_of(const assess_options& options, const text_list& texts, const policy_shape& shape) {
  study s = read_study(options.study);
  if (!options.arms.empty()) keep_arms(s, split(options.arms));
  s.policy = shape;
  s.policy.source = {options.model, "", nullptr};
  s.task = task_of_texts(texts);
  s.run.threads = options.threads;
  load_policy(s);
  return s;
}

/// Refuses batches that split the sequences of a product of wgrad: the last one may be short.
void expect_whole_products(const assess_options& options, const study& s, int texts) {
  const int last = (texts - 1) % options.batch + 1;
  for (const arm& a : s.arms) {
    const int together = a.formats.wgrad.sequences;
    if (options.batch % together == 0 && last % together == 0) continue;
    throw usage_error(
        "--batch {}: arm '{}' multiplies {} sequences at once (wgrad.sequences), and the last "
        "batch of {} texts has {}; give --batch a multiple of {} and texts that fill every batch, "
        "or leave the arm out with --arms",
        options.batch, a.name, together, texts, last, together);
  }
}

assessment_plan plan_of(const assess_options& options) {
  const model_file model = open_model(options.model);
  text_list texts = read_texts(options.prompts, {model.shape.vocabulary, longest_sequence(model)});
  keep_tokens(texts, options.tokens, options.prompts);
  if (std::ssize(texts.texts) <= options.batch) {
    throw usage_error(
        "--batch {}: leaves one batch of {} texts, and errors need two; take fewer a "
        "batch, or more texts",
        options.batch, texts.texts.size());
  }
  study s = study_of(options, texts, model.shape);
  expect_whole_products(options, s, static_cast<int>(texts.texts.size()));
  return {std::move(s), std::move(texts), options.batch};
}

void print_table(const study& s, const metrics& m) {
  std::vector<std::vector<std::string>> rows{
      {"arm", "cross entropy", "KL to FP32", "greedy agreement", "gradient cosine"}};
  const auto cell = [&](const arm& a, const char* metric, const char* passes, const char* layer) {
    const auto e = m.frozen(a.name, metric, {1, passes, layer});
    return e ? estimate_text(*e) : std::string("-");
  };
  for (const arm& a : s.arms) {
    rows.push_back({a.name, cell(a, "cross_entropy", "", ""), cell(a, "kl", "", ""),
                    cell(a, "greedy_agreement", "", ""), cell(a, "gradient_cosine", "all", "all")});
  }
  fmt::print("{}", aligned(rows));
}

void print_results(const assess_options& options, const study& s) {
  const fs::path folder = options.folder;
  if (options.form == output::json) {
    print_json({{"folder", options.folder}, {"hash", study_hash(s)}, {"status", "finished"}});
    return;
  }
  print_table(s, read_metrics(folder / "metrics.jsonl"));
  fmt::print("page: {}\n", (folder / "assessment.html").string());
}

/// The assessment, with its progress on the terminal.
assessment_end assess_shown(const assessment_plan& plan, const std::string& folder) {
  const std::size_t batches = batches_of(plan.texts, plan.batch).size();
  progress_bar bar("assessment", (batches + 1) * plan.of.arms.size());
  return sim::assess({plan, folder, &requested_stop(), [&](int, int) { bar.advance(1); }});
}

int assess(const assess_options& options) {
  const assessment_plan plan = plan_of(options);
  stop_at_next_step_on_signals();
  const assessment_end end = assess_shown(plan, options.folder);
  if (end == assessment_end::stopped) {
    std::fprintf(stderr, "stopped; the same command goes on\n");
    return 128 + requested_stop().load();
  }
  print_results(options, plan.of);
  return exit_status::done;
}

}  // namespace

void add_assess(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "assess", "Measure a checkpoint's frozen weights on texts under every arm of a study");
  auto options = std::make_shared<assess_options>();
  command
      ->add_option("MODEL", options->model,
                   "A Hugging Face folder (config.json and safetensors), or a .gguf")
      ->required();
  add_value(*command, "--study", options->study, "STUDY", "The study whose arms are measured")
      ->required();
  add_value(*command, "--prompts", options->prompts, "FILE",
            "Texts as token ids, JSON lines such as {\"tokens\": [504, 28, ...]}")
      ->required();
  add_value(*command, "-o,--output", options->folder, "DIR",
            "Folder for pieces, tables and the page")
      ->required();
  add_value(*command, "--arms", options->arms, "A,B,...",
            "Measure these arms; the reference is always among them");
  add_value(*command, "--tokens", options->tokens, "N",
            "Only the first texts with at most N tokens together")
      ->check(above_zero());
  add_value(*command, "--batch", options->batch, "N", "Texts a gradient (default 2)")
      ->check(CLI::Range(1, 65536));
  add_threads_option(*command, options->threads);
  add_json_flag(*command, options->form);
  command->footer(
      "Into the folder: metrics.csv, metrics.jsonl, study.toml, assessment.html and pieces/, one\n"
      "file an arm and batch: the same command goes on where it was interrupted. A batch in work\n"
      "needs memory for the weights twice, and for each thread the rows of the batch.\n\n" +
      example(
          "  mxprism assess model --study sim/studies/default.toml --prompts texts.jsonl -o out "
          "--arms mxfp4\n"));
  command->callback([options, &chosen] { chosen = [options] { return assess(*options); }; });
}

}  // namespace sim::cli
