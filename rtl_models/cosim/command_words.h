// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/command_words.h: command-line arguments of mx_cosim.
#pragma once
#include <cstdlib>
#include <map>
#include <string>

namespace hardware {

struct command_words {
  std::string left, right;
  std::map<std::string, std::string> options{
      {"unit", "tensor_core"}, {"lanes", "8"}, {"in", "binary32"}, {"scale", "e8m0"},
      {"seed", "1"},           {"pace", "12"}, {"first", "0"},     {"tiles", "1000"},
      {"blocks", "10000"},     {"vcd", ""},    {"fst", ""}};
  bool understood = true;

  command_words(int count, char** words) {
    understood = count >= 3 && count % 2 == 1;
    if (!understood) return;
    left = words[1];
    right = words[2];
    for (int i = 3; i < count; i += 2) {
      const std::string word = words[i];
      understood = understood && word.starts_with("--") && options.contains(word.substr(2));
      if (understood) options[word.substr(2)] = words[i + 1];
    }
  }
  [[nodiscard]] const std::string& text(const std::string& name) const { return options.at(name); }
  [[nodiscard]] unsigned number(const std::string& name) const {
    return static_cast<unsigned>(std::strtoul(text(name).c_str(), nullptr, 10));
  }
  /// The command with these options, for a line that replays it.
  [[nodiscard]] std::string replay(std::initializer_list<const char*> names) const {
    std::string message = "mx_cosim " + left + " " + right;
    for (const std::string name : names) message += " --" + name + " " + text(name);
    return message;
  }
};

}  // namespace hardware
