// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/formats_page.cpp: the formats, the names of everything else by the option that
// lists them, and what to type next, on two screens.
#include <fmt/format.h>

#include <algorithm>

#include "mx/block/names.h"
#include "mx/dot/models.h"
#include "mx/presets/variants.h"
#include "mx/recipe_words.h"
#include "mx/spelling.h"
#include "mx/tensor/layout.h"
#include "sim/cli/formats/listed_formats.h"
#include "sim/cli/terminal/terminal_text.h"

namespace sim::cli {
namespace {

std::string joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : " ") + std::string(name);
  return text;
}

template <class Table>
std::string names_of(const Table& table) {
  return joined(mx::names_of_table(table));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "torchao" of "torchao.rceil", "torchao-0.18" of "torchao-0.18.floor".
std::string_view family_of(std::string_view name) {
  for (std::size_t i = 1; i + 1 < name.size(); ++i) {
    const bool in_number = is_digit(name[i - 1]) && is_digit(name[i + 1]);
    if (name[i] == '.' && !in_number) return name.substr(0, i);
  }
  return name;
}

/// The families of names, each once.
std::string families_of(const std::vector<std::string_view>& names) {
  std::vector<std::string_view> families;
  for (const std::string_view name : names) {
    const auto known = std::find(families.begin(), families.end(), family_of(name));
    if (known == families.end()) families.push_back(family_of(name));
  }
  return joined(families);
}

std::string variant_families() {
  std::vector<std::string_view> names;
  for (const mx::variant_entry& entry : mx::variant_table) names.push_back(entry.about.name);
  return families_of(names);
}

std::string model_families() { return families_of(mx::names_of_table(mx::model_table)); }

std::string list_line(const char* option, const std::string& names) {
  return fmt::format("  {}{}\n", cell(option, 2, 17), wrapped(names, 17, 17));
}

std::string other_names() {
  return list_line("--elements", names_of(mx::element_format_table) + "; scales " +
                                     names_of(mx::scale_format_table) + "; custom ones") +
         list_line("--corrections", "mbs of gain rotate double, as in mxfp4+mbs=128,8+of=0.5") +
         list_line("--rules", "--scale-rule " + names_of(mx::scale_rule_table)) +
         list_line("--roundings", "--rounding " + names_of(mx::rounding_table) + "; --byte-map " +
                                      names_of(mx::byte_map_table)) +
         list_line("--layouts", "--layout " + names_of(mx::scale_layout_table) + "; --packing " +
                                    names_of(mx::code_order_table)) +
         list_line("--variants", fmt::format("{} presets of public kernels (--variant): {}",
                                             mx::variant_table.size(), variant_families())) +
         list_line("--models",
                   fmt::format("{} models of tensor cores (--model of dot and gemm): {}",
                               mx::model_table.size(), model_families())) +
         list_line("--crosswalk", "what other frameworks call these, and the names here") +
         list_line("--files", "types of files that are read and written") +
         list_line("--all", "all of these lists");
}

}  // namespace

std::string formats_page() {
  return block_formats_text() +
         "\nEverything else by name; these options of `mxprism formats` list it with its "
         "meaning\n" +
         other_names() +
         "\nNext\n"
         "  mxprism formats mxfp4                        one name in full: any of those above\n"
         "  mxprism formats --variants                   the kernels whose bits are known\n"
         "  mxprism explain 0.3 -1.2 --format nvfp4      a block, step by step\n"
         "  mxprism quantize x.npy -o coded.safetensors --format mxfp8-e4m3 --scale-rule rceil\n";
}

}  // namespace sim::cli
