// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/model_choice.cpp: the model that a name stands for, for operands of some
// formats.
#include "sim/cli/products/model_choice.h"

#include <fmt/format.h>

#include "mx/mixed_models.h"
#include "mx/spelling.h"
#include "sim/cli/rules/number_format.h"
#include "sim/cli/terminal/terminal_text.h"

namespace sim::cli {
namespace {

/// The name that is nearest to an unknown one.
std::string nearest_model(const std::string& name) {
  std::vector<std::string_view> names = mx::names_of_table(mx::model_table);
  for (const mx::named_model& entry : mx::mixed_model_table) names.push_back(entry.name);
  return std::string(mx::nearest_name(name, names));
}

}  // namespace

const mx::named_model& model_chosen(const std::string& name) {
  if (const mx::named_model* model = mx::any_model_named(name)) return *model;
  const std::string nearest = nearest_model(name);
  throw usage_error(fmt::format("--model: there is no model `{}`{} `mxprism formats` lists all",
                                name, nearest.empty() ? ";" : "; did you mean `" + nearest + "`?"));
}

void add_model_option(CLI::App& command, std::string& name) {
  command
      .add_option(
          "--model", name,
          option_text("Model of a dot product, such as hopper.wgmma.e4m3.f32, blackwell.mxf4 "
                      "or exact.rne; `mxprism formats` lists all"))
      ->required()
      ->type_name("NAME");
}

std::string refusal_of(const mx::named_model& model, const mx::format& own,
                       const mx::format& asked) {
  if (model.operands == mx::operands::any || own == asked) return "";
  std::string others;
  for (const mx::named_model& entry : mx::model_table) {
    if (!mx::is_one_instruction(model, entry)) continue;
    if (entry.model.a == asked) return "";
    others += " " + number_format_name(entry.model.a);
  }
  return fmt::format("{} takes {}", model.name,
                     others.empty() ? number_format_name(own) : "one of" + others);
}

const mx::named_model& model_told(const mx::named_model& model, const mx::dot_model& made) {
  if (model.operands == mx::operands::any) return model;
  const mx::named_model* told = mx::model_of_formats(model, made.a, made.b);
  return told != nullptr ? *told : model;
}

mx::dot_model model_for(const mx::named_model& model, const operand_formats& formats) {
  mx::dot_model m = mx::with_formats(model.model, formats.a, formats.b);
  if (model.operands == mx::operands::of_model) return m;
  using mx::formats::tf32;
  if ((formats.a == tf32) != (formats.b == tf32)) {
    throw usage_error(
        "tf32 lies in the upper bits of FP32, other formats do not; both operands or "
        "none are tf32");
  }
  m.unread_bits = formats.a == tf32 ? 13 : 0;
  m.block = formats.block;
  if (formats.scale) m.scale = *formats.scale;
  if (mx::is_sound(m)) return m;
  throw usage_error(fmt::format(
      "--model {}: its sums have no room for products of {} and {}{}; use exact.rne, or narrower "
      "formats",
      model.name, number_format_name(m.a), number_format_name(m.b),
      m.block > 0 ? " under " + scale_format_name(m.scale) : ""));
}

}  // namespace sim::cli
