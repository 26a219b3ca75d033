// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/junit_text.h: verdicts as JUnit XML.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace sim::cli {

/// Why a case failed: a word, one line, and details.
struct junit_failure {
  std::string type, message, body;
};

struct junit_case {
  std::string classname, name;
  std::optional<junit_failure> failure;
};

/// One test suite. Characters that XML 1.0 cannot represent are shown as \xNN, byte by byte.
[[nodiscard]] std::string junit_text(const std::string& suite,
                                     const std::vector<junit_case>& cases);

}  // namespace sim::cli
