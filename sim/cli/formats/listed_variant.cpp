// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/listed_variant.cpp: descriptions of presets of public kernels.
#include "sim/cli/formats/listed_formats.h"

#include <fmt/format.h>

#include <array>

#include "mx/presets/crosswalk.h"
#include "mx/presets/variants.h"
#include "mx/spelling.h"
#include "sim/cli/terminal/terminal_text.h"

namespace sim::cli {
namespace {

std::string formats_of(const mx::variant& v) {
  std::string names;
  for (const mx::block_format& f : v.formats) {
    names += (names.empty() ? "" : " ") + mx::spelling_of(f);
  }
  return names;
}

std::string_view evidence_sentence(mx::evidence rests_on) {
  constexpr std::array<std::string_view, 3> sentences{
      "run: the public code, or an isolated port of it, produced the tested witnesses",
      "read: taken from the public code", "one source: one document, or one test of a third party"};
  return sentences[static_cast<std::size_t>(rests_on)];
}

std::string_view family_of(mx::variant_family family) {
  constexpr std::array<std::string_view, 4> families{"quantizer with E8M0 scales",
                                                     "quantizer to NVFP4",
                                                     "conversion of single elements", "decoder"};
  return families[static_cast<std::size_t>(family)];
}

std::string_view packing_of(const mx::variant& v) {
  return mx::name_in(mx::nibble_order_table, v.packing);
}

}  // namespace

std::string described(const mx::variant_entry& entry) {
  const mx::variant& v = entry.about;
  std::string text;
  const auto line = [&](const char* what, std::string_view words) {
    text += fmt::format("  {:<10}{}\n", what, wrapped(words, 12, 12));
  };
  line("what", family_of(entry.family));
  line("formats", formats_of(v));
  line("nibbles", packing_of(v));
  line("source", v.source);
  line("evidence", evidence_sentence(v.rests_on));
  line("doubts", v.doubts.empty() ? "none" : v.doubts);
  return text;
}

ordered_json json_of(const mx::variant_entry& entry) {
  const mx::variant& v = entry.about;
  const auto spelling = [](const mx::block_format& f) { return mx::spelling_of(f); };
  return {{"name", v.name},
          {"family", family_of(entry.family)},
          {"formats", json_array(v.formats, spelling)},
          {"packing", packing_of(v)},
          {"source", v.source},
          {"evidence", name_of(v.rests_on)},
          {"doubts", v.doubts}};
}

std::string variants_text() {
  std::string text =
      "Variants (--variant): public kernels, bit by bit. r: run, R: read, 1: one source;\n"
      "!: open doubts, listed by `mxprism formats NAME`\n";
  for (const mx::variant_entry& entry : mx::variant_table) {
    const mx::variant& v = entry.about;
    const char evidence = "rR1"[static_cast<int>(v.rests_on)];
    text += fmt::format("  {}{}{}  {}\n", cell(v.name, 2, 33), evidence,
                        v.doubts.empty() ? ' ' : '!', wrapped(formats_of(v), 37, 37));
  }
  return text;
}

ordered_json variants_json() {
  return json_array(mx::variant_table, [](const mx::variant_entry& e) { return json_of(e); });
}

std::string crosswalk_text() {
  std::string text = "Crosswalk: names elsewhere, and the names here\n";
  std::string_view last;
  for (const mx::crosswalk_entry& e : mx::crosswalk_table) {
    if (e.framework != last) text += fmt::format("  {}\n", e.framework);
    last = e.framework;
    const std::string ours =
        e.note.empty() ? std::string(e.ours) : fmt::format("{} ({})", e.ours, e.note);
    text += "    " + cell(e.theirs, 4, 40) + wrapped(ours, 40, 40) + "\n";
  }
  return text;
}

ordered_json crosswalk_json() {
  return json_array(mx::crosswalk_table, [](const mx::crosswalk_entry& e) -> ordered_json {
    return {{"framework", e.framework}, {"theirs", e.theirs}, {"ours", e.ours}, {"note", e.note}};
  });
}

}  // namespace sim::cli
