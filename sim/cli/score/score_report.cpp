// SPDX-License-Identifier: Apache-2.0
// sim/cli/score/score_report.cpp: verdicts as a table and as JSON.
#include "sim/cli/score/score_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "golden/io/counted.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/terminal_text.h"

namespace sim::cli {
namespace {

std::string_view name_of(verdict v) {
  constexpr std::string_view names[] = {"killed", "survived", "no difference"};
  return names[static_cast<int>(v)];
}

double share_killed(const std::vector<scored_bug>& bugs) {
  const std::uint64_t killed = count_of(bugs, verdict::killed);
  return static_cast<double>(killed) /
         static_cast<double>(killed + count_of(bugs, verdict::survived));
}

ordered_json json_of(const std::vector<std::string>& command, const mx::recipe& r,
                     const std::vector<scored_bug>& bugs) {
  ordered_json mutants = ordered_json::array(), survivors = ordered_json::array();
  for (const scored_bug& b : bugs) {
    mutants.push_back({{"name", b.name},
                       {"sentence", b.sentence},
                       {"verdict", name_of(b.v)},
                       {"bytes_changed", b.bytes_changed},
                       {"end", b.end}});
    if (b.v == verdict::survived) survivors.push_back(b.name);
  }
  return {{"command", command},
          {"format", mx::format_word(r)},
          {"scale_rule", scale_rule_name(r)},
          {"killed", count_of(bugs, verdict::killed)},
          {"survived", count_of(bugs, verdict::survived)},
          {"no_difference", count_of(bugs, verdict::no_difference)},
          {"score", share_killed(bugs)},
          {"survivors", std::move(survivors)},
          {"mutants", std::move(mutants)}};
}

}  // namespace

std::uint64_t count_of(const std::vector<scored_bug>& bugs, verdict v) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(bugs, [v](const scored_bug& b) { return b.v == v; }));
}

void print_score(const std::vector<std::string>& command, const mx::recipe& r,
                 const std::vector<scored_bug>& bugs, output form) {
  if (form == output::json) return print_json(json_of(command, r, bugs));
  constexpr std::size_t column = 48;
  for (const scored_bug& b : bugs) {
    fmt::print("{}{:17}{}\n", cell(b.name, 0, 31),
               b.v == verdict::survived ? "SURVIVED" : name_of(b.v),
               wrapped(b.sentence, column, column));
  }
  const std::uint64_t killed = count_of(bugs, verdict::killed);
  const std::uint64_t survived = count_of(bugs, verdict::survived);
  fmt::print("\n{} of {} killed ({:.0f} %): the test misses {}", killed,
             golden::io::counted(killed + survived, "mutant"), 100 * share_killed(bugs),
             survived == 0 ? "none" : std::to_string(survived));
  if (const std::uint64_t same = count_of(bugs, verdict::no_difference); same > 0) {
    fmt::print("; {} no difference on this input",
               same == 1 ? "1 makes" : fmt::format("{} make", same));
  }
  fmt::print("\n");
}

}  // namespace sim::cli
