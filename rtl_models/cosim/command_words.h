// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/command_words.h: command-line arguments of mx_cosim.
#pragma once
#include <charconv>
#include <map>
#include <set>
#include <string>

namespace hardware {

struct command_words {
  std::string left, right;
  std::map<std::string, std::string> options{
      {"unit", "tensor_core"}, {"lanes", "8"}, {"in", "binary32"}, {"scale", "e8m0"},
      {"seed", "1"},           {"pace", "12"}, {"first", "0"},     {"tiles", "1000"},
      {"blocks", "10000"},     {"vcd", ""},    {"fst", ""}};
  std::string error;  ///< why they are not understood; empty if they are

  command_words(int count, char** words) {
    if (count < 3 || count % 2 == 0) {
      error = "expected two sides, and a value behind each option";
      return;
    }
    left = words[1];
    right = words[2];
    for (int i = 3; i < count; i += 2) take(words[i], words[i + 1]);
    expect_numbers();
    expect_own_options();
  }
  [[nodiscard]] const std::string& text(const std::string& name) const { return options.at(name); }
  /// A number; 0 for what is none.
  [[nodiscard]] unsigned number(const std::string& name) const {
    const std::string& word = text(name);
    unsigned value = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    return failure == std::errc() && end == word.data() + word.size() ? value : 0;
  }
  /// The command with these options, for a line that replays it.
  [[nodiscard]] std::string replay(std::initializer_list<const char*> names) const {
    std::string message = "mx_cosim " + left + " " + right;
    for (const std::string name : names) message += " --" + name + " " + text(name);
    return message;
  }

 private:
  void take(const std::string& word, const std::string& value) {
    if (!word.starts_with("--") || !options.contains(word.substr(2))) {
      error = "there is no option " + word;
      return;
    }
    options[word.substr(2)] = value;
    given_.insert(word.substr(2));
  }

  void expect_numbers() {
    for (const std::string name : {"lanes", "pace", "tiles", "blocks"}) {
      if (number(name) == 0) expect("a whole number above 0", name);
    }
    for (const std::string name : {"seed", "first"}) {
      if (number(name) == 0 && text(name) != "0") expect("a whole number", name);
    }
    if (number("pace") > 16) expect("at most 16", "pace");
  }

  /// Options that the unit lacks would be without effect.
  void expect_own_options() {
    const bool blocks = text("unit") == "quantizer";
    const std::set<std::string> others = blocks
                                             ? std::set<std::string>{"lanes", "tiles", "vcd", "fst"}
                                             : std::set<std::string>{"in", "scale", "blocks"};
    for (const std::string& name : given_) {
      if (others.contains(name)) error = "--" + name + " is not of --unit " + text("unit");
    }
  }

  void expect(const std::string& what, const std::string& name) {
    error = "--" + name + " is '" + text(name) + "'; expected " + what;
  }

  std::set<std::string> given_;
};

}  // namespace hardware
