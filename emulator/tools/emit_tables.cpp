// SPDX-License-Identifier: Apache-2.0
// emulator/tools/emit_tables.cpp: writes docs/formats.md: the tables of formats, rules and layouts
// from their values, and the index of headers from their heads. `--check` only reports whether it
// is current.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "mx/block/names.h"
#include "mx/dot/binary64_dot.h"
#include "mx/dot/models.h"
#include "mx/presets/crosswalk.h"
#include "mx/presets/variants.h"
#include "mx/spelling.h"
#include "mx/tensor/layout.h"
#include "mx/tensor/packing.h"
#include "settled_file.h"

namespace {

namespace fs = std::filesystem;

/// A header's entry in the index, from its head.
struct header_entry {
  std::string file, purpose, source;
};

/// The comment lines at the head of a file, joined, without the licence line.
std::string head_of(const fs::path& file) {
  std::ifstream in(file);
  std::string line, text;
  std::getline(in, line);
  while (std::getline(in, line) && line.starts_with("// ")) text += line.substr(3) + " ";
  return text;
}

/// The entry of a file below the folder `include`.
header_entry entry_of(const fs::path& file, const fs::path& include) {
  const std::string name = file.lexically_relative(include).generic_string();
  std::string text = head_of(file);
  header_entry entry{name, text.substr(std::min(text.size(), name.size() + 2)), ""};
  const auto at = entry.purpose.find("Source: ");
  if (at != std::string::npos) {
    entry.source = entry.purpose.substr(at + 8);
    entry.purpose.resize(at);
  }
  const auto end = entry.purpose.find(". ");
  if (end != std::string::npos) entry.purpose.resize(end);
  for (std::string* part : {&entry.purpose, &entry.source}) {
    while (!part->empty() && (part->back() == ' ' || part->back() == '.')) part->pop_back();
  }
  return entry;
}

std::string row_of(std::initializer_list<std::string_view> cells) {
  std::string row = "|";
  for (const std::string_view cell : cells) row += " " + std::string(cell) + " |";
  return row + "\n";
}

std::string code(std::string_view name) { return "`" + std::string(name) + "`"; }

std::string index_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    if (file.is_regular_file()) files.push_back(file.path());
  }
  std::ranges::sort(files);
  std::string table = "\n## Headers\n\n| file | rule | source |\n|---|---|---|\n";
  for (const fs::path& file : files) {
    const header_entry e = entry_of(file, folder.parent_path());
    table +=
        row_of({"[`" + e.file + "`](../emulator/include/" + e.file + ")", e.purpose, e.source});
  }
  return table;
}

/// 448, 0.25, or 2^-14 and 1.75 * 2^127 instead of many digits.
std::string number(const mx::unpacked& value) {
  const int exponent = value.floor_log2();
  const double plain = static_cast<double>(value.significand) * std::ldexp(1.0, value.exponent);
  std::ostringstream text;
  if (exponent >= -3 && exponent < 20) {
    text << std::setprecision(10) << plain;
    return text.str();
  }
  const double leading = std::ldexp(plain, -exponent);
  if (leading != 1) text << std::setprecision(8) << leading << " * ";
  text << "2^" << exponent;
  return text.str();
}

std::string specials_text(const mx::format& f) {
  switch (f.specials) {
    case mx::specials::none:
      return "none";
    case mx::specials::ieee:
      return "Inf, NaN";
    case mx::specials::top_code:
      return "NaN: all ones";
    case mx::specials::top_field:
      return "NaN: top exponent field";
    case mx::specials::fnuz:
      return "NaN: the code of -0";
  }
  return {};
}

std::string format_row(std::string_view name, const mx::format& f) {
  const auto value = [&](std::uint32_t c) { return number(mx::decode(f, c)); };
  const bool has_subnormals = f.lowest_field == mx::lowest_field::subnormal;
  const std::string bits = std::string(f.sign_mask() != 0 ? "1/" : "0/") +
                           std::to_string(f.exponent_bits) + "/" + std::to_string(f.fraction_bits);
  return row_of({code(name), bits, std::to_string(f.bias), value(f.max_code()),
                 value(has_subnormals ? std::uint32_t{1} << f.fraction_bits : 0),
                 has_subnormals && f.fraction_bits > 0 ? value(1) : "-", specials_text(f)});
}

std::string format_tables() {
  const std::string head =
      "| format | sign/exponent/fraction bits | bias | largest | smallest normal | smallest "
      "subnormal | special codes |\n|---|---|---|---|---|---|---|\n";
  std::string text =
      "\n## Element formats\n\nCustom formats of 3 to 8 bits: `e3m1`, "
      "`e3m1@4` (another bias), `e3m3fn`, `e3m3fnuz`, `int6`.\nWithout `@BIAS` the bias of X "
      "exponent bits is 2^(X-1) - 1, of fnuz formats 2^(X-1), as in both published ones.\n\n" +
      head;
  for (const auto& e : mx::element_format_table) text += format_row(e.name, e.value);
  text += "\n## Scale formats\n\nAlso `e8m1` to `e8m16`, E8M0 with fraction bits.\n\n" + head;
  for (const auto& e : mx::scale_format_table) {
    if (e.precision == mx::scale_precision::stored) text += format_row(e.name, e.value);
  }
  text += "\n`exact` is amax / max unrounded: it isolates what rounding the scale costs.\n";
  return text + "\n## Wide formats\n\n" + head + format_row("binary16", mx::formats::binary16) +
         format_row("bfloat16", mx::formats::bfloat16) +
         format_row("binary32", mx::formats::binary32);
}

template <class Table>
std::string sentence_table(const std::string& title, const Table& table) {
  std::string text = "\n## " + title + "\n\n| name | meaning |\n|---|---|\n";
  for (const auto& e : table) text += row_of({code(e.name), e.sentence});
  return text;
}

template <class Table>
std::string sourced_table(const std::string& title, const Table& table) {
  std::string text = "\n## " + title + "\n\n| name | what lies where | source |\n|---|---|---|\n";
  for (const auto& e : table) text += row_of({code(e.name), e.sentence, e.source});
  return text;
}

std::string variant_table() {
  std::string text =
      "\n## Variants\n\nRules of public kernels, byte for byte. Rests on: `run`, the tested bytes "
      "come from running the "
      "public\ncode or its algorithm; `read`, several places of the code; `one source`, a single "
      "place.\n\n| name | formats | rests on | source | doubts "
      "|\n|---|---|---|---|---|\n";
  for (const mx::variant_entry& e : mx::variant_table) {
    std::string formats;
    for (const mx::block_format& f : e.about.formats) {
      formats += (formats.empty() ? "" : ", ") + code(mx::spelling_of(f));
    }
    text += row_of(
        {code(e.about.name), formats, name_of(e.about.rests_on), e.about.source, e.about.doubts});
  }
  return text;
}

std::string step_text(const mx::dot_model& m) {
  if (m.sum.fused == mx::accumulation::all_of_k) return "all";
  if (m.sum.fused == mx::accumulation::one_block) return "a block";
  std::string text = std::to_string(m.sum.fused);
  if (m.sum.group > 1) text += " in groups of " + std::to_string(m.sum.group);
  if (m.sum.parity == mx::parity::even_and_odd) text += ", even and odd";
  return text;
}

std::string alignment_text(const mx::accumulation& how) {
  if (how.alignment == mx::alignment::exact) return "exact";
  std::string text = std::to_string(how.fraction_bits);
  if (how.late.dot_bits != 0) text += ", then C";
  return text + (how.lost == mx::lost_bits::sticky ? " and sticky" : "");
}

std::string result_text(const mx::accumulation& how) {
  std::string text = how.rounding == mx::rounding::toward_zero ? "RZ" : "RNE";
  const bool is_short = how.output.fraction_bits != how.result.fraction_bits;
  text += how.result.width() == 16 ? " FP16" : (is_short ? " E8M13" : " FP32");
  if (how.c_format == mx::c_format::binary16) text += ", C in FP16";
  return text + (how.addend == mx::addend::after_span ? ", C after" : "");
}

std::string zeros_text(const mx::accumulation& how) {
  const bool read = how.alignment == mx::alignment::window && how.zeros == mx::zero_term::each_zero;
  return read ? std::to_string(how.zero_exponent) : "-";
}

std::string zero_sign_text(const mx::accumulation& how) {
  return how.zero_result == mx::zero_result::plus ? "+0" : "+0 or -0";
}

std::string model_table() {
  std::string text =
      "\n## Models of dot products\n\nNames are architecture, instruction, input, output; where A "
      "and B differ, both inputs, as in `ada.mma.e4m3.e5m2.f32` (`mx/dot/mixed_models.h`). Sparse "
      "products and CDNA4 have no model.\n\n| name | products a step | fraction bits | result | "
      "zero results | zeros read at | evidence | source | doubts "
      "|\n|---|---|---|---|---|---|---|---|---|\n";
  const auto append = [&text](const mx::named_model& e) {
    const mx::accumulation& how = e.model.sum;
    text += row_of({code(e.name), step_text(e.model), alignment_text(how), result_text(how),
                    zero_sign_text(how), zeros_text(how), name_of(e.rests_on), e.source, e.doubts});
  };
  for (const mx::named_model& e : mx::model_table) append(e);
  for (const mx::named_model& e : mx::first_step_model_table) append(e);
  for (const mx::binary64::named_model& e : mx::binary64::model_table) {
    text += row_of({code(e.name), "1", "exact", "RNE FP64", "+0 or -0", "-", name_of(e.rests_on),
                    e.source, e.doubts});
  }
  return text;
}

std::string crosswalk() {
  std::string text =
      "\n## Crosswalk: names of other frameworks\n\n| framework | its name | ours | note "
      "|\n|---|---|---|---|\n";
  for (const mx::crosswalk_entry& e : mx::crosswalk_table) {
    text += row_of({e.framework, e.theirs, code(e.ours), e.note});
  }
  return text;
}

std::string page(const fs::path& include) {
  return "# Formats, rules, layouts, variants, models\n\n"
         "Generated by `emulator/tools/emit_tables.cpp` from the values and headers of the "
         "emulator; "
         "do not edit.\n"
         "Choices that the specification leaves open are in "
         "[DECISIONS.md](../emulator/DECISIONS.md).\n" +
         format_tables() + sentence_table("Block formats", mx::block_format_table) +
         sentence_table("Scale rules", mx::scale_rule_table) +
         sentence_table("Roundings of elements", mx::rounding_table) +
         sentence_table("Bytes of random words", mx::byte_map_table) +
         sourced_table("Orders of 4-bit codes", mx::nibble_order_table) +
         sourced_table("Orders of 6-bit codes", mx::six_bit_order_table) +
         sourced_table("Layouts of scales", mx::scale_layout_table) + variant_table() +
         model_table() + crosswalk() + index_of(include);
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  const bool checking = arguments.size() == 2 && arguments[1] == "--check";
  if (arguments.empty() || arguments.size() > 2 || (arguments.size() == 2 && !checking)) {
    std::cerr << "usage: emit_tables SOURCE_FOLDER [--check]\n";
    return 2;
  }
  const fs::path folder = arguments[0];
  const std::string text = page(folder / "emulator" / "include" / "mx");
  return settle(folder / "docs" / "formats.md", text,
                checking ? settled::compared : settled::written, "run emit_tables SOURCE_FOLDER");
}
