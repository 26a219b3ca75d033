// SPDX-License-Identifier: Apache-2.0
// golden/vectors/text_lines.h: reads a committed file line by line; errors in malformed files have
// the line number.
#pragma once
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "golden/vectors/word_file.h"

namespace golden::words {

class text_lines {
 public:
  text_lines(const std::string& name, std::string_view text) : name_(name), rest_(text) {}

 protected:
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  [[noreturn]] void refuse(const std::string& what) const {
    throw word_file_error(name_ + ":" + std::to_string(number_) + ": " + what);
  }
  void expect(bool condition, const std::string& what) const {
    if (!condition) refuse(what);
  }

  std::string_view next_line() {
    ++number_;
    const std::size_t end = rest_.find('\n');
    expect(!rest_.empty(), "the file ends too early");
    expect(end != std::string_view::npos, "the last line does not end");
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }

  /// Skips comments, and the version line after them.
  void skip_head() {
    std::string_view line;
    do {
      line = next_line();
    } while (line.starts_with('#'));
    expect(line == "version 1", "expected `version 1`");
  }

  std::string valued_line(const std::string& key) {
    const std::string_view line = next_line();
    const bool fits = line.starts_with(key + " ") && line.size() > key.size() + 1;
    expect(fits, "expected `" + key + " ...`");
    return std::string(line.substr(key.size() + 1));
  }

  static std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> fields{""};
    for (const char letter : line) {
      if (letter == ' ') {
        fields.emplace_back();
      } else {
        fields.back() += letter;
      }
    }
    return fields;
  }

  template <class Number>
  [[nodiscard]] Number decimal(const std::string& digits) const {
    Number value = 0;
    const char* end = digits.data() + digits.size();
    const auto [last, error] = std::from_chars(digits.data(), end, value);
    const bool is_count = error == std::errc() && last == end && value > 0;
    expect(is_count, "`" + digits + "` is no count");
    return value;
  }

  [[nodiscard]] std::uint32_t digit(char letter) const {
    const std::size_t value = std::string_view("0123456789abcdef").find(letter);
    expect(value != std::string_view::npos, "a letter that is no hexadecimal digit");
    return static_cast<std::uint32_t>(value);
  }

 private:
  std::string name_;
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace golden::words
