// SPDX-License-Identifier: Apache-2.0
// golden/io/json_words.h: where the words of a JSON text begin, for a parser that does not tell.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace golden::io {

/// A text that is followed while nlohmann's parser takes its characters: of a word (a string, a
/// number, a bracket) it has taken all when it tells of it, of a number one character more.
class json_words {
 public:
  class iterator;

  explicit json_words(std::string_view text) : text_(text), next_(text.data()) {}
  json_words(const json_words&) = delete;
  json_words& operator=(const json_words&) = delete;

  [[nodiscard]] iterator begin();
  [[nodiscard]] iterator end();

  /// The parser tells of the next word. Between two there are blanks, commas and colons alone.
  void enter() {
    first_ = std::min(text_.find_first_not_of(" \t\r\n,:", behind_), text_.size());
    behind_ = taken();
  }
  void enter_number() {
    enter();
    behind_ = std::min(text_.find_first_not_of("+-.0123456789eE", first_), text_.size());
  }

  /// Of the word, from the start of the text.
  [[nodiscard]] std::uint64_t first() const { return first_; }

 private:
  [[nodiscard]] std::size_t taken() const { return static_cast<std::size_t>(next_ - text_.data()); }

  std::string_view text_;
  const char* next_;  // behind the last character that the parser took
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
