// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/model_choice.cpp: the model of a name, for operands of given formats.
#include "sim/cli/products/model_choice.h"

#include <fmt/format.h>

#include <stdexcept>

#include "mx/dot/binary64_dot.h"
#include "mx/dot/mixed_models.h"
#include "mx/spelling.h"

namespace sim::cli {

const mx::named_model& model_chosen(const std::string& name) {
  if (const mx::named_model* model = mx::any_model_named(name)) return *model;
  if (mx::binary64::model_named(name) != nullptr) {
    throw usage_error("--model: {} multiplies FP64 numbers; `mxprism dot` alone takes them", name);
  }
  std::vector<std::string_view> names = mx::names_of_table(mx::model_table);
  for (const mx::named_model& entry : mx::mixed_model_table) names.push_back(entry.name);
  for (const mx::named_model& entry : mx::first_step_model_table) names.push_back(entry.name);
  for (const auto& entry : mx::binary64::model_table) names.push_back(entry.name);
  throw usage_error("--model: {} `mxprism formats --models` lists all",
                    mx::no_such_name("model", name, names));
}

void add_model_option(CLI::App& command, std::string& name) {
  add_value(command, "--model", name, "NAME",
            "Model of a dot product, such as hopper.wgmma.e4m3.f32, blackwell.mxf4 or exact.rne; "
            "`mxprism formats --models` lists all")
      ->required();
}

const mx::named_model& model_told(const mx::named_model& model, const mx::dot_model& made) {
  if (model.operands == mx::operands::any) return model;
  const mx::named_model* specific = mx::model_of_formats(model, made.a, made.b);
  return specific != nullptr ? *specific : model;
}

mx::dot_model model_of_operands(const mx::named_model& model, const mx::product_formats& formats) {
  try {
    return mx::model_for(model, formats);
  } catch (const std::invalid_argument& wrong) {
    throw usage_error("--model: {}", wrong.what());
  }
}

}  // namespace sim::cli
