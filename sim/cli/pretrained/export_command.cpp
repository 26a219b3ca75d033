// SPDX-License-Identifier: Apache-2.0
// sim/cli/pretrained/export_command.cpp: writes a policy as a Hugging Face folder.
#include <fmt/format.h>

#include <map>

#include "sim/cli/terminal/commands.h"
#include "sim/pretrained/model_file.h"
#include "sim/pretrained/model_weights.h"
#include "sim/study/study_file.h"
#include "sim/train/checkpoint.h"

namespace sim::cli {
namespace {

namespace fs = std::filesystem;

struct export_options {
  std::string model, folder;
  saved_numbers numbers = saved_numbers::fp32;
};

/// The study of a run that a checkpoint belongs to: RUN/checkpoints/ARM.safetensors.
fs::path study_beside(const fs::path& checkpoint) {
  return checkpoint.parent_path().parent_path() / "study.toml";
}

void export_run(const export_options& options) {
  const study s = read_study(study_beside(options.model));
  const parameter_table table(s.policy);
  const auto held = load_checkpoint(options.model, table, study_hash(s));
  if (!held) throw usage_error("{}: has no checksum of its run's study", options.model);
  if (held->state.weights.empty()) throw usage_error("{}: has no weights", options.model);
  save_model(options.folder, table, held->state.weights, options.numbers);
}

int export_model(const export_options& options) {
  const bool of_run = options.model.ends_with(".safetensors") && fs::exists(options.model) &&
                      fs::exists(study_beside(options.model));
  if (of_run) {
    export_run(options);
  } else {
    const model_file model = open_model(options.model);
    const parameter_table table(model.shape);
    save_model(options.folder, table, read_weights(model, table), options.numbers);
  }
  fmt::print("{}\n", options.folder);
  return exit_status::done;
}

}  // namespace

void add_export(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "export", "Write a policy as a Hugging Face folder, which transformers and others read");
  auto options = std::make_shared<export_options>();
  command->add_option("MODEL", options->model,
                      "a checkpoint of a run (RUN/checkpoints/ARM.safetensors), a Hugging Face "
                      "folder, or a .gguf")
      ->required();
  command->add_option("-o,--output", options->folder, "the folder, which is made")->required();
  command
      ->add_option("--numbers", options->numbers, "fp32 (without it), or bf16, rounded to nearest")
      ->transform(CLI::CheckedTransformer(std::map<std::string, saved_numbers>{
          {"fp32", saved_numbers::fp32}, {"bf16", saved_numbers::bf16}}));
  command->footer(example("mxprism export model -o narrow --numbers bf16"));
  command->callback([options, &chosen] { chosen = [options] { return export_model(*options); }; });
}

}  // namespace sim::cli
