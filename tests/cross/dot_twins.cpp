// SPDX-License-Identifier: Apache-2.0
// tests/cross/dot_twins.cpp: models of dot products in the types of both sides.
#include "dot_twins.h"

#include <algorithm>

#include "twins.h"

namespace cross {
namespace {

namespace of_core = mx::formats;
namespace of_golden = golden::formats;

std::string golden_name(std::string_view name) {
  if (name == "mxdotp.e2m1") return "mxdotp.l16";
  if (name == "mxdotp.e4m3") return "mxdotp.l8";
  return std::string(name);
}

format_twins element_named(const std::string& name) {
  static const std::vector<format_twins> wide{{"f16", of_core::binary16, &of_golden::fp16()},
                                              {"bf16", of_core::bfloat16, &of_golden::bf16()},
                                              {"f32", of_core::binary32, &of_golden::fp32()}};
  for (const auto* list : {&element_formats(), &wide}) {
    for (const format_twins& each : *list) {
      if (each.name == name) return each;
    }
  }
  throw std::invalid_argument("no format " + name);
}

format_twins scale_named(const std::string& name) {
  const auto& all = scale_formats();
  return *std::find_if(all.begin(), all.end(),
                       [&](const format_twins& each) { return each.name == name; });
}

/// Formats for a model that takes any; no scale where block is 0.
struct operand_choice {
  std::string a, b, scale;
  int block;
};

const std::vector<operand_choice>& operand_choices() {
  static const std::vector<operand_choice> list{
      {"e2m1", "e2m1", "e8m0", 32}, {"e2m1", "e2m1", "ue4m3", 16},
      {"e4m3", "e4m3", "e8m0", 32}, {"e5m2", "e5m2", "e8m0", 32},
      {"e2m3", "e3m2", "e8m0", 32}, {"e4m3", "e2m1", "ue5m3", 16},
      {"int8", "int8", "e8m0", 32}, {"e4m3fnuz", "e5m2fnuz", "e8m3", 8},
      {"f16", "f16", "e8m0", 32},   {"bf16", "e5m2", "ue4m3", 5},
      {"e2m1", "e4m3", "f32", 16},  {"e4m3", "e5m2", "", 0},
      {"f16", "f16", "", 0},        {"bf16", "bf16", "", 0},
      {"f32", "f32", "", 0}};
  return list;
}

dot_twins generic_dot(const mx::named_model& model, const operand_choice& choice) {
  const format_twins a = element_named(choice.a), b = element_named(choice.b);
  mx::dot_model core = mx::with_formats(model.model, a.core, b.core);
  const golden::number_format* scale = nullptr;
  std::optional<std::size_t> block;
  std::string name = std::string(model.name) + " " + choice.a + " " + choice.b;
  if (choice.block == 0) {
    core.block = 0;
  } else {
    const format_twins twins =
        choice.scale == "f32" ? element_named("f32") : scale_named(choice.scale);
    core = mx::with_scales(core, twins.core, choice.block);
    scale = twins.reference;
    block = static_cast<std::size_t>(choice.block);
    name += " " + choice.scale + "/" + std::to_string(choice.block);
  }
  return {name, core,
          golden::generic_model(golden_name(model.name), *a.reference, *b.reference, scale, block)
              .value()};
}

/// Golden's model of the same instruction with A and B in the first format, given B's.
dot_twins mixed(const mx::named_model& entry) {
  const auto reference_of = [&](const mx::format& f) {
    return golden::find_device_model(mx::model_of_formats(entry, f, f)->name);
  };
  golden::device_model reference = *reference_of(entry.model.a);
  reference.formats.b = reference_of(entry.model.b)->formats.b;
  return {std::string(entry.name), entry.model, reference};
}

std::vector<dot_twins> make_device_dots() {
  std::vector<dot_twins> list;
  for (const mx::named_model& each : mx::model_table) {
    const golden::device_model* reference = golden::find_device_model(each.name);
    if (reference != nullptr) list.push_back({std::string(each.name), each.model, *reference});
  }
  for (const mx::named_model& each : mx::mixed_model_table) list.push_back(mixed(each));
  for (const mx::named_model& each : mx::first_step_model_table) {
    const golden::device_model* reference = golden::find_device_model(each.name);
    if (reference != nullptr) list.push_back({std::string(each.name), each.model, *reference});
  }
  return list;
}

std::vector<dot_twins> make_generic_dots() {
  std::vector<dot_twins> list;
  for (const mx::named_model& each : mx::model_table) {
    if (each.operands != mx::operands::any) continue;
    for (const operand_choice& choice : operand_choices()) {
      dot_twins twins = generic_dot(each, choice);
      if (mx::is_sound(twins.core)) list.push_back(std::move(twins));
    }
  }
  return list;
}

}  // namespace

int dot_twins::step() const {
  const mx::accumulation& sum = core.sum;
  if (sum.span > 0) return sum.span;
  if (sum.fused == mx::accumulation::one_block) return std::max(core.block, 1);
  return sum.fused == mx::accumulation::all_of_k ? std::max(core.block, 16) : sum.fused;
}

int dot_twins::scales(int k) const {
  return core.block == 0 ? 0 : (k + core.block - 1) / core.block;
}

const std::vector<dot_twins>& device_dots() {
  static const std::vector<dot_twins> list = make_device_dots();
  return list;
}

const std::vector<dot_twins>& generic_dots() {
  static const std::vector<dot_twins> list = make_generic_dots();
  return list;
}

std::vector<std::string> models_without_twin() {
  std::vector<std::string> names;
  for (const mx::named_model& each : mx::model_table) {
    const auto& known = golden::generic_model_names();
    const bool generic =
        std::find(known.begin(), known.end(), golden_name(each.name)) != known.end();
    if (!generic && golden::find_device_model(each.name) == nullptr) {
      names.emplace_back(each.name);
    }
  }
  for (const mx::named_model& each : mx::first_step_model_table) {
    if (golden::find_device_model(each.name) == nullptr) names.emplace_back(each.name);
  }
  return names;
}

}  // namespace cross
