// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/chosen_arms.cpp: see chosen_arms.h.
#include "sim/cli/train/chosen_arms.h"

#include <algorithm>

#include "sim/cli/terminal/command.h"

namespace sim::cli {

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void keep_arms(study& s, const std::vector<std::string>& wanted) {
  for (const std::string& name : wanted) {
    if (std::ranges::find(s.arms, name, &arm::name) != s.arms.end()) continue;
    std::string names;
    for (const arm& a : s.arms) names += " " + a.name;
    throw usage_error("--arms: the study has no arm '{}'; it has:{}", name, names);
  }
  const std::string reference = s.arms.front().name;
  std::erase_if(s.arms, [&](const arm& a) {
    return a.name != reference && std::ranges::find(wanted, a.name) == wanted.end();
  });
}

}  // namespace sim::cli
