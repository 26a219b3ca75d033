// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/report_command.cpp: regenerates the page of a run folder.
#include <fmt/format.h>

#include <memory>

#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/report/report.h"

namespace sim::cli {
namespace {

struct options {
  std::string folder;
  output form = output::text;
};

int run(const options& o) {
  const std::filesystem::path page = write_report(o.folder);
  if (o.form == output::json) {
    print_json({{"report", page.string()}});
    return exit_status::done;
  }
  fmt::print("{}", terminal_table(read_metrics(std::filesystem::path(o.folder) / "metrics.jsonl")));
  fmt::print("{}\n", page.string());
  return exit_status::done;
}

}  // namespace

void add_report(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "report", "Write report.html of a folder that `train` wrote: one page that opens offline");
  const auto o = std::make_shared<options>();
  command->add_option("DIR", o->folder, "Folder with study.toml and metrics.jsonl")->required();
  add_json_flag(*command, o->form);
  command->footer(example("  mxprism report out/default        (after sim/run)\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
