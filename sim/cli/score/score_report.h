// SPDX-License-Identifier: Apache-2.0
// sim/cli/score/score_report.h: a test's verdict on each known bug, as text and as JSON.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/cli/rules/chosen_recipe.h"

namespace sim::cli {

///   no_difference  the bug changes no byte of this output: the test was not run
enum class verdict : unsigned char { killed, survived, no_difference };

/// A bug and its verdict.
///   end  how the test ended; empty if it was not run
struct scored_bug {
  std::string name, sentence;
  std::uint64_t bytes_changed = 0;
  verdict v = verdict::no_difference;
  std::string end;
};

[[nodiscard]] std::uint64_t count_of(const std::vector<scored_bug>& bugs, verdict v);

/// One JSON object, or a table and a sentence.
///   bugs  at least one of them with a difference
void print_score(const std::vector<std::string>& command, const mx::recipe& r,
                 const std::vector<scored_bug>& bugs, output form);

}  // namespace sim::cli
