// SPDX-License-Identifier: Apache-2.0
// sim/study/toml_text.cpp: TOML from files that may hold anything.
#include "sim/study/toml_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/study/study_file.h"

namespace sim {
namespace {

constexpr int most_parts = 32;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

[[noreturn]] void refuse(const std::string& source, std::size_t line, std::string_view why) {
  const std::string place =
      source.starts_with("override ") ? std::string{} : fmt::format(":{}", line);
  throw study_error(fmt::format("{}{}: expected TOML: {}", source, place, why));
}

/// Looks at what is neither in strings nor in comments: of characters beyond ASCII toml++ 3.3 asks
/// whether they are blanks in a way that is undefined for most of them, and tables in tables cost it
/// stack. Strings that do not end are left to it: it stops there.
class plain_text {
 public:
  plain_text(std::string_view text, const std::string& source)
      : text_(text), source_(source), at_(text.starts_with(byte_order_mark) ? 3 : 0) {}

  void check() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        pass_string(c);
      } else {
        check_character(c);
        ++at_;
      }
    }
  }

 private:
  void check_character(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) fail("a character beyond ASCII stands outside of strings and comments");
    if (c == '.' && ++parts_ > most_parts) fail("a name has more than 32 parts");
    if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) parts_ = 1;
    if (c == '\n') ++line_;
  }

  /// A string in one or three quotes; in double ones a backslash takes the next character with it.
  void pass_string(char quote) {
    const std::string three(3, quote);
    const bool long_string = text_.substr(at_, 3) == three;
    at_ += long_string ? 3 : 1;
    while (at_ < text_.size()) {
      if (long_string ? text_.substr(at_, 3) == three : text_[at_] == quote) break;
      if (text_[at_] == '\\' && quote == '"' && at_ + 1 < text_.size()) ++at_;
      if (text_[at_] == '\n' && !long_string) return;  // the string does not end
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
    at_ += long_string ? 3 : 1;
    // Up to two quotes may stand before the three that end a string.
    for (int i = 0; long_string && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
  }

  [[noreturn]] void fail(std::string_view why) const { refuse(source_, line_, why); }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_, line_ = 1;
  int parts_ = 1;
};

}  // namespace

toml::table toml_in(std::string_view text, const std::string& source) {
  plain_text(text, source).check();
  toml::parse_result result = toml::parse(text, source);
  if (result) return std::move(result).table();
  refuse(source, result.error().source().begin.line, result.error().description());
}

}  // namespace sim
