// SPDX-License-Identifier: Apache-2.0
// sim/study/study_tree.cpp: see study_tree.h.
#include "sim/study/study_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "golden/io/file.h"
#include "mx/spelling.h"
#include "sim/study/study_file.h"
#include "sim/study/table_reader.h"
#include "sim/study/toml_text.h"

namespace sim {
namespace {

namespace fs = std::filesystem;

/// Whether a value can only be a string: a word or a path, and no other value of TOML.
bool is_bare_word(std::string_view v) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto inner = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') ||
           std::string_view("_+-./").find(c) != std::string_view::npos;
  };
  const bool is_path = v.find('/') != std::string_view::npos;
  return !v.empty() && (letter(v.front()) || is_path) && std::ranges::all_of(v, inner) &&
         v != "true" && v != "false" && v != "inf" && v != "nan";
}

void merge(toml::table& into, toml::table&& from) {
  for (auto&& [key, node] : from) {
    toml::table* inner = into[key.str()].as_table();
    if (inner != nullptr && node.is_table()) {
      merge(*inner, std::move(*node.as_table()));
    } else {
      into.insert_or_assign(key, std::move(node));
    }
  }
}

/// Adds an override to earlier ones, none of which sets a key of it.
///   name  of the table, behind the root
void add_override(toml::table& into, toml::table&& from, const std::string& name) {
  for (auto&& [key, node] : from) {
    const std::string full = name + std::string(key.str());
    const toml::node* earlier = into.get(key.str());
    if (earlier == nullptr) {
      into.insert_or_assign(key, std::move(node));
    } else if (earlier->is_table() && node.is_table()) {
      add_override(*into.get_as<toml::table>(key.str()), std::move(*node.as_table()), full + ".");
    } else {
      throw study_error("{} and {} both set {}; give one of them", *earlier->source().path,
                        *node.source().path, full);
    }
  }
}

/// A table of the study, and its name as overrides begin with it: "" or `arm.NAME.`.
struct overridden_table {
  toml::table* table;
  std::string prefix;
};

/// The arm of `arm.NAME.key`, whose name may have dots and plus signs.
///   errors  study_error where no arm has the name
overridden_table arm_of(toml::table& root, std::string_view key, const std::string& source) {
  std::vector<std::string> names;
  overridden_table found{nullptr, ""};
  const toml::array* arms = root["arm"].as_array();
  for (std::size_t i = 0; arms != nullptr && i < arms->size(); ++i) {
    toml::table* arm = root["arm"][i].as_table();
    const auto name = arm == nullptr ? std::nullopt : (*arm)["name"].value<std::string>();
    if (!name) continue;
    names.push_back(*name);
    const std::string prefix = fmt::format("arm.{}.", *name);
    if (prefix.size() > found.prefix.size() && key.starts_with(prefix)) found = {arm, prefix};
  }
  if (found.table != nullptr) return found;
  const std::string_view asked = key.substr(std::string_view("arm.").size());
  throw study_error("{}: {}", source,
                    mx::unknown_name("arm", asked.substr(0, asked.rfind('.')),
                                     {names.begin(), names.end()}));
}

/// The keys of overrides so far, by the prefix of their table.
using overridden_keys = std::map<std::string, toml::table>;

void apply_override(toml::table& root, const std::string& text, overridden_keys& earlier) {
  const std::string source = fmt::format("override '{}'", text);
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || text.find('\n') != std::string::npos) {
    throw study_error(source + ": expected key=value on one line");
  }
  std::string_view key = std::string_view(text).substr(0, equals);
  overridden_table at{&root, ""};
  if (key.starts_with("arm.")) at = arm_of(root, key, source);
  key.remove_prefix(at.prefix.size());
  const std::string_view value = std::string_view(text).substr(equals + 1);
  const char* quote = is_bare_word(value) ? "\"" : "";
  const std::string line = fmt::format("{} = {}{}{}", key, quote, value, quote);
  add_override(earlier[at.prefix], toml_in(line, source), at.prefix);
  merge(*at.table, toml_in(line, source));
}

/// Text of a file that a study extends.
std::string extended_text(const table_reader& extending, const fs::path& file) {
  try {
    return golden::io::read_text(file.string());
  } catch (const golden::io::file_error& e) {
    extending.refuse("extends", fmt::format("expected a study file in TOML: {}", e.what()));
  }
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

/// The file's keys, joined to those of the studies that it extends.
///   extending  the files from the one asked for to this one
toml::table joined_tree(const std::string& text, std::vector<fs::path>& extending) {
  const fs::path file = extending.back();
  toml::table tree = toml_in(text, file.string());
  table_reader root(tree, "");
  if (root.find("extends") == nullptr) return tree;
  std::string name;
  root.value("extends", name);
  const fs::path base = file.parent_path() / name;
  for (const fs::path& f : extending) {
    if (!is_same_file(f, base)) continue;
    root.refuse("extends", fmt::format("{} itself extends {}; remove one of the two keys",
                                       base.string(), file.string()));
  }
  const std::string base_text = extended_text(root, base);
  extending.push_back(base);
  toml::table result = joined_tree(base_text, extending);
  tree.erase("extends");
  merge(result, std::move(tree));
  return result;
}

std::string text_of(const std::string& path) {
  try {
    return golden::io::read_text(path);
  } catch (const golden::io::file_error& e) {
    const std::string_view why = std::string_view(e.what()).substr(path.size() + 2);
    throw study_error("{}: expected a study file in TOML: {}", path, why);
  }
}

}  // namespace

toml::table study_tree(const fs::path& file, const std::vector<std::string>& overrides) {
  std::vector<fs::path> extending{file};
  toml::table tree = joined_tree(text_of(file.string()), extending);
  overridden_keys earlier;
  for (const std::string& text : overrides) apply_override(tree, text, earlier);
  return tree;
}

}  // namespace sim
