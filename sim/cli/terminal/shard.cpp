// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/shard.cpp: see shard.h.
#include "sim/cli/terminal/shard.h"

#include "sim/cli/terminal/command.h"
#include "sim/study/number_in.h"

namespace sim::cli {

shard shard_in(const std::string& text) {
  if (text.empty()) return {};
  if (const std::size_t slash = text.find('/'); slash != std::string::npos) {
    const std::string_view words = text;
    const auto first = decimal_in<std::size_t>(words.substr(0, slash));
    const auto last = decimal_in<std::size_t>(words.substr(slash + 1));
    if (first && last && *first >= 1 && *first <= *last) return {*first - 1, *last};
  }
  throw usage_error("--shard: expected i/n with i from 1 to n, such as 1/4, found '{}'", text);
}

}  // namespace sim::cli
