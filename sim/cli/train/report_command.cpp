// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/report_command.cpp: writes the page of a run folder again, or the page of several
// seeds.
#include <fmt/format.h>

#include <memory>

#include "sim/claims/origin.h"
#include "sim/claims/repro_folder.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/report/report.h"
#include "sim/report/seeds/seed_page.h"

namespace sim::cli {
namespace {

struct options {
  std::vector<std::string> folders;
  std::string output_folder;
  output form = output::text;
};

void print_page(const options& o, const std::filesystem::path& page, const std::string& table) {
  if (o.form == output::json) {
    print_json({{"report", page.string()}});
  } else {
    fmt::print("{}{}\n", table, page.string());
  }
}

std::string chosen_folder(const options& o) {
  if (!o.output_folder.empty()) return o.output_folder;
  if (o.folders.size() == 1) return o.folders.front();
  throw usage_error("-o: expected a folder for the page of {} folders, found none",
                    o.folders.size());
}

/// Where the page goes: into the one folder given, or the one of -o. That of claims has their page,
/// which only the claims file makes.
std::filesystem::path folder_of_page(const options& o) {
  const std::string folder = chosen_folder(o);
  if (!std::filesystem::exists(std::filesystem::path(folder) / repro_record_name)) return folder;
  throw usage_error(
      "{}: is a folder of `repro`, whose page is that of its claims: `mxprism repro CLAIMS -o {}` "
      "writes it again; for a page of the seeds alone name another folder with -o",
      folder, folder);
}

std::string command_of(const options& o) {
  return fmt::format("mxprism report {}{}{}", fmt::join(o.folders, " "),
                     o.output_folder.empty() ? "" : " -o ", o.output_folder);
}

int report_seeds(const options& o) {
  const std::filesystem::path folder = folder_of_page(o);
  const seed_runs seeds = read_seeds({o.folders.begin(), o.folders.end()});
  const std::string title = "MXFP4 error components in RL training, over seeds";
  print_page(o,
             write_page(folder, page_of(seeds, title, "",
                                        {command_of(o), build_commit(), machine_words()})),
             "");
  return exit_status::done;
}

int report_run(const options& o) {
  const run_data run = read_run(o.folders.front());
  print_page(o, write_page(folder_of_page(o), page_of(run)), terminal_table(run.figures));
  return exit_status::done;
}

int report(const options& o) {
  const bool is_one_run = o.folders.size() == 1 && !is_folder_of_seeds(o.folders.front());
  return is_one_run ? report_run(o) : report_seeds(o);
}

}  // namespace

void add_report(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "report",
      "Write report.html of folders that `train` or `repro` wrote: one page that opens offline");
  const auto o = std::make_shared<options>();
  command
      ->add_option("DIR", o->folders,
                   "A run, with study.toml and metrics.jsonl; or runs of one study under several "
                   "seeds, or a folder with them as seed-1, seed-2, ...: the page has means over "
                   "seeds")
      ->required();
  add_value(*command, "-o,--output", o->output_folder, "FOLDER",
            "Existing folder for report.html (default DIR); not one of `repro`, whose page has its "
            "claims");
  add_json_flag(*command, o->form);
  command->footer(example("  mxprism report out/default  # after sim/run\n") +
                  "\nOf several seeds: report out/seed-1 out/seed-2 out/seed-3 -o out\n");
  command->callback([o, &chosen] { chosen = [o] { return report(*o); }; });
}

}  // namespace sim::cli
