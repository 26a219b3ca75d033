// SPDX-License-Identifier: Apache-2.0
// golden/io/json_words.h: positions of the tokens of a JSON text, for a parser that does not report
// them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace golden::io {

/// A text tracked while nlohmann's parser consumes its characters: when the parser reports a token
/// (a string, a number, a bracket) it has consumed all of it, and of a number one character more.
class json_words {
 public:
  class iterator;

  explicit json_words(std::string_view text) : text_(text), next_(text.data()) {}
  json_words(const json_words&) = delete;
  json_words& operator=(const json_words&) = delete;

  [[nodiscard]] iterator begin();
  [[nodiscard]] iterator end();

  /// Call when the parser reports the next token. Only blanks, commas and colons separate two.
  void enter() {
    first_ = std::min(text_.find_first_not_of(" \t\r\n,:", behind_), text_.size());
    behind_ = taken();
  }
  void enter_number() {
    enter();
    behind_ = std::min(text_.find_first_not_of("+-.0123456789eE", first_), text_.size());
  }

  /// First character of the token, from the start of the text.
  [[nodiscard]] std::uint64_t first() const { return first_; }

 private:
  [[nodiscard]] std::size_t taken() const { return static_cast<std::size_t>(next_ - text_.data()); }

  std::string_view text_;
  const char* next_;  // after the last character the parser consumed
  std::size_t first_ = 0, behind_ = 0;
};

class json_words::iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  iterator(const char* at, const char*& next) : at_(at), next_(&next) {}
  reference operator*() const { return *at_; }
  iterator& operator++() {
    *next_ = ++at_;
    return *this;
  }
  friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** next_;
};

inline json_words::iterator json_words::begin() { return {text_.data(), next_}; }
inline json_words::iterator json_words::end() { return {text_.data() + text_.size(), next_}; }

}  // namespace golden::io
