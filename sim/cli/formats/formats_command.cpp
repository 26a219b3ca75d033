// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/formats_command.cpp: lists all names, or the details of one.
#include <fmt/format.h>

#include <memory>

#include "sim/cli/formats/listed_formats.h"
#include "sim/cli/terminal/commands.h"

namespace sim::cli {
namespace {

struct options {
  std::string name;
  output form = output::text;
};

int run(const options& o) {
  const bool one = !o.name.empty();
  if (o.form == output::json) {
    print_json(one ? details_json(o.name) : formats_json());
  } else {
    fmt::print("{}", one ? details_text(o.name) : formats_text());
  }
  return exit_status::done;
}

}  // namespace

void add_formats(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "formats", "List formats, rules, roundings, corrections, layouts, variants and models");
  const auto o = std::make_shared<options>();
  command
      ->add_option("NAME", o->name,
                   "Describe one name in full: a format, a rule, a layout, a variant, a model, ...")
      ->type_name("");
  add_json_flag(*command, o->form);
  command->footer(
      example("  mxprism formats\n"
              "  mxprism formats ggml.mxfp4\n"
              "  mxprism formats e2m1:e8m3:32\n"
              "  mxprism formats blackwell.mxf4\n"
              "  mxprism formats --json\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
