// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/format_file.cpp: a format and its rules in a TOML file.
#include "sim/cli/rules/format_file.h"

#include "golden/io/file.h"
#include "sim/study/study_file.h"
#include "sim/study/table_reader.h"
#include "sim/study/toml_text.h"

namespace sim::cli {
namespace {

std::optional<std::string> text_at(table_reader& reader, std::string_view key) {
  std::string text;
  reader.value(key, text);
  return text.empty() ? std::nullopt : std::optional(text);
}

std::string block_at(table_reader& reader) {
  const toml::node* node = reader.find("block");
  if (node == nullptr) return "32";
  if (const auto* columns = node->as_integer()) return std::to_string(**columns);
  if (!node->is_string()) reader.fail("block", *node, "an integer such as 32, or \"16x16\"");
  return reader.text("block", *node);
}

std::string spelling_at(table_reader& reader) {
  const auto element = text_at(reader, "element");
  std::string spelling =
      element.value_or("") + ":" + text_at(reader, "scale").value_or("e8m0") + ":";
  spelling += block_at(reader);
  if (const auto tensor = text_at(reader, "tensor_scale")) spelling += ":" + *tensor;
  if (const auto corrections = text_at(reader, "corrections")) spelling += "+" + *corrections;
  return spelling;
}

}  // namespace

mx::recipe_words format_file(const std::string& path) {
  const toml::table table = toml_in(golden::io::read_text(path), path);
  table_reader reader(table, "");
  mx::recipe_words options;
  options.format = spelling_at(reader);
  options.scale_rule = text_at(reader, "scale_rule");
  options.rounding = text_at(reader, "rounding");
  options.byte_map = text_at(reader, "byte_map");
  std::uint64_t seed = 0;
  int bits = 8;
  reader.value("seed", seed);
  reader.value("random_bits", bits, whole{1, 24, 1});
  if (table.contains("seed")) options.seed = seed;
  if (table.contains("random_bits")) options.random_bits = bits;
  reader.finish();
  if (!table.contains("element")) {
    throw study_error(path + ": key 'element': missing; expected for example \"e2m1\"");
  }
  return options;
}

}  // namespace sim::cli
