// SPDX-License-Identifier: Apache-2.0
// golden/io/npy_header.cpp: the Python dictionary at the head of a .npy file.
#include "golden/io/npy_header.h"

#include <charconv>
#include <optional>

namespace golden::io {
namespace {

constexpr std::size_t most_npy_axes = 64;  // NumPy's own limit

class header_parser {
 public:
  header_parser(std::string_view text, const file_place& start)
      : text_(text), rest_(text), start_(start) {}

  npy_header parse() {
    expect('{', "expected a Python dictionary");
    while (!take('}')) {
      parse_item();
      if (take(',')) continue;
      expect('}', "expected ',' or '}' after a value");
      break;
    }
    skip_space();
    if (!rest_.empty()) fail("text follows the dictionary");
    return whole();
  }

 private:
  void parse_item() {
    skip_space();
    const std::uint64_t key_byte = here();
    const std::string key = parse_string("expected a key in quotes");
    expect(':', "expected ':' after the key " + printable(key));
    skip_space();
    const std::uint64_t byte = here();
    if (key == "descr") {
      set_once(descr_, {parse_descr(), byte}, key, key_byte);
    } else if (key == "fortran_order") {
      set_once(order_, {parse_order(), byte}, key, key_byte);
    } else if (key == "shape") {
      set_once(shape_, {parse_shape(), byte}, key, key_byte);
    } else {
      fail_at(key_byte, "unknown key " + printable(key) + "; expected descr, fortran_order, shape");
    }
  }

  std::string parse_descr() {
    skip_space();
    if (!rest_.empty() && (rest_.front() == '[' || rest_.front() == '{')) {
      fail("descr: the array holds structures; expected plain numbers: save one field at a time");
    }
    return parse_string("descr: expected a type in quotes");
  }

  memory_order parse_order() {
    if (take_word("False")) return memory_order::row_major;
    if (take_word("True")) return memory_order::column_major;
    fail("fortran_order: expected True or False");
  }

  std::vector<std::uint64_t> parse_shape() {
    expect('(', "shape: expected a tuple of integers");
    std::vector<std::uint64_t> shape;
    while (!take(')')) {
      if (shape.size() == most_npy_axes) fail("shape: more than 64 axes");
      shape.push_back(parse_extent());
      if (take(',')) continue;
      // Python reads (5) as a number, but it can only mean one shape.
      expect(')', "shape: expected ',' or ')' after a number");
      break;
    }
    return shape;
  }

  std::uint64_t parse_extent() {
    skip_space();
    std::uint64_t extent = 0;
    const char* const end = rest_.data() + rest_.size();
    const auto [next, error] = std::from_chars(rest_.data(), end, extent);
    if (error != std::errc()) fail("shape: expected non-negative integers below 2^64");
    rest_.remove_prefix(static_cast<std::size_t>(next - rest_.data()));
    if (!rest_.empty() && rest_.front() == 'L')
      rest_.remove_prefix(1);  // suffix of Python 2 long integers
    return extent;
  }

  std::string parse_string(const std::string& expectation) {
    skip_space();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) fail(expectation);
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) fail("a string in quotes does not end");
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  template <class Value>
  void set_once(std::optional<npy_value<Value>>& target, npy_value<Value> value,
                const std::string& key, std::uint64_t key_byte) {
    if (target) fail_at(key_byte, key + " appears twice");
    target = std::move(value);
  }

  npy_header whole() const {
    if (!descr_) fail("descr is missing");
    if (!order_) fail("fortran_order is missing");
    if (!shape_) fail("shape is missing");
    return {*descr_, *order_, *shape_};
  }

  void skip_space() {
    const std::size_t next = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(next == std::string_view::npos ? rest_.size() : next);
  }

  bool take(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool take_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  void expect(char c, const std::string& expectation) {
    if (!take(c)) fail(expectation);
  }

  [[nodiscard]] std::uint64_t here() const { return *start_.byte + text_.size() - rest_.size(); }

  [[noreturn]] void fail(const std::string& what) const { fail_at(here(), what); }
  [[noreturn]] void fail_at(std::uint64_t byte, const std::string& what) const {
    throw file_error({start_.path, byte}, "the .npy header: " + what);
  }

  std::string_view text_, rest_;
  const file_place& start_;
  std::optional<npy_value<std::string>> descr_;
  std::optional<npy_value<memory_order>> order_;
  std::optional<npy_value<std::vector<std::uint64_t>>> shape_;
};

}  // namespace

npy_header parse_npy_header(std::string_view text, const file_place& start) {
  return header_parser(text, start).parse();
}

}  // namespace golden::io
