// SPDX-License-Identifier: Apache-2.0
// kernels/verify/program.cpp: one process starts a process a group, and adds up their records.
#include "program.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "case_groups.h"
#include "expected_refusals.h"
#include "explanations.h"
#include "group_runner.h"
#include "library_run.h"
#include "options.h"
#include "user_library.h"
#include "verdict.h"
#include "whole_file.h"

namespace mx::kernels {
namespace {

constexpr const char* requests_group = "requests:";
constexpr const char* own_table = "full-size";
constexpr const char* times_table = "times";

/// Names of the cases of a group.
struct case_group {
  std::string name;
  std::vector<std::string> cases;
};

void add_case(std::vector<case_group>& all, const std::string& table, const std::string& name) {
  const std::string group = group_of(table, name);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const case_group& g) { return g.name == group; });
  case_group& to = found == all.end() ? all.emplace_back(case_group{group, {}}) : *found;
  to.cases.push_back(name);
}

std::vector<table_of_cases> tables_of(const options& o) {
  return tables_of_cases(o.golden, o.library.empty() ? case_owner::ours : case_owner::library);
}

/// Groups of all sizes, in the order in which they run. A library has neither own cases nor times.
std::vector<case_group> all_groups(const options& o, const device_layer& device) {
  std::vector<case_group> all;
  for (const table_of_cases& table : tables_of(o)) {
    if (table.size == case_size::large && o.size == sizes::small) continue;
    for (const std::string& name : table.names()) add_case(all, table.name, name);
  }
  if (!o.library.empty()) return all;
  if (o.size == sizes::all) {
    for (const auto& one : device.own_cases) add_case(all, own_table, one.name);
  }
  if (o.speed == times::measured) {
    for (const std::string& m : device.measures) {
      all.push_back({std::string(times_table) + ":" + m, {m}});
    }
  }
  return all;
}

bool is_named(const std::string& group, const std::string& name) {
  return group == name || (name.ends_with(':') && group.starts_with(name));
}

///   errors  usage_error: a name is none of the groups'
std::vector<case_group> chosen_groups(const options& o, const device_layer& device) {
  std::vector<case_group> all = all_groups(o, device);
  for (const std::string& name : o.groups) {
    const auto is_this = [&](const case_group& g) { return is_named(g.name, name); };
    if (std::none_of(all.begin(), all.end(), is_this)) {
      throw usage_error("there is no group " + name + "; --list prints all");
    }
  }
  std::erase_if(all, [&](case_group& g) {
    std::erase_if(g.cases,
                  [&](const std::string& name) { return name.find(o.only) == std::string::npos; });
    const bool is_chosen =
        o.groups.empty() || std::any_of(o.groups.begin(), o.groups.end(),
                                        [&](const auto& name) { return is_named(g.name, name); });
    return !is_chosen || g.cases.empty();
  });
  return all;
}

// ---- in the process of a group
// -------------------------------------------------------------------

int ask_requests(const device_layer& device, case_log& log) {
  const int wrong = device.wrong_refusals(std::cout);
  const std::string absence = device.absence();
  if (!absence.empty()) throw std::runtime_error(absence);
  const device_in_use in_use = device.in_use();
  std::cout << text_of(in_use) << std::endl;
  log.note("device", json_members_of(in_use));
  log.note("compute_capability", in_use.compute_capability);
  return wrong == 0 ? 0 : 1;
}

/// Runs one case by itself, and stores its result.
template <class Work>
void run_case(const std::string& name, const std::string& kernel, case_progress& progress,
              const Work& work) {
  if (!progress.begins(name, kernel)) return;
  try {
    const case_result done = work();
    if (!done.difference.empty()) std::cout << name << ": " << done.difference << std::endl;
    progress.ends(done.result, done.difference);
  } catch (const std::exception& error) {
    progress.ends(outcome::failed, error.what());
    throw std::runtime_error(name + ": " + error.what());
  }
}

void run_own_cases(const std::string& group, const device_layer& device, case_progress& progress) {
  for (const auto& one : device.own_cases) {
    if (group_of(own_table, one.name) != group) continue;
    run_case(one.name, one.kernel, progress, one.run);
  }
}

/// Unmeasured without the measure's own value, or without the yardstick of a value.
case_result result_of(const std::string& measure, const std::vector<figure>& figures) {
  for (const figure& f : figures) {
    const bool is_missing = f.value ? !f.yardstick_value.has_value() : f.name == measure;
    if (is_missing) return {outcome::unmeasured, f.yardstick};
  }
  return {};
}

void run_measure(const std::string& name, const device_layer& device, case_log& log,
                 case_progress& progress) {
  run_case(name, name, progress, [&] {
    const std::vector<figure> figures = device.figures(name);
    for (const figure& f : figures) {
      std::cout << text_of(f) << std::endl;
      log.note("figure", json_of(f));
    }
    return result_of(name, figures);
  });
}

void run_table(const std::string& group, const options& o, const device_layer& device,
               case_progress& progress) {
  const backend kernels = kernels_under_test(o, device);
  for (const table_of_cases& table : tables_of(o)) {
    if (!group.starts_with(table.name + ":")) continue;
    const tally sum =
        table.run(group, kernels, {o.only, o.repro, &std::cout, &progress, o.most_repros});
    std::cout << group << ": " << sum.cases << " cases, " << sum.different << " differ"
              << std::endl;
  }
}

/// The group of this process.
///   returns  0; 1 after a wrong answer to a request, which has no record
int run_inside(const options& o, const device_layer& device) {
  case_log log(o.log);
  case_watch watch(std::chrono::duration<double>(o.case_seconds), [&log, &o] {
    log.end(outcome::timed_out, o.case_seconds, "no end within the time limit");
    std::_Exit(4);
  });
  case_progress progress(o.inside, log, watch);
  if (o.inside == requests_group && o.library.empty()) return ask_requests(device, log);
  if (o.inside == requests_group) {
    ask_library(o, device, log);
    return 0;
  }
  const std::string times = std::string(times_table) + ":";
  if (o.inside.starts_with(times)) {
    run_measure(o.inside.substr(times.size()), device, log, progress);
  } else if (o.inside.starts_with(std::string(own_table) + ":")) {
    run_own_cases(o.inside, device, progress);
  } else {
    run_table(o.inside, o, device, progress);
  }
  return 0;
}

// ---- in the process that starts these
// ------------------------------------------------------------

verdict verdict_of(const options& o, const std::vector<case_group>& groups) {
  const case_log log(o.log);
  verdict found{log.records(), log.notes(), {}};
  for (const case_group& group : groups) {
    for (const std::string& name : group.cases) {
      if (log.has(group.name, name)) continue;
      found.missing.push_back({group.name, name, outcome::left_out, 0, "its group was given up"});
    }
  }
  return found;
}

int exit_status_of(const verdict& found, int requests) {
  if (found.count(outcome::different) > 0) return 1;
  if (found.unfinished() > 0) return 3;
  return requests;
}

/// Cases of some groups that came to no result have another chance.
void run_again(case_log& log, const std::vector<case_group>& groups) {
  for (const case_group& group : groups) {
    for (const std::string& name : group.cases) {
      if (log.lacks_result(group.name, name)) log.forget(group.name, name);
    }
  }
}

int run_groups(const std::string& program, const std::vector<std::string>& words, const options& o,
               const std::vector<case_group>& groups) {
  if (o.earlier == earlier_results::dropped) {
    std::filesystem::remove(o.log);
  } else {
    case_log earlier(o.log, unended_case::cut_off);
    run_again(earlier, groups);
  }
  const auto process_of = [&](const std::string& group) {
    std::vector<std::string> line{program};
    line.insert(line.end(), words.begin(), words.end());
    line.insert(line.end(), {"--inside", group});
    return [line] { return ran(line); };
  };
  const int requests = process_of(requests_group)();
  if (!is_group_done(requests)) return requests;
  for (const case_group& group : groups) {
    run_group(group.name, process_of(group.name), o.log, std::cout);
  }
  const verdict found = verdict_of(o, groups);
  std::cout << text_of(found, o.library.empty() ? refused_by::device : refused_by::library)
            << std::flush;
  if (!o.library.empty()) expect_compared(o, found);
  if (found.count(outcome::different) > 0) {
    std::cout << "written to " << o.repro.string() << std::endl;
    if (!o.mxprism.empty()) explain_differences(found, o.mxprism, o.repro, std::cout);
  }
  if (!o.json.empty()) write_file(o.json, json_of(found));
  if (!o.junit.empty()) write_file(o.junit, junit_of(found));
  return exit_status_of(found, requests);
}

/// "products:gemm.blackwell.mxf4  135 cases, 36 wgmma, 24 native"
void print_groups(const std::vector<case_group>& groups) {
  for (const case_group& group : groups) {
    std::cout << group.name << "  " << group.cases.size()
              << (group.cases.size() == 1 ? " case" : " cases");
    for (const auto& [special, name] : special_instruction_names) {
      const auto count = std::count_if(
          group.cases.begin(), group.cases.end(),
          [which = special](const std::string& one) { return instructions_of(one) == which; });
      if (count > 0) std::cout << ", " << count << " " << name;
    }
    std::cout << "\n";
  }
}

int run_with(const std::string& program, const std::vector<std::string>& words,
             const device_layer& device) {
  const options o = options_of(words);
  if (o.usage == help::wanted) {
    std::cout << usage_text();
    return 0;
  }
  if (!o.inside.empty()) return run_inside(o, device);
  const std::vector<case_group> groups = chosen_groups(o, device);
  if (o.list == listing::wanted) {
    print_groups(groups);
    return 0;
  }
  if (!std::filesystem::is_directory(o.golden / "dot")) {
    std::cout << "golden's cases are skipped: " << o.golden.string()
              << " is not golden/vectors; name its folder by --golden FOLDER" << std::endl;
  }
  return run_groups(program, words, o, groups);
}

}  // namespace

int run_program(const std::string& program, const std::vector<std::string>& words,
                const device_layer& device) {
  keep_ends_of_children();
  try {
    return run_with(program, words, device);
  } catch (const usage_error& wrong) {
    std::cerr << "mx_verify: error: " << wrong.what() << "\n" << usage_text();
    return 2;
  } catch (const library_error& wrong) {
    std::cerr << "mx_verify: error: " << wrong.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "mx_verify: error: " << error.what() << "\n";
    return 3;
  }
}

}  // namespace mx::kernels
