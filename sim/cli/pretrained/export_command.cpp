// SPDX-License-Identifier: Apache-2.0
// sim/cli/pretrained/export_command.cpp: writes a policy as a Hugging Face folder.
#include <fmt/format.h>

#include <array>

#include "mx/block/names.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/named_option.h"
#include "sim/pretrained/model_weights.h"
#include "sim/study/model_file.h"
#include "sim/study/study_file.h"
#include "sim/train/checkpoint.h"

namespace sim::cli {
namespace {

namespace fs = std::filesystem;

struct export_options {
  std::string model, folder, numbers = "fp32";
  output form = output::text;
};

constexpr std::array saved_numbers_table{
    mx::named<saved_numbers>{saved_numbers::fp32, "fp32", "as the policy has them"},
    mx::named<saved_numbers>{saved_numbers::bf16, "bf16", "each rounded to nearest even"}};

/// The study of a run that a checkpoint belongs to: RUN/checkpoints/ARM.safetensors.
fs::path study_beside(const fs::path& checkpoint) {
  return checkpoint.parent_path().parent_path() / "study.toml";
}

void export_run(const export_options& options, saved_numbers numbers) {
  const study s = read_study(study_beside(options.model));
  const parameter_table table(s.policy);
  const auto held = load_checkpoint(options.model, table, study_hash(s));
  if (!held) throw usage_error("{}: has no checksum of its run's study", options.model);
  if (held->state.weights.empty()) throw usage_error("{}: has no weights", options.model);
  save_model(options.folder, table, held->state.weights, numbers);
}

/// Refuses, before any work, a folder of which the export cannot take the place.
void expect_new_folder(const std::string& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return;
  if (fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored)) return;
  throw usage_error("{}: exists, and stays as it is; name a new or an empty folder", folder);
}

void print_folder(const export_options& options) {
  if (options.form == output::json) {
    print_json({{"output", options.folder}, {"numbers", options.numbers}});
  } else {
    fmt::print("{}\n", options.folder);
  }
}

int export_model(const export_options& options) {
  const saved_numbers numbers =
      option_named(saved_numbers_table, "number format", "--numbers", options.numbers);
  expect_new_folder(options.folder);
  const bool of_run = options.model.ends_with(".safetensors") && fs::exists(options.model) &&
                      fs::exists(study_beside(options.model));
  if (of_run) {
    export_run(options, numbers);
  } else {
    const model_file model = open_model(options.model);
    const parameter_table table(model.shape);
    save_model(options.folder, table, read_weights(model, table), numbers);
  }
  print_folder(options);
  return exit_status::done;
}

}  // namespace

void add_export(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "export", "Write a policy as a Hugging Face folder, which transformers and others read");
  auto options = std::make_shared<export_options>();
  command
      ->add_option("MODEL", options->model,
                   "A checkpoint of a run (RUN/checkpoints/ARM.safetensors), a Hugging Face "
                   "folder, or a .gguf")
      ->required();
  add_value(*command, "-o,--output", options->folder, "DIR", "The folder, which is made")
      ->required();
  add_value(*command, "--numbers", options->numbers, "NAME",
            "Type of the weights: fp32 (default), or bf16, rounded to nearest");
  add_json_flag(*command, options->form);
  command->footer(example("  mxprism export model -o narrow --numbers bf16\n"));
  command->callback([options, &chosen] { chosen = [options] { return export_model(*options); }; });
}

}  // namespace sim::cli
