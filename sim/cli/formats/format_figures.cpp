// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/format_figures.cpp: widths, limits and values of formats, as listed.
#include "sim/cli/formats/format_figures.h"

#include <fmt/format.h>

#include "mx/block/names.h"
#include "mx/number/element.h"
#include "mx/spelling.h"
#include "sim/study/operand_words.h"
#include "sim/study/stored_bits.h"

namespace sim::cli {
namespace {

mx::unpacked smallest_of(const mx::format& f) {
  return mx::decode(f, f.lowest_field == mx::lowest_field::normal ? 0 : 1);
}

/// Powers of two below 2^-8 and above 2^20 by their exponent.
std::string number_text(const mx::unpacked& value) {
  const bool power = (value.significand & (value.significand - 1)) == 0;
  const int exponent = value.floor_log2();
  if (power && (exponent < -8 || exponent > 20)) return fmt::format("2^{}", exponent);
  return fmt::format("{:.8g}", mx::to_binary32(value));
}

}  // namespace

std::string scale_name_of(const mx::block_format& f) {
  for (const mx::scale_name& entry : mx::scale_format_table) {
    if (entry.value == f.scale && entry.precision == f.precision) return std::string(entry.name);
  }
  return fmt::format("e8m{}", f.scale.fraction_bits);
}

std::string fields_of(const mx::format& f) {
  return fmt::format("{}/{}/{}", f.sign_mask() != 0 ? 1 : 0, f.exponent_bits, f.fraction_bits);
}

std::string limits_of(const mx::format& f) {
  return number_text(smallest_of(f)) + " to " + number_text(mx::decode(f, f.max_code()));
}

std::string specials_of(const mx::format& f) {
  std::string text = f.has_nan() ? "NaN" : "";
  if (f.specials == mx::specials::ieee) text += " Inf";
  if (f.has_negative_zero()) text += text.empty() ? "-0" : " -0";
  if (f.lowest_field == mx::lowest_field::normal) text += ", no zero";
  return text.empty() ? "none" : text;
}

ordered_json figures_json(const mx::format& f) {
  return {{"bits", f.width()},
          {"exponent_bits", f.exponent_bits},
          {"fraction_bits", f.fraction_bits},
          {"bias", f.bias},
          {"emax", f.emax()},
          {"smallest", mx::to_binary32(smallest_of(f))},
          {"largest", mx::to_binary32(mx::decode(f, f.max_code()))},
          {"nan", f.has_nan()},
          {"infinity", f.specials == mx::specials::ieee},
          {"negative_zero", f.has_negative_zero()}};
}

ordered_json figures_json(const mx::block_format& f) {
  ordered_json result{
      {"element", mx::spelling_of(f.element)},
      {"scale", scale_name_of(f)},
      {"block", f.size()},
      {"rows", f.rows},
      {"columns", f.columns},
      {"tensor_scale", tensor_word(f)},
      {"bits_an_element", bits_an_element(f)},
      {"default_scale_rule", mx::name_in(mx::scale_rule_table, mx::default_rule(f))}};
  if (f.element.width() <= 6) result["magnitudes"] = magnitudes_of(f.element);
  return result;
}

std::vector<float> magnitudes_of(const mx::format& f) {
  std::vector<float> values;
  for (std::uint32_t code = 0; code <= f.max_code(); ++code) {
    values.push_back(mx::to_binary32(mx::decode(f, code)));
  }
  return values;
}

}  // namespace sim::cli
