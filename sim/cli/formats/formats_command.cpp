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
  std::vector<const name_list*> lists;
  output form = output::text;
};

/// The lists' keys of the whole object.
ordered_json lists_json(const std::vector<const name_list*>& lists) {
  const ordered_json all = formats_json();
  ordered_json some;
  for (const name_list* list : lists) {
    for (const char* key : list->keys) some[key] = all[key];
  }
  return some;
}

std::string lists_text(const std::vector<const name_list*>& lists) {
  std::string text;
  for (const name_list* list : lists) text += (text.empty() ? "" : "\n") + list->text();
  return text;
}

ordered_json asked_json(const options& o) {
  if (!o.name.empty()) return details_json(o.name);
  return o.lists.empty() ? formats_json() : lists_json(o.lists);
}

std::string asked_text(const options& o) {
  if (!o.name.empty()) return details_text(o.name);
  return o.lists.empty() ? formats_page() : lists_text(o.lists);
}

int run(const options& o) {
  if (!o.name.empty() && !o.lists.empty()) {
    throw usage_error("{} {}: a name is described without lists; leave one of them out", o.name,
                      o.lists.front()->option);
  }
  if (o.form == output::json) {
    print_json(asked_json(o));
  } else {
    fmt::print("{}", asked_text(o));
  }
  return exit_status::done;
}

/// An option for each list, and one for all.
void add_lists(CLI::App& command, const std::shared_ptr<options>& o) {
  for (const name_list& list : name_lists()) {
    command.add_flag_callback(
        list.option, [o, &list] { o->lists.push_back(&list); },
        fmt::format("List the {}", list.what));
  }
  command.add_flag_callback(
      "--all",
      [o] {
        o->lists.clear();
        for (const name_list& list : name_lists()) o->lists.push_back(&list);
      },
      "List all of these");
}

}  // namespace

void add_formats(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "formats", "Show formats; list rules, roundings, corrections, layouts, variants and models");
  const auto o = std::make_shared<options>();
  command
      ->add_option("NAME", o->name,
                   "Describe one name in full: a format, a rule, a layout, a variant, a model, ...")
      ->type_name("");
  add_lists(*command, o);
  add_json_flag(*command, o->form);
  command->footer(
      example("  mxprism formats\n"
              "  mxprism formats --variants\n"
              "  mxprism formats ggml.mxfp4\n"
              "  mxprism formats e2m1:e8m3:32\n"
              "  mxprism formats blackwell.mxf4\n"
              "  mxprism formats --json\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
