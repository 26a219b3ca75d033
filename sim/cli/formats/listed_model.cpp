// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/listed_model.cpp: descriptions of models of dot products.
#include "sim/cli/formats/listed_formats.h"

#include <fmt/format.h>

#include "mx/block/names.h"
#include "mx/dot/binary64_dot.h"
#include "mx/dot/mixed_models.h"
#include "mx/spelling.h"
#include "sim/cli/terminal/terminal_text.h"

namespace sim::cli {
namespace {

std::string line(const char* what, std::string_view words) {
  return fmt::format("  {:<10}{}\n", what, wrapped(words, 12, 12));
}

std::string scales_of(const mx::dot_model& m) {
  if (m.block == 0) return "none";
  return fmt::format("{} for every {} elements", scale_format_name(m.scale), m.block);
}

std::string operands_of(const mx::named_model& entry) {
  const mx::dot_model& m = entry.model;
  if (entry.operands == mx::operands::any) return "any formats, with scales or without";
  const bool own_c = m.sum.c_format != mx::c_format::of_result;
  return fmt::format("{} and {}; scales: {}{}", number_format_name(m.a), number_format_name(m.b),
                     scales_of(m), own_c ? "; C: " + number_format_name(format_of_c(m.sum)) : "");
}

std::string step_of(const mx::accumulation& how) {
  const std::string cut =
      how.alignment == mx::alignment::exact
          ? "nothing is cut off"
          : fmt::format("cut {} bits below the largest exponent", how.fraction_bits);
  if (how.fused == mx::accumulation::all_of_k) return "all products at once; " + cut;
  if (how.fused == mx::accumulation::one_block) return "one block at a time; " + cut;
  return fmt::format("{} product{} at once; {}", how.fused, how.fused == 1 ? "" : "s", cut);
}

std::string result_of(const mx::accumulation& how) {
  const std::string rounded(mx::name_in(mx::rounding_table, how.rounding));
  const std::string bits =
      how.output == how.result ? "" : fmt::format(", {} fraction bits", how.output.fraction_bits);
  return fmt::format("{}{}, {}", number_format_name(how.result), bits, rounded);
}

std::string evidence_of(const auto& entry) {
  return line("evidence", mx::name_of(entry.rests_on)) + line("source", entry.source) +
         line("doubts", entry.doubts.empty() ? "none" : entry.doubts);
}

std::string listed(const auto& entry) {
  return fmt::format("  {}{} {}\n", cell(entry.name, 2, 33), entry.doubts.empty() ? ' ' : '!',
                     mx::name_of(entry.rests_on));
}

constexpr std::string_view binary64_steps =
    "one product at a time, fused with the sum before; k ascending, from C";

/// "ada.mma.A.B.f32                  e4m3 e5m2", a line for each instruction and output.
std::string pairs_text() {
  std::string text = "  A and B of two formats, all pairs, such as ada.mma.e4m3.e5m2.f32:\n";
  for (const mx::named_model& entry : mx::model_table) {
    std::string formats;
    bool first = true;  // one line an instruction: that of its first entry
    for (const mx::named_model& other : mx::model_table) {
      if (!mx::is_one_instruction(entry, other)) continue;
      first = first && (!formats.empty() || &other == &entry);
      formats += fmt::format(" {}", mx::input_of(other.name));
    }
    if (formats.empty() || !first) continue;
    text += fmt::format(
        "  {}{}\n",
        cell(fmt::format("{}A.B{}", mx::instruction_of(entry.name), mx::output_of(entry.name)), 2,
             35),
        formats);
  }
  return text;
}

}  // namespace

std::string evidence_lines(const mx::named_model& entry) { return evidence_of(entry); }
std::string evidence_lines(const mx::binary64::named_model& entry) { return evidence_of(entry); }

std::string described(const mx::named_model& entry) {
  return line("operands", operands_of(entry)) + line("steps", step_of(entry.model.sum)) +
         line("result", result_of(entry.model.sum)) + evidence_lines(entry);
}

std::string described(const mx::binary64::named_model& entry) {
  return line("operands", "f64 and f64; scales: none; words of `mxprism dot` alone") +
         line("steps", binary64_steps) + line("result", "f64, nearest-even") + evidence_of(entry);
}

ordered_json json_of(const mx::binary64::named_model& entry) {
  return {{"name", entry.name},
          {"evidence", mx::name_of(entry.rests_on)},
          {"source", entry.source},
          {"doubts", entry.doubts},
          {"a", "f64"},
          {"b", "f64"},
          {"scale", "none"},
          {"block", 0},
          {"result", "f64"},
          {"steps", binary64_steps}};
}

ordered_json json_of(const mx::named_model& entry) {
  const mx::dot_model& m = entry.model;
  ordered_json json{{"name", entry.name},
                    {"evidence", mx::name_of(entry.rests_on)},
                    {"source", entry.source},
                    {"doubts", entry.doubts}};
  const bool any = entry.operands == mx::operands::any;
  json["a"] = any ? "any" : number_format_name(m.a);
  json["b"] = any ? "any" : number_format_name(m.b);
  json["scale"] = any ? "any" : (m.block == 0 ? "none" : scale_format_name(m.scale));
  json["block"] = any ? ordered_json() : ordered_json(m.block);
  if (m.sum.c_format != mx::c_format::of_result) {
    json["c"] = number_format_name(format_of_c(m.sum));
  }
  json["result"] = number_format_name(m.sum.result);
  json["steps"] = step_of(m.sum);
  return json;
}

std::string models_text() {
  std::string text =
      "Tensor-core models (--model of dot and gemm) and their evidence; !: open doubts, listed "
      "with\n"
      "the source by `mxprism formats NAME`\n";
  for (const mx::named_model& entry : mx::model_table) text += listed(entry);
  for (const mx::named_model& entry : mx::first_step_model_table) text += listed(entry);
  for (const auto& entry : mx::binary64::model_table) text += listed(entry);
  return text + pairs_text() + "  sparse products and CDNA4 have no model\n";
}

ordered_json models_json() {
  ordered_json all = ordered_json::array();
  for (const mx::named_model& entry : mx::model_table) all.push_back(json_of(entry));
  for (const mx::named_model& entry : mx::mixed_model_table) all.push_back(json_of(entry));
  for (const mx::named_model& entry : mx::first_step_model_table) all.push_back(json_of(entry));
  for (const auto& entry : mx::binary64::model_table) all.push_back(json_of(entry));
  return all;
}

}  // namespace sim::cli
