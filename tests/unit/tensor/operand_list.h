// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/operand_list.h: operands under every rule, rounding, correction, preset,
// toggle.
#pragma once
#include <string>
#include <vector>

#include "operand_lines.h"

namespace tests {

inline std::string with_rule(const std::string& name, mx::scale_rule rule) {
  return name + ", rule " + std::to_string(static_cast<int>(rule));
}

inline mx::quantization drawn(mx::quantization q, int bits) {
  q.rounding = mx::rounding::stochastic;
  q.random = {0x0123456789ABCDEF, bits, bits % 2 == 0 ? mx::byte_map::ptx : mx::byte_map::te_soft,
              7, 0xFEDCBA98};
  return q;
}

/// Every rule of a format, to nearest and stochastic.
inline void add_rules(const std::string& name, const mx::block_format& format,
                      std::vector<named_operand>& all) {
  for (int rule = 0; rule <= static_cast<int>(mx::scale_rule::four_over_six_abs_max); ++rule) {
    const mx::quantization q{format, static_cast<mx::scale_rule>(rule)};
    if (mx::refusal_of(q) != mx::refusal::none) continue;
    all.push_back({with_rule(name, q.rule), operand_of(q)});
    all.push_back({with_rule(name + " drawn", q.rule), operand_of(drawn(q, 8))});
  }
}

inline void add_roundings(const std::string& name, const mx::block_format& format,
                          std::vector<named_operand>& all) {
  mx::quantization q{format, usual_rule(format)};
  for (const mx::rounding how : {mx::rounding::ties_away, mx::rounding::ties_toward_zero,
                                 mx::rounding::toward_zero, mx::rounding::away_from_zero}) {
    q.rounding = how;
    all.push_back({name + ", rounding " + std::to_string(static_cast<int>(how)), operand_of(q)});
  }
  for (const int bits : {2, 5, 11, 16, 24}) {
    all.push_back({name + ", " + std::to_string(bits) + " bits", operand_of(drawn(q, bits))});
  }
}

inline void add_corrected(const std::string& name, const mx::quantization& q,
                          std::vector<named_operand>& all) {
  const int block = q.format.columns;
  mx::corrections c[12];
  c[0].macro_block = 2 * block;
  c[1].macro_block = 4 * block;
  c[1].macro_bits = 16;
  c[2].macro_block = 4 * block;
  c[2].macro_bits = 1;
  c[2].fallback = mx::fallback_mode::all;
  c[3].gain = mx::pre_gain::three_quarters;
  c[4].rotation = {16, mx::rotation_signs::none};
  c[5].rotation = {128, mx::rotation_signs::random, 3};
  c[5].fallback = mx::fallback_mode::all;
  c[6].fallback = mx::fallback_mode::all;
  c[7].fallback = mx::fallback_mode::all;
  c[7].alpha = 0.0F;
  c[8].fallback = mx::fallback_mode::all;
  c[8].alpha = 1.0F;
  c[9].fallback = mx::fallback_mode::selective;
  c[9].threshold = 0.001F;
  c[9].granule = 2 * block;
  c[10].gain = mx::pre_gain::sixteen_seventeenths;
  c[10].macro_block = 2 * block;
  c[11].fallback = mx::fallback_mode::selective;
  c[11].score = mx::fallback_score::crest;
  c[11].threshold = 3.0F;
  for (std::size_t k = 0; k < std::size(c); ++k) {
    if (mx::refusal_of(q, c[k]) != mx::correction_refusal::none) continue;
    all.push_back(
        {with_rule(name + ", corrections " + std::to_string(k), q.rule), operand_of(q, c[k])});
  }
}

inline void add_presets(std::vector<named_operand>& all) {
  for (std::size_t k = 0; k < mx::variant_table.size(); ++k) {
    const mx::variant_entry& entry = mx::variant_table[k];
    if (!mx::is_quantizer(entry)) continue;
    for (const mx::block_format& format : entry.about.formats) {
      mx::operand f = operand_of({format});
      f.recipe.preset = static_cast<int>(k);
      if (mx::line_refusal_of(f) != mx::operand_refusal::none) continue;
      all.push_back({std::string(entry.about.name), f});
      break;
    }
  }
}

/// All sets of parts under the rules of the studies; under other rules one that depends on
/// everything.
inline void add_toggled(const mx::quantization& q, std::vector<named_operand>& all) {
  const bool studied = q.rule == mx::scale_rule::floor || q.rule == mx::scale_rule::rceil;
  for (const mx::toggle how : {mx::toggle::injection, mx::toggle::operation}) {
    for (int parts = 0; parts < 16; ++parts) {
      const auto chosen = static_cast<mx::component>(parts);
      const bool dependent = chosen == (mx::component::scale | mx::component::grid);
      const mx::operand f = toggled(operand_of(q), how, chosen);
      if ((!studied && !dependent) || mx::refusal_of(f) != mx::operand_refusal::none) continue;
      const std::string name = how == mx::toggle::injection ? "injection " : "operation ";
      all.push_back({with_rule(name + std::to_string(parts), q.rule), f});
    }
  }
}

inline std::vector<named_operand> all_operands() {
  std::vector<named_operand> all{{"fp32", {}}, {"bf16", {mx::operand_numbers::bf16}}};
  for (const auto& [name, format] : line_formats()) {
    add_rules(name, format, all);
    add_roundings(name, format, all);
  }
  for (const mx::scale_rule rule :
       {mx::scale_rule::floor, mx::scale_rule::rceil, mx::scale_rule::even,
        mx::scale_rule::static_four, mx::scale_rule::ideal, mx::scale_rule::mse}) {
    add_corrected("mxfp4", {mx::block_formats::mxfp4, rule}, all);
  }
  add_corrected("mxfp4 drawn", drawn({mx::block_formats::mxfp4}, 8), all);
  add_corrected("mxfp8", {mx::block_formats::mxfp8_e4m3}, all);
  add_corrected("nvfp4", {mx::block_formats::nvfp4, mx::scale_rule::ideal}, all);
  add_corrected("exact scale", {exact_blocks, mx::scale_rule::ideal}, all);
  add_presets(all);
  for (int rule = 0; rule <= static_cast<int>(mx::scale_rule::mse); ++rule) {
    add_toggled({mx::block_formats::mxfp4, static_cast<mx::scale_rule>(rule)}, all);
  }
  add_toggled({blocks_of_five, mx::scale_rule::rceil}, all);
  return all;
}

}  // namespace tests
