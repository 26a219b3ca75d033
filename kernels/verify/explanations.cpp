// SPDX-License-Identifier: Apache-2.0
// kernels/verify/explanations.cpp: the commands of bundles.
#include "explanations.h"

#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "group_runner.h"

namespace mx::kernels {
namespace {

/// The words of the last line of a bundle's README.txt that is a command; empty if none is. Names
/// of our files and options have no blanks.
std::vector<std::string> command_in(const std::filesystem::path& bundle) {
  std::ifstream in(bundle / "README.txt");
  std::vector<std::string> words;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("mxprism ")) continue;
    std::istringstream text(line);
    words.clear();
    for (std::string word; text >> word;) words.push_back(word);
  }
  return words;
}

}  // namespace

void explain_differences(const verdict& found, const std::filesystem::path& command,
                         const std::filesystem::path& repro, std::ostream& out) {
  std::set<std::string> explained;
  for (const case_record& one : found.records) {
    if (one.result != outcome::different || !explained.insert(one.group).second) continue;
    std::vector<std::string> words = command_in(repro / one.name);
    if (words.empty()) continue;
    words.front() = std::filesystem::absolute(command).string();
    out << "\n" << one.name << "\n" << std::flush;
    static_cast<void>(ran(words, repro / one.name));
  }
}

}  // namespace mx::kernels
