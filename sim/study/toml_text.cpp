// SPDX-License-Identifier: Apache-2.0
// sim/study/toml_text.cpp: parses TOML from untrusted files.
#include "sim/study/toml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/study/study_file.h"

namespace sim {
namespace {

constexpr int most_parts = 32;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

[[noreturn]] void refuse(const std::string& source, std::size_t line, std::string_view why) {
  const std::string place = is_override(source) ? "" : fmt::format(":{}", line);
  throw study_error("{}{}: expected TOML: {}", source, place, why);
}

/// Scans a text as toml++ does, and checks what is outside strings and comments: toml++ 3.3 tests
/// characters beyond ASCII for blanks in a way that is undefined for most of them, and nested
/// tables cost it stack. Texts that are invalid in another way are left to toml++.
class plain_text {
 public:
  plain_text(std::string_view text, const std::string& source)
      : text_(text.substr(text.starts_with(byte_order_mark) ? 3 : 0)), source_(source) {}

  void check() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        pass_string(c);
      } else if (levels_.back().in_value && !contains(" \t\r\n[]{},", c)) {
        pass_word();
      } else {
        pass_character(c);
      }
    }
  }

 private:
  /// The whole text, an array or an inline table. A name is followed by = and a value, except in an
  /// array.
  struct level {
    char bracket;
    bool in_value;
  };

  static bool contains(std::string_view set, char c) { return set.find(c) != set.npos; }

  void pass_character(char c) {
    expect_ascii(c);
    if (c == '.' && ++parts_ > most_parts) fail("a name has more than 32 parts");
    if (contains("\n=,[]{}", c)) parts_ = 1;
    if (c == '=') levels_.back().in_value = true;
    if ((c == '\n' && levels_.size() == 1) || (c == ',' && levels_.back().bracket == '{')) {
      levels_.back().in_value = false;
    }
    // In place of a name, a bracket opens the name of a table.
    if (contains("[{", c)) levels_.push_back({c, c == '[' && levels_.back().in_value});
    if (contains("]}", c) && levels_.size() > 1) levels_.pop_back();
    if (c == '\n') ++line_;
    ++at_;
  }

  /// A number, a date, true or false, or an invalid token: nothing in it begins a string.
  void pass_word() {
    for (; at_ < text_.size() && !contains(" \t\r\n,]}#", text_[at_]); ++at_) {
      expect_ascii(text_[at_]);
    }
  }

  /// A string in one or three quotes; in double ones a backslash escapes the next character.
  void pass_string(char quote) {
    const std::string three(3, quote);
    const bool long_string = text_.substr(at_, 3) == three;
    at_ += long_string ? 3 : 1;
    while (at_ < text_.size()) {
      if (long_string ? text_.substr(at_, 3) == three : text_[at_] == quote) break;
      if (text_[at_] == '\\' && quote == '"' && at_ + 1 < text_.size()) pass_backslash();
      if (at_ >= text_.size()) return;
      if (text_[at_] == '\n' && !long_string) return;  // unterminated string
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
    at_ += long_string ? 3 : 1;
    // Up to two quotes may precede the three that end a string.
    for (int i = 0; long_string && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
  }

  /// Moves to the escaped character or, if that is a blank, past all blanks; toml++ tests the
  /// character there for a blank too.
  void pass_backslash() {
    ++at_;
    if (!contains(" \t\r\n", text_[at_])) {
      expect_plain(text_[at_]);
      return;
    }
    for (; at_ < text_.size() && contains(" \t\r\n", text_[at_]); ++at_) {
      if (text_[at_] == '\n') ++line_;
    }
    if (at_ < text_.size()) expect_plain(text_[at_]);
    --at_;
    if (text_[at_] == '\n') --line_;
  }

  void expect_plain(char c) const {
    if (static_cast<unsigned char>(c) < 0x80) return;
    fail("a character beyond ASCII stands behind a backslash");
  }

  void expect_ascii(char c) const {
    if (static_cast<unsigned char>(c) < 0x80) return;
    fail("a character beyond ASCII stands outside of strings and comments");
  }

  [[noreturn]] void fail(std::string_view why) const { refuse(source_, line_, why); }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0, line_ = 1;
  int parts_ = 1;
  std::vector<level> levels_{{'\n', false}};
};

}  // namespace

bool is_override(std::string_view source) { return source.starts_with("override "); }

toml::table toml_in(std::string_view text, const std::string& source) {
  plain_text(text, source).check();
  toml::parse_result result = toml::parse(text, source);
  if (result) return std::move(result).table();
  refuse(source, result.error().source().begin.line, result.error().description());
}

}  // namespace sim
