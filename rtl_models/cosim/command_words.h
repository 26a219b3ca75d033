// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/command_words.h: command-line arguments of mx_cosim.
#pragma once
#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "mx/number/formats.h"
#include "mx/spelling.h"

namespace hardware {

struct command_words {
  std::string left, right;
  std::map<std::string, std::string> options{
      {"unit", "tensor_core"}, {"lanes", "8"}, {"in", "f32"},  {"scale", "e8m0"},
      {"seed", "1"},           {"pace", "12"}, {"first", "0"}, {"tiles", "1000"},
      {"blocks", "10000"},     {"vcd", ""},    {"fst", ""}};
  bool asks_for_help = false;
  std::string error;  ///< why they are not understood; empty if they are

  command_words(int count, char** words) {
    asks_for_help = std::find(words + 1, words + count, std::string("--help")) != words + count;
    if (asks_for_help) return;
    if (count < 3 || count % 2 == 0) {
      error = "expected two sides, and a value behind each option";
      return;
    }
    left = words[1];
    right = words[2];
    for (int i = 3; i < count; i += 2) take(words[i], words[i + 1]);
    expect_values();
    if (error.empty()) expect_sides();
    if (error.empty()) expect_waves();
  }
  [[nodiscard]] const std::string& text(const std::string& name) const { return options.at(name); }
  /// A number; 0 for what is none.
  [[nodiscard]] unsigned number(const std::string& name) const {
    const std::string& word = text(name);
    unsigned value = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    return failure == std::errc() && end == word.data() + word.size() ? value : 0;
  }
  /// The format of numbers of --in, or of scales of --scale; nothing for what is none.
  [[nodiscard]] std::optional<mx::format> format(const std::string& name) const {
    try {
      return name == "scale" ? mx::scale_format_spelled(text(name))
                             : mx::number_format_spelled(text(name));
    } catch (const std::invalid_argument&) {
      return {};
    }
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

  [[nodiscard]] bool is_quantizer() const { return text("unit") == "quantizer"; }

  void expect_values() {
    if (!error.empty()) return;
    expect_numbers();
    expect_one_of("unit", {"tensor_core", "quantizer"}, "tensor_core or quantizer");
    expect_format("in", {mx::formats::bfloat16, mx::formats::binary32}, "bf16 or f32");
    expect_format("scale", {mx::formats::e8m0, mx::formats::e8m(3)}, "e8m0 or e8m3");
    if (error.empty()) expect_own_options();
  }

  void expect_numbers() {
    for (const std::string name : {"lanes", "pace", "tiles", "blocks"}) {
      if (number(name) == 0) expect("a whole number above 0", name);
    }
    for (const std::string name : {"seed", "first"}) {
      if (number(name) == 0 && text(name) != "0") expect("a whole number", name);
    }
    if (number("pace") > 16) expect("at most 16", "pace");
    const unsigned lanes = number("lanes");
    if (lanes > 1 && lanes != 8 && lanes != 32) expect("1, 8 or 32", "lanes");
  }

  void expect_one_of(const char* name, const std::set<std::string>& values, const char* listed) {
    if (!values.contains(text(name))) expect(listed, name);
  }

  void expect_format(const char* name, std::initializer_list<mx::format> made, const char* listed) {
    if (std::find(made.begin(), made.end(), format(name)) == made.end()) expect(listed, name);
  }

  /// Options that the unit lacks would be without effect.
  void expect_own_options() {
    const std::set<std::string> others = is_quantizer()
                                             ? std::set<std::string>{"lanes", "tiles", "vcd", "fst"}
                                             : std::set<std::string>{"in", "scale", "blocks"};
    for (const std::string& name : given_) {
      if (others.contains(name)) error = "--" + name + " is not of --unit " + text("unit");
    }
  }

  void expect_sides() {
    if (is_quantizer()) {
      if (std::set<std::string>{left, right} != std::set<std::string>{"verilated", "emulator"}) {
        error = "the sides are '" + left + "' and '" + right +
                "'; quantizers are compared verilated with emulator";
      }
      return;
    }
    const std::set<std::string> kinds{"cycles", "verilated", "emulator"};
    if (!kinds.contains(left)) {
      error = "the left side is '" + left + "'; expected cycles, verilated or emulator";
    } else if (!kinds.contains(right) && right != "none") {
      error = "the right side is '" + right + "'; expected cycles, verilated, emulator or none";
    }
  }

  /// Waves of no signal would be an empty file.
  void expect_waves() {
    const std::set<std::string> sides{left, right};
    if (!text("fst").empty() && !sides.contains("verilated")) {
      error = "--fst needs a verilated side; for waves of the cycle model give --vcd";
    } else if (!text("fst").empty() && number("lanes") != 1) {
      error = "--fst needs --lanes 1";
    } else if (!text("vcd").empty() && !sides.contains("cycles")) {
      error = "--vcd needs the cycle model as a side; for waves of a verilated one give --fst";
    }
  }

  void expect(const std::string& what, const std::string& name) {
    error = "--" + name + " is '" + text(name) + "'; expected " + what;
  }

  std::set<std::string> given_;
};

}  // namespace hardware
