// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/model_choice.cpp: the model that a name stands for, for operands of some
// formats.
#include "sim/cli/products/model_choice.h"

#include <fmt/format.h>

#include "mx/spelling.h"
#include "sim/cli/rules/number_format.h"
#include "sim/cli/terminal/terminal_text.h"

namespace sim::cli {
namespace {

/// OCP's FP8 formats go together, and so do the FNUZ ones.
bool are_siblings(const mx::format& x, const mx::format& y) {
  using namespace mx::formats;
  const auto within = [&](const mx::format& first, const mx::format& second) {
    return (x == first || x == second) && (y == first || y == second);
  };
  return within(e4m3, e5m2) || within(e4m3fnuz, e5m2fnuz);
}

}  // namespace

const mx::named_model& model_chosen(const std::string& name) {
  if (const mx::named_model* model = mx::model_named(name)) return *model;
  const std::string nearest(mx::nearest_name(name, mx::names_of_table(mx::model_table)));
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
  if (model.model.block == 0 && are_siblings(own, asked)) return "";
  return fmt::format("{} takes {}", model.name, number_format_name(own));
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
