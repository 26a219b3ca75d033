// SPDX-License-Identifier: Apache-2.0
// sim/cli/score/score_command.cpp: runs a user's test on the correct output, then on wrong ones.
#include <fmt/format.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "golden/io/unfinished.h"
#include "sim/cli/score/score_report.h"
#include "sim/cli/score/scored_output.h"
#include "sim/cli/score/test_process.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/progress_bar.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
namespace fs = std::filesystem;

/// What the test checks.
enum class subject : unsigned char { quantizer, product };

struct options {
  std::vector<std::string> words;
  std::string input;
  std::optional<std::string> model;
  rule_options rules;
  double timeout = 300;
  subject of = subject::quantizer;
  output form = output::text;
};

/// The folder for temporary files, which one of several variables of the environment names.
fs::path folder_of_temporary_files() {
  std::error_code wrong;
  const fs::path folder = fs::temp_directory_path(wrong);
  if (!wrong) return folder;
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    const char* named = std::getenv(variable);
    if (named == nullptr) continue;
    throw usage_error("{} names {}, which is no folder; set it to a writable one", variable, named);
  }
  throw usage_error("there is no folder for temporary files; set TMPDIR to a writable one");
}

/// A temporary folder for the files of one score, removed with this object.
class score_folder {
 public:
  score_folder() {
    const fs::path parent = folder_of_temporary_files();
    std::string name = (parent / "mxprism-score-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw usage_error("cannot create a folder in {}; set TMPDIR to a writable one",
                        parent.string());
    }
    path_ = name;
    golden::io::remember_unfinished_folder(path_.c_str());
  }
  ~score_folder() {
    golden::io::remove_folder_of_files(path_.c_str());  // memory may be what failed
    std::error_code ignored;
    fs::remove_all(path_, ignored);  // folders that the test made
    golden::io::forget_unfinished_folder(path_.c_str());
  }
  score_folder(const score_folder&) = delete;
  score_folder& operator=(const score_folder&) = delete;

  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string replaced(std::string word, const std::string& mark, const std::string& text) {
  for (std::size_t at = word.find(mark); at != std::string::npos;
       at = word.find(mark, at + text.size())) {
    word.replace(at, mark.size(), text);
  }
  return word;
}

test_command command_of(const options& o, const std::string& input, const score_folder& folder) {
  const std::string out = folder.file("out.safetensors");
  test_command command{{},
                       {{"MXPRISM_OUT", out}, {"MXPRISM_INPUT", input}},
                       std::chrono::milliseconds(static_cast<std::int64_t>(o.timeout * 1000)),
                       folder.file("log")};
  for (const std::string& word : o.words) {
    command.words.push_back(replaced(replaced(word, "{out}", out), "{input}", input));
  }
  return command;
}

void expect_accepted(const test_result& result) {
  if (result.end == test_end::accepted) return;
  throw usage_error(
      "the test rejects the right output ({}{}), so its verdicts on wrong ones mean nothing; is it "
      "a test of this --format and --scale-rule, and does it read {{out}} and {{input}}?",
      result.text(),
      result.last_line.empty() ? "" : "; it last printed: " + io::printable(result.last_line));
}

scored_bug scored(const output_bug& bug, const scored_output& output, const test_command& command,
                  const score_folder& folder) {
  scored_bug result{bug.name, bug.sentence, 0, verdict::no_difference, ""};
  const std::vector<io::owned_tensor> arrays = bug.arrays();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    result.bytes_changed += bytes_changed(output.right[i], arrays[i]);
  }
  if (result.bytes_changed == 0) return result;
  save_arrays(folder.file("out.safetensors"), arrays, output.notes);
  const test_result outcome = command.run();
  result.v = outcome.end == test_end::accepted ? verdict::survived : verdict::killed;
  result.end = outcome.text();
  return result;
}

std::vector<scored_bug> scores_of(const scored_output& output, const test_command& command,
                                  const score_folder& folder) {
  save_arrays(folder.file("out.safetensors"), output.right, output.notes);
  expect_accepted(command.run());
  progress_bar bar("mutants", output.bugs.size());
  std::vector<scored_bug> bugs;
  for (const output_bug& bug : output.bugs) {
    bugs.push_back(scored(bug, output, command, folder));
    bar.advance(1);
  }
  return bugs;
}

std::string input_path(const options& o, const score_folder& folder) {
  if (!o.input.empty()) return fs::absolute(o.input).string();
  const std::string path = folder.file("input.safetensors");
  write_usual_input(
      path, o.of == subject::product ? usual_numbers::of_product : usual_numbers::of_quantizer);
  return path;
}

/// Refuses options that would silently have no effect.
void expect_of_subject(const options& o) {
  if (o.of == subject::quantizer && o.model) {
    throw usage_error("--model: needs --gemm; add it, or leave --model out");
  }
  if (o.of == subject::product && (o.rules.packing || o.rules.layout)) {
    throw usage_error("--packing, --layout: a product has no codes; leave them or --gemm out");
  }
}

int run(const options& o) {
  expect_of_subject(o);
  const mx::recipe r = recipe_of(o.rules);
  const score_folder folder;
  const std::string input = input_path(o, folder);
  const io::tensor_file numbers = load_numbers(o.input.empty() ? input : o.input);
  const scored_output output = o.of == subject::product
                                   ? scored_product(numbers, r, o.model.value_or("fp32.sequential"))
                                   : scored_codes(numbers, r);
  std::vector<scored_bug> bugs;
  try {
    const signals_held held;
    bugs = scores_of(output, command_of(o, input, folder), folder);
  } catch (const interruption& stopped) {
    return 128 + stopped.signal;
  }
  const std::uint64_t survived = count_of(bugs, verdict::survived);
  if (survived + count_of(bugs, verdict::killed) == 0) {
    throw usage_error("{}: no mutant changes the output of this input; use one with numbers in it",
                      o.input.empty() ? "the usual input" : o.input);
  }
  print_score(o.words, r, bugs, o.form);
  return survived > 0 ? exit_status::difference : exit_status::done;
}

}  // namespace

void add_score(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand("score", "Show which known bugs your own test misses");
  const auto o = std::make_shared<options>();
  command
      ->add_option(
          "TEST_COMMAND", o->words,
          "After --: a program and its words; {out} and {input} become file names. Exit status "
          "0: it accepts")
      ->required();
  add_value(
      *command, "--input", o->input, "IN",
      ".safetensors or .npy of numbers (default: N(0, 1), 128 x 2048, half of the rows in BF16)");
  command->add_flag_callback(
      "--gemm", [o] { o->of = subject::product; },
      "The test checks a product: {input} has a (M, K) and b (K, N), {out} has d (M, N) of both "
      "quantized along K");
  add_value(*command, "--model", o->model, "NAME",
            "Model of the product (default fp32.sequential)");
  add_value(*command, "--timeout", o->timeout, "SECONDS",
            "Seconds for one run of the test (default 300); a test that takes longer on a mutant "
            "rejects it")
      ->check(CLI::Range(0.01, 86400.0));
  add_rule_options(*command, o->rules, rule_scope::plain);
  add_storage_options(*command, o->rules);
  add_json_flag(*command, o->form);
  command->footer(
      "The right output, as `quantize` writes it, comes first and must be accepted; then one with\n"
      "each known bug. MXPRISM_OUT and MXPRISM_INPUT name the files too. No shell is involved "
      "unless\n"
      "you name one. A mutant that changes no byte on this input does not count; --input with\n"
      "`mxprism vectors specials` has NaN, zeros and subnormals. Exit status 1 if a mutant\n"
      "survives, 2 if the right output is rejected.\n\n" +
      example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
              "  mxprism quantize x.npy -o right.safetensors\n"
              "  mxprism score --input x.npy -- cmp {out} right.safetensors\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
