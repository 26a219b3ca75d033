// SPDX-License-Identifier: Apache-2.0
// sim/study/table_reader.h: typed reading of one TOML table, with errors that give the location.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/study/limit_words.h"
#include "sim/study/study_keys.h"
#include "sim/study/study_words.h"
#include "sim/study/toml.h"

namespace sim {

/// Whether a node is a number within the limits, which `out` then is. Binary32 is rounded from
/// binary64.
[[nodiscard]] bool read_number(const toml::node& node, whole limits, int& out);
[[nodiscard]] bool read_number(const toml::node& node, const real& limits, float& out);
[[nodiscard]] bool read_number(const toml::node& node, const real& limits, double& out);

/// What read_number expects of a node that it refused, in words: of binary32 also what the node is
/// there, where only that is outside the limits.
[[nodiscard]] std::string expected_of(const toml::node& node, whole limits, int number);
[[nodiscard]] std::string expected_of(const toml::node& node, const real& limits, float number);
[[nodiscard]] std::string expected_of(const toml::node& node, const real& limits, double number);

/// A table of a study file, and which of its keys are known. Absent keys keep their defaults. All
/// errors are study_error.
class table_reader {
 public:
  /// path: dotted name of the table; empty for the root
  table_reader(const toml::table& table, std::string path)
      : table_(table), path_(std::move(path)) {}

  void value(std::string_view key, std::uint64_t& out);
  void value(std::string_view key, std::string& out);
  template <class Number, class Limits>
  void value(std::string_view key, Number& out, const Limits& limits) {
    const toml::node* node = find(key);
    if (node == nullptr || read_number(*node, limits, out)) return;
    fail(key, *node, expected_of(*node, limits, Number{}));
  }
  template <class Number, class Limits>
  void value(std::string_view key, std::vector<Number>& out, const Limits& limits) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    out.clear();
    for (const toml::node& element :
         array(key, *node, std::is_same_v<Limits, whole> ? "integers" : "numbers")) {
      if (read_number(element, limits, out.emplace_back())) continue;
      fail(key, element, "in every place " + expected_of(element, limits, Number{}));
    }
  }

  template <class Number, class Limits>
  void value(std::string_view key, Number& out, const conditional<Limits>& limits) {
    if (find(key) != nullptr && !limits.effective && limits.otherwise != nullptr) {
      refuse(key, limits.otherwise);
    }
    value(key, out, limits.limits);
  }

  void value(std::string_view key, std::vector<int>& out, const unless_default& of) {
    value(key, out, of.limits);
  }
  template <class Number, class Limits>
  void value(std::string_view key, Number& out, const unless_zero<Limits>& of) {
    value(key, out, of.limits);
  }

  /// The name of a file, relative to the folder of the study file that has the key; relative to the
  /// working folder in an override. Refused where its whole path is no text of a study.
  void file(std::string_view key, std::string& out);

  /// One of a list of words.
  template <class Words, class Value>
  void word(std::string_view key, Value& out, const Words& words) {
    const toml::node* node = find(key);
    if (node != nullptr) out = words[index_of_word(key, *node, texts(words))].value;
  }
  template <class Words, class Value>
  void word(std::string_view key, Value& out, const Words& words, Value /*usual*/) {
    word(key, out, words);
  }

  /// Refused where it has no effect.
  template <class Words, class Value>
  void word(std::string_view key, Value& out, const Words& words, const effective_where& of) {
    if (find(key) != nullptr && !of.effective) refuse(key, of.otherwise);
    word(key, out, words);
  }

  /// The same; where it is the usual one it is not written, as by versions without the key.
  template <class Words, class Value>
  void word_unless(Value /*usual*/, std::string_view key, Value& out, const Words& words) {
    word(key, out, words);
  }

  /// Reads the keys of a subtable, as listed by its visit_keys.
  template <class Section>
  void table(std::string_view key, Section& out) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    table_reader inner = open(key, *node);
    visit_keys(out, inner);
    inner.finish();
  }

  /// Reads subtables of any names.
  template <class Section>
  void tables(std::string_view key, std::map<std::string, Section>& out) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const table_reader all = open(key, *node);
    for (auto&& [name, value] : all.table()) {
      table_reader inner = all.open(name.str(), value);
      visit_keys(out[std::string(name.str())], inner);
      inner.finish();
    }
  }

  /// Marks a key as known. Returns null where it is absent.
  [[nodiscard]] const toml::node* find(std::string_view key);
  [[nodiscard]] table_reader open(std::string_view key, const toml::node& node) const;
  [[nodiscard]] const std::string& text(std::string_view key, const toml::node& node) const;
  ///   of  what its elements are
  [[nodiscard]] const toml::array& array(std::string_view key, const toml::node& node,
                                         const char* of) const;
  /// Index of a string among the words.
  [[nodiscard]] std::size_t index_of_word(std::string_view key, const toml::node& node,
                                          const std::vector<std::string_view>& words) const;
  [[nodiscard]] const toml::table& table() const { return table_; }

  /// Calls take(value) for each word of an array.
  ///   of  what its elements are
  template <class Words, class Take>
  void each_word(std::string_view key, const toml::node& node, const char* of, const Words& words,
                 const Take& take) const {
    for (const toml::node& element : array(key, node, of)) {
      take(words[index_of_word(key, element, texts(words))].value);
    }
  }

  /// Refuses unknown keys; the message has the nearest known ones.
  ///   elsewhere  keys of other tables that an unknown one may mean, with dots
  void finish(const std::vector<std::string>& elsewhere = {}) const;

  [[noreturn]] void fail(std::string_view key, const toml::node& node,
                         const std::string& expected) const;
  /// For conditions between keys: the line is that of the deepest table or key of the dotted path
  /// in the file.
  template <class Found>
  [[noreturn]] void fail(std::string_view dotted, const std::string& expected,
                         const Found& found) const {
    refuse(dotted, fmt::format("expected {}, found {}", expected, found));
  }
  /// The same with a whole sentence.
  [[noreturn]] void refuse(std::string_view dotted, const std::string& sentence) const;

  template <class Words>
  [[nodiscard]] static std::vector<std::string_view> texts(const Words& words) {
    std::vector<std::string_view> result;
    for (const auto& w : words) result.push_back(w.text);
    return result;
  }

 private:
  void expect_text(std::string_view key, const std::string& path) const;
  [[nodiscard]] std::string full_name(std::string_view key) const;
  [[nodiscard]] std::string meant(std::string_view key,
                                  const std::vector<std::string>& elsewhere) const;

  const toml::table& table_;
  std::string path_;
  std::set<std::string, std::less<>> known_;
};

/// "a, b or c"
[[nodiscard]] std::string one_of(const std::vector<std::string_view>& words);

}  // namespace sim
