// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/listed_formats.cpp: the lists of all names, from the tables of the core.
#include "sim/cli/formats/listed_formats.h"

#include <fmt/format.h>

#include <array>

#include "mx/block/names.h"
#include "mx/recipe_words.h"
#include "mx/spelling.h"
#include "mx/tensor/layout.h"
#include "sim/cli/formats/format_figures.h"
#include "sim/cli/terminal/terminal_text.h"
#include "sim/study/stored_bits.h"

namespace sim::cli {
namespace {

/// The spelling of formats and corrections.
struct grammar_line {
  const char *part, *form, *meaning;
};

constexpr std::array grammar{
    grammar_line{"ELEMENT", "ELEMENT",
                 "a name above, or eXmY[@BIAS][fn|ieee|fnuz] or intW of 3 to 8 bits"},
    grammar_line{"SCALE", "SCALE", "e8m0 to e8m16, ue4m3, ue5m3, fp32, exact (not for quantize)"},
    grammar_line{"BLOCK", "BLOCK", "32, 1x32 or 16x16: rows x columns, columns along the axis"},
    grammar_line{"TENSOR", "TENSOR",
                 "tensor or row: an FP32 scale above the blocks; tensor256 or row256: the largest "
                 "block scale is 256, not 448"}};

constexpr std::array corrections{
    grammar_line{"mbs", "mbs=ELEMENTS[,BITS]",
                 "macro-block factor in [1, 2) with BITS fraction bits (8)"},
    grammar_line{"of", "of=ALPHA[,SCORE:THRESHOLD[,GRANULE]]",
                 "outlier fallback: ALPHA times a quantized residual; everywhere, or where the "
                 "score of a granule (dead, amax or crest) exceeds the threshold"},
    grammar_line{"gain", "gain=3/4 or gain=16/17",
                 "elements times the gain, so that stochastic rounding does not clip"},
    grammar_line{"rotate", "rotate=SIZE[,fixed|random:SEED]",
                 "Hadamard rotation of every 16, 32, 64 or 128 elements"},
    grammar_line{"double", "double",
                 "quantized to nearest even and dequantized along the other of the last two axes "
                 "first, without other corrections"}};

template <class Lines>
std::string grammar_text(const Lines& lines) {
  std::string text;
  for (const grammar_line& g : lines) {
    text += fmt::format("  {}{}\n", cell(g.form, 2, 40), wrapped(g.meaning, 40, 40));
  }
  return text;
}

template <class Lines>
ordered_json grammar_json(const Lines& lines) {
  return json_array(lines, [](const grammar_line& g) -> ordered_json {
    return {{"name", g.part}, {"form", g.form}, {"meaning", g.meaning}};
  });
}

template <class Table>
std::string choices_text(const std::string& title, const Table& table) {
  std::string text = title + "\n";
  for (const auto& entry : table) {
    text += fmt::format("  {}{}\n", cell(entry.name, 2, 22), wrapped(entry.sentence, 22, 22));
  }
  return text;
}

template <class Table>
ordered_json choices_json(const Table& table) {
  return json_array(table, [](const auto& entry) -> ordered_json {
    return {{"name", entry.name}, {"meaning", entry.sentence}};
  });
}

std::string number_formats_text() {
  std::string text = "Elements, s/e/f: bits of sign, exponent, fraction\n";
  for (const auto& entry : mx::element_format_table) {
    const mx::format& f = entry.value;
    text += fmt::format("  {}{:<7}{:<22}{:<12}{}\n", cell(entry.name, 2, 12), fields_of(f),
                        limits_of(f), specials_of(f), wrapped(entry.sentence, 53, 53));
  }
  text += "\nScales\n";
  for (const mx::scale_name& entry : mx::scale_format_table) {
    const bool stored = entry.precision == mx::scale_precision::stored;
    text += fmt::format("  {}{:<25}{}\n", cell(entry.name, 2, 12),
                        stored ? limits_of(entry.value) : "", entry.sentence);
  }
  return text + "  e8m1 to e8m16                      e8m0 with that many fraction bits\n" +
         "\nCustom formats\n" + grammar_text(grammar);
}

std::string corrections_text() {
  return "Corrections, appended to a format, as in mxfp4+mbs=128,8+of=0.5\n" +
         grammar_text(corrections);
}

std::string rules_text() {
  return choices_text("Scale rules (--scale-rule)", mx::scale_rule_table);
}

std::string roundings_text() {
  return choices_text("Roundings (--rounding)", mx::rounding_table) + "\n" +
         choices_text("Byte maps of stochastic rounding (--byte-map)", mx::byte_map_table);
}

std::string layouts_text() {
  return choices_text("Packings of codes (--packing)", mx::code_order_table) + "\n" +
         choices_text("Layouts of scales (--layout)", mx::scale_layout_table);
}

std::string files_text() {
  return "Files\n"
         "  read                .safetensors .npy (F32, F16, BF16; codes U8; scales U8, U16, U32, "
         "F32)\n"
         "                      .gguf (F32, F16, BF16, MXFP4, NVFP4, Q4_0, Q4_1, Q8_0)\n"
         "  written             .safetensors, and .npy by dequantize and explain --save\n";
}

template <class Table>
ordered_json figures_of_table(const Table& table) {
  return json_array(table, [](const auto& entry) {
    ordered_json line{{"name", entry.name}, {"meaning", entry.sentence}};
    line.update(figures_json(entry.value));
    return line;
  });
}

ordered_json layouts_json() {
  return json_array(mx::scale_layout_table, [](const mx::scale_layout_entry& e) -> ordered_json {
    return {{"name", e.name}, {"meaning", e.sentence}, {"source", e.source}};
  });
}

}  // namespace

std::string block_formats_text() {
  std::string text = "Formats (--format)\n";
  for (const auto& entry : mx::block_format_table) {
    text += fmt::format("  {}{}{} bits an element\n", cell(entry.name, 2, 16),
                        cell(entry.sentence, 16, 72), bits_an_element(entry.value));
  }
  return text +
         "  ELEMENT:SCALE:BLOCK[:TENSOR]  custom: e2m1:e8m3:32, e4m3fnuz:fp32:1x128, "
         "e2m1:ue4m3:16:tensor\n"
         "  @FILE                         the same in TOML: element, scale, block, tensor_scale, "
         "corrections,\n                                scale_rule, rounding, byte_map, seed, "
         "random_bits\n";
}

std::span<const name_list> name_lists() {
  static const std::array lists{
      name_list{"--formats", "formats of blocks", block_formats_text, {"formats"}},
      name_list{"--elements",
                "elements, scales, and the spelling of custom formats",
                number_formats_text,
                {"elements", "scales", "grammar"}},
      name_list{"--corrections", "corrections of a format", corrections_text, {"corrections"}},
      name_list{"--rules", "rules by which scales are chosen", rules_text, {"scale_rules"}},
      name_list{"--roundings",
                "roundings, and byte maps of the stochastic one",
                roundings_text,
                {"roundings", "byte_maps"}},
      name_list{"--layouts",
                "layouts of scales, and packings of codes",
                layouts_text,
                {"packings", "layouts"}},
      name_list{"--variants",
                "presets of public kernels, with their evidence",
                variants_text,
                {"variants"}},
      name_list{"--crosswalk",
                "names of other frameworks, and the names here",
                crosswalk_text,
                {"crosswalk"}},
      name_list{"--models", "tensor-core models, with their evidence", models_text, {"models"}},
      name_list{"--files", "types of files", files_text, {"file_types"}}};
  return lists;
}

ordered_json formats_json() {
  ordered_json result;
  result["formats"] = figures_of_table(mx::block_format_table);
  result["elements"] = figures_of_table(mx::element_format_table);
  result["scales"] = figures_of_table(mx::scale_format_table);
  result["grammar"] = grammar_json(grammar);
  result["corrections"] = grammar_json(corrections);
  result["scale_rules"] = choices_json(mx::scale_rule_table);
  result["roundings"] = choices_json(mx::rounding_table);
  result["byte_maps"] = choices_json(mx::byte_map_table);
  result["packings"] = choices_json(mx::code_order_table);
  result["layouts"] = layouts_json();
  result["variants"] = variants_json();
  result["crosswalk"] = crosswalk_json();
  result["models"] = models_json();
  result["file_types"] = {".safetensors", ".npy", ".gguf"};
  return result;
}

}  // namespace sim::cli
