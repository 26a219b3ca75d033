// SPDX-License-Identifier: Apache-2.0
// sim/study/study_difference.cpp: compares resolved studies line by line, as the writer of study
// files writes them: `[table]`, `[[arm]]` with its name first, `key = value`.
#include "sim/study/study_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "sim/study/study_file.h"

namespace sim {
namespace {

struct valued_key {
  std::string arm;  ///< empty outside of arms
  std::string key, value;

  [[nodiscard]] std::string name() const {
    return arm.empty() ? key : fmt::format("{} of arm {}", key, arm);
  }
};

/// Name of a table in its brackets, with a point behind it.
std::string prefix_of(const std::string& line) {
  return line.starts_with("[[") ? "" : line.substr(1, line.size() - 2) + ".";
}

std::vector<valued_key> keys_of(const study& s) {
  std::vector<valued_key> keys;
  std::istringstream lines(resolved_toml(s));
  std::string prefix, arm;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) {
      prefix = prefix_of(line);
      arm.clear();
      continue;
    }
    const std::size_t equals = line.find(" = ");
    if (equals == std::string::npos || prefix == "run." || prefix.starts_with("formats.")) continue;
    const std::string key = prefix + line.substr(0, equals), value = line.substr(equals + 3);
    // Their sha256 say what is in them.
    if (key == "task.file" || key == "policy.checkpoint") continue;
    // The root's name comes first of all keys, an arm's name first of its own.
    if (key == "name" && !keys.empty()) arm = value;
    keys.push_back({arm, key, value});
  }
  return keys;
}

/// In place of the value of a key that a study does not write: it has its default, or no effect.
constexpr const char* absent = "left out";

const valued_key* find(const std::vector<valued_key>& keys, const valued_key& wanted) {
  const auto found = std::ranges::find_if(
      keys, [&](const valued_key& k) { return k.arm == wanted.arm && k.key == wanted.key; });
  return found == keys.end() ? nullptr : &*found;
}

/// Whether a study has the arm of a key, or the key belongs to none.
bool has_arm_of(const std::vector<valued_key>& keys, const valued_key& k) {
  return k.arm.empty() || find(keys, {k.arm, "name", ""}) != nullptr;
}

/// Arms of one study that the other lacks.
void add_missing(const std::vector<valued_key>& from, const std::vector<valued_key>& in,
                 const char* place, std::vector<std::string>& texts) {
  for (const valued_key& k : from) {
    if (k.arm.empty() || k.key != "name" || find(in, k) != nullptr) continue;
    texts.push_back(fmt::format("there is no arm {} {}", k.arm, place));
  }
}

}  // namespace

std::vector<std::string> differences(const study& there, const study& here) {
  const std::vector<valued_key> old_keys = keys_of(there), new_keys = keys_of(here);
  std::vector<std::string> texts;
  for (const valued_key& k : new_keys) {
    const valued_key* other = find(old_keys, k);
    if (other == nullptr ? !has_arm_of(old_keys, k) : other->value == k.value) continue;
    texts.push_back(fmt::format("{} is {} there and {} here", k.name(),
                                other == nullptr ? std::string(absent) : other->value, k.value));
  }
  for (const valued_key& k : old_keys) {
    if (find(new_keys, k) != nullptr || !has_arm_of(new_keys, k)) continue;
    texts.push_back(fmt::format("{} is {} there and {} here", k.name(), k.value, absent));
  }
  add_missing(new_keys, old_keys, "there", texts);
  add_missing(old_keys, new_keys, "here", texts);
  if (texts.empty()) texts.emplace_back("the order of the arms");
  return texts;
}

}  // namespace sim
