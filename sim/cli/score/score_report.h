// SPDX-License-Identifier: Apache-2.0
// sim/cli/score/score_report.h: what a test said of each known bug, for people and for programs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/cli/rules/chosen_recipe.h"

namespace sim::cli {

///   no_difference  the bug changes no byte of this output: the test was not asked
enum class verdict : unsigned char { killed, survived, no_difference };

/// A bug and what became of it.
///   end  how the test ended; empty where it was not asked
struct scored_bug {
  std::string name, sentence;
  std::uint64_t bytes_changed = 0;
  verdict v = verdict::no_difference;
  std::string end;
};

[[nodiscard]] std::uint64_t count_of(const std::vector<scored_bug>& bugs, verdict v);

/// One object, or a table and a sentence.
///   bugs  with a difference in at least one of them
void print_score_json(const std::vector<std::string>& command, const mx::recipe& r,
                      const std::vector<scored_bug>& bugs);
void print_score_text(const std::vector<scored_bug>& bugs);

}  // namespace sim::cli
