// SPDX-License-Identifier: Apache-2.0
// sim/study/table_reader.cpp: typed reading of one TOML table.
#include "sim/study/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "golden/io/utf8.h"
#include "mx/spelling.h"
#include "sim/study/study_file.h"
#include "sim/study/toml_text.h"
#include "sim/study/whole_path.h"

namespace sim {
namespace {

/// With a point or an exponent where it is finite: 32.0 is no integer.
std::string real_text(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string describe(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return node.as_array()->empty() ? "an empty array" : "an array";
    case toml::node_type::string:
      return fmt::format("the string \"{}\"", **node.as_string());
    case toml::node_type::integer:
      return fmt::format("{}", **node.as_integer());
    case toml::node_type::floating_point:
      return real_text(**node.as_floating_point());
    case toml::node_type::boolean:
      return **node.as_boolean() ? "true" : "false";
    default:
      return "a date or time";
  }
}

/// "FILE:LINE: ", or the override by name, without a line.
std::string place(const toml::source_region& source) {
  if (source.path == nullptr) return "";
  if (is_override(*source.path)) return *source.path + ": ";
  return fmt::format("{}:{}: ", *source.path, source.begin.line);
}

/// The number of a node, integers included; NaN for other nodes.
double number_of(const toml::node& node) {
  if (const auto* real_value = node.as_floating_point()) return **real_value;
  if (const auto* integer = node.as_integer()) return static_cast<double>(**integer);
  return NAN;
}

/// Half an ULP above the largest finite binary32: from here a number is rounded to Inf.
constexpr double first_infinite = 0x1.ffffffp127;

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

}  // namespace

bool read_number(const toml::node& node, whole limits, int& out) {
  const std::int64_t v = node.value_exact<std::int64_t>().value_or(limits.low - 1);
  out = static_cast<int>(v);
  return v >= limits.low && v <= limits.high && v % limits.step == 0;
}

/// Rounding to binary32 may leave the limits: to zero, to one, or to Inf.
bool read_number(const toml::node& node, const real& limits, float& out) {
  const double v = number_of(node);
  if (!(std::abs(v) < first_infinite)) return false;
  out = static_cast<float>(v);
  return limits.holds(out);
}

bool read_number(const toml::node& node, const real& limits, double& out) {
  out = number_of(node);
  return std::isfinite(out) && limits.holds(out);
}

std::string wording(whole limits) {
  const std::string multiple =
      limits.step == 1 ? "an integer" : fmt::format("a multiple of {}", limits.step);
  return fmt::format("{} from {} to {}", multiple, limits.low, limits.high);
}

std::string wording(const real& limits) { return limits.words; }

std::string expected_of(const toml::node& /*node*/, whole limits, int /*number*/) {
  return wording(limits);
}

std::string expected_of(const toml::node& node, const real& limits, float /*number*/) {
  const double v = number_of(node);
  if (!std::isfinite(v) || !limits.holds(v)) return wording(limits);
  const bool finite = std::abs(v) < first_infinite;
  return fmt::format("{} in FP32, where this is {}", wording(limits),
                     finite ? fmt::format("{}", static_cast<float>(v)) : "Inf");
}

std::string expected_of(const toml::node& /*node*/, const real& limits, double /*number*/) {
  return wording(limits);
}

std::string one_of(const std::vector<std::string_view>& words) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) result += i + 1 == words.size() ? " or " : ", ";
    result += words[i];
  }
  return result;
}

const toml::node* table_reader::find(std::string_view key) {
  known_.emplace(key);
  return table_.get(key);
}

table_reader table_reader::open(std::string_view key, const toml::node& node) const {
  if (!node.is_table()) fail(key, node, "a table");
  return {*node.as_table(), full_name(key)};
}

void table_reader::value(std::string_view key, std::uint64_t& out) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  const auto* integer = node->as_integer();
  if (integer == nullptr || **integer < 0) fail(key, *node, "an integer from 0 to 2^63 - 1");
  out = static_cast<std::uint64_t>(**integer);
}

void table_reader::value(std::string_view key, std::string& out) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  out = text(key, *node);
  if (has_control_characters(out)) fail(key, *node, "text without control characters");
}

void table_reader::file(std::string_view key, std::string& out) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  value(key, out);
  if (out.empty()) fail(key, *node, "the name of a file");
  const auto& from = node->source().path;
  if (from != nullptr && !is_override(*from)) {
    out = (std::filesystem::path(*from).parent_path() / out).string();
  }
  expect_text(key, whole_path(out));
}

/// A run's study.toml has the whole path: one that it could not hold would be found when the run is
/// over.
void table_reader::expect_text(std::string_view key, const std::string& path) const {
  if (!golden::io::first_byte_that_is_not_utf8(path) && !has_control_characters(path)) return;
  refuse(key, fmt::format("is {}, a path that study.toml of a run cannot hold, which takes UTF-8 "
                          "without control characters; rename the folder, or move the file",
                          path));
}

const std::string& table_reader::text(std::string_view key, const toml::node& node) const {
  if (!node.is_string()) fail(key, node, "a string");
  return **node.as_string();
}

const toml::array& table_reader::array(std::string_view key, const toml::node& node,
                                       const char* of) const {
  if (!node.is_array()) fail(key, node, fmt::format("an array of {}", of));
  return *node.as_array();
}

std::size_t table_reader::index_of_word(std::string_view key, const toml::node& node,
                                        const std::vector<std::string_view>& words) const {
  if (const auto* string = node.as_string()) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == **string) return i;
    }
  }
  fail(key, node, one_of(words));
}

void table_reader::finish(const std::vector<std::string>& elsewhere) const {
  for (auto&& [key, node] : table_) {
    if (known_.contains(key.str())) continue;
    const std::vector<std::string_view> expected(known_.begin(), known_.end());
    throw study_error("{}key '{}': unknown key; expected {}{}", place(key.source()),
                      full_name(key.str()), one_of(expected), meant(key.str(), elsewhere));
  }
}

/// "; did you mean `grpo.steps`?", of the known keys or else of those elsewhere.
std::string table_reader::meant(std::string_view key,
                                const std::vector<std::string>& elsewhere) const {
  std::vector<std::string> names;
  for (const auto name : mx::near_names(key, {known_.begin(), known_.end()})) {
    names.push_back(full_name(name));
  }
  if (names.empty()) {
    for (const auto name : mx::near_names(key, {elsewhere.begin(), elsewhere.end()})) {
      names.emplace_back(name);
    }
  }
  if (names.empty()) return "";
  return fmt::format("; did you mean {}?", one_of({names.begin(), names.end()}));
}

void table_reader::fail(std::string_view key, const toml::node& node,
                        const std::string& expected) const {
  throw study_error("{}key '{}': expected {}, found {}", place(node.source()), full_name(key),
                    expected, describe(node));
}

void table_reader::refuse(std::string_view dotted, const std::string& sentence) const {
  const toml::node* node = &table_;
  for (std::string_view rest = dotted; !rest.empty() && node->is_table();) {
    const std::size_t dot = rest.find('.');
    const toml::node* inner = node->as_table()->get(rest.substr(0, dot));
    if (inner == nullptr) break;
    node = inner;
    rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
  }
  throw study_error("{}key '{}': {}", place(node->source()), full_name(dotted), sentence);
}

std::string table_reader::full_name(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

}  // namespace sim
