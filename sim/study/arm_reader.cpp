// SPDX-License-Identifier: Apache-2.0
// sim/study/arm_reader.cpp: reads [formats] and the [[arm]] tables of a study file.
#include "sim/study/arm_reader.h"

#include <fmt/format.h>

#include <map>

#include "sim/study/operand_reader.h"

namespace sim {
namespace {

using format_table = std::map<std::string, mx::operand, std::less<>>;

format_table read_formats(table_reader& root) {
  format_table formats{{"fp32", {}}};
  const toml::node* node = root.find("formats");
  if (node == nullptr) return formats;
  const table_reader at = root.open("formats", *node);
  for (auto&& [key, value] : at.table()) {
    if (key.str() == "fp32") at.fail("fp32", value, "another name: fp32 is predefined");
    table_reader inner = at.open(key.str(), value);
    formats.emplace(key.str(), read_operand(inner));
  }
  return formats;
}

mx::operand named_format(const table_reader& at, std::string_view key, const toml::node& node,
                         const format_table& formats) {
  const auto found = formats.find(at.text(key, node));
  if (found != formats.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [name, f] : formats) names.push_back(name);
  at.fail(key, node, "a format that [formats] defines: " + one_of(names));
}

/// One format for both operands, or a table with one for each.
pass_format read_pass(const table_reader& at, std::string_view key, const toml::node& node,
                      pass_format result, const format_table& formats) {
  if (!node.is_table()) {
    const mx::operand both = named_format(at, key, node, formats);
    result.data = result.other = both;
    return result;
  }
  table_reader inner = at.open(key, node);
  if (const auto* data = inner.find("data")) {
    result.data = named_format(inner, "data", *data, formats);
  }
  if (const auto* other = inner.find("other")) {
    result.other = named_format(inner, "other", *other, formats);
  }
  inner.finish();
  return result;
}

arithmetic read_arithmetic(table_reader& at, const format_table& formats) {
  arithmetic result;
  if (const auto* node = at.find("format")) {
    const mx::operand f = named_format(at, "format", *node, formats);
    result = {{f, f}, {f, f}, {f, f}, {f, f}};
  }
  for (const auto& w : pass_words) {
    const toml::node* node = at.find(w.text);
    if (node == nullptr) continue;
    pass_format& formats_of_pass = formats_of(result, w.value);
    formats_of_pass = read_pass(at, w.text, *node, formats_of_pass, formats);
  }
  return result;
}

/// Names are used in file names, in comma-separated lists and in tables.
bool is_arm_name(std::string_view name) {
  if (name.empty() || name.front() == '.' || name.front() == '-' || name.size() > 64) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !digit && std::string_view("+-_.").find(c) == std::string_view::npos) {
      return false;
    }
  }
  // Reserved for the rows that compare cells and for the checkpoint of the warm-up.
  return name != "factorial" && name != "warm-up";
}

void check_name(const table_reader& at, const toml::node* node, const study& s,
                const std::string& name) {
  if (node == nullptr) at.fail("name", "one in every [[arm]]", "none");
  if (!is_arm_name(name)) {
    at.fail("name", *node,
            "at most 64 of A-Z a-z 0-9 + - _ . that begin with neither '.' nor '-', and not "
            "\"factorial\" or \"warm-up\"");
  }
  for (const arm& other : s.arms) {
    if (other.name == name) at.fail("name", *node, "a name that no other arm has");
  }
}

void check_reference(const table_reader& at, const arm& first) {
  const bool plain = first.formats == arithmetic{} && first.noise == rollout_noise::none &&
                     first.correction == mismatch::none;
  if (first.name == "fp32" && plain) return;
  at.fail("name",
          "the first arm to be the reference: name \"fp32\", format \"fp32\" in every pass, no "
          "noise, no correction",
          fmt::format("\"{}\"{}", first.name, plain ? "" : " with another arithmetic"));
}

arm read_arm(table_reader& at, const format_table& formats, const study& s) {
  arm result;
  at.value("name", result.name);
  check_name(at, at.find("name"), s, result.name);
  result.formats = read_arithmetic(at, formats);
  at.value("noise", result.noise, noise_words);
  at.value("correction", result.correction, correction_words);
  at.finish();
  if (s.arms.empty()) check_reference(at, result);
  return result;
}

}  // namespace

void read_arms(table_reader& root, study& s) {
  const format_table formats = read_formats(root);
  const toml::node* node = root.find("arm");
  if (node == nullptr) root.fail("arm", "at least one [[arm]]", "none");
  if (!node->is_array() || node->as_array()->empty()) {
    root.fail("arm", *node, "[[arm]] tables");
  }
  for (const toml::node& element : *node->as_array()) {
    table_reader at = root.open("arm", element);
    s.arms.push_back(read_arm(at, formats, s));
  }
}

}  // namespace sim
