// SPDX-License-Identifier: Apache-2.0
// golden/vectors/vector_pack.cpp: the models with committed words, and their evidence.
// Source of the recorded words: north-numerical-computing/MATLAB-tensor-core.
#include "golden/vectors/vector_pack.h"

#include <algorithm>
#include <string_view>

#include "golden/reference/formats.h"

namespace golden {
namespace {

constexpr std::string_view recorded[] = {
    "volta.mma.f16.f32",      "volta.mma.f16.f16",      "ampere.mma.tf32.f32",
    "ampere.mma.bf16.f32",    "ampere.mma.f16.f32",     "ampere.mma.f16.f16",
    "ada.mma.bf16.f32",       "ada.mma.f16.f16",        "ada.mma.e4m3.f32",
    "ada.mma.e4m3.f16",       "ada.mma.e5m2.f32",       "ada.mma.e5m2.f16",
    "hopper.mma.tf32.f32",    "hopper.mma.bf16.f32",    "hopper.mma.f16.f32",
    "hopper.mma.f16.f16",     "hopper.mma.e4m3.f16",    "hopper.wgmma.e4m3.f32",
    "hopper.wgmma.e5m2.f32",  "blackwell.mma.tf32.f32", "blackwell.mma.bf16.f32",
    "blackwell.mma.f16.f32",  "blackwell.mma.f16.f16",  "blackwell.mma.e4m3.f32",
    "blackwell.mma.e5m2.f32", "blackwell.mma.e4m3.f16",
};

// FP8 emulated with FP16 instructions, of which no words were recorded on that device in that
// format; and an instruction that one of the published models has.
constexpr std::string_view one_model[] = {"hopper.mma.e4m3.f32",      "hopper.mma.e5m2.f32",
                                          "hopper.mma.e5m2.f16",      "blackwell.mma.e5m2.f16",
                                          "blackwell.mxf4nvf4.ue8m0", "volta.mma.f16.f32_c16"};

template <std::size_t Size>
bool holds(const std::string_view (&list)[Size], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// FP4 and FP6 beside or as FP8: the published model's authors did not run these.
bool is_narrow(const device_model& model) {
  const auto six_bits_or_fewer = [](const number_format* in) { return in->width() <= 6; };
  return six_bits_or_fewer(model.formats.a) || six_bits_or_fewer(model.formats.b);
}

std::string evidence_of(const device_model& model) {
  if (holds(recorded, model.name)) return "recorded hardware";
  const bool grouped = std::holds_alternative<grouped_fused>(model.rule);
  if (holds(one_model, model.name) || (is_narrow(model) && !grouped)) return "one model";
  return "two models agree";
}

struct operand_choice {
  const number_format& a;
  const number_format& b;
  const number_format* scale = nullptr;
  std::optional<std::size_t> block_size = std::nullopt;
};

std::vector<operand_choice> operand_choices() {
  using namespace formats;
  return {{e2m1(), e2m1(), &e8m(0), 32},
          {e2m1(), e2m1(), &ue4m3(), 16},
          {e4m3(), e5m2(), &e8m(0), 32},
          {int8(), int8(), &e8m(0), 32},
          {fp16(), fp16()}};
}

vector_pack generic_pack(const std::string& name, const std::string& rule) {
  vector_pack pack{name, "specification only", {}};
  for (const operand_choice& choice : operand_choices()) {
    pack.models.push_back(
        generic_model(rule, choice.a, choice.b, choice.scale, choice.block_size).value());
  }
  return pack;
}

// A unit has a name for each width of its elements, with the matching number of elements.
std::vector<vector_pack> generic_packs() {
  std::vector<vector_pack> packs;
  for (const std::string& rule : generic_model_names()) {
    const std::string name = rule == "mxdotp.l16"  ? "mxdotp.e2m1"
                             : rule == "mxdotp.l8" ? "mxdotp.e4m3"
                                                   : rule;
    packs.push_back(generic_pack(name, rule));
  }
  return packs;
}

}  // namespace

std::vector<vector_pack> vector_packs() {
  std::vector<vector_pack> packs = generic_packs();
  for (const device_model& model : device_models()) {
    packs.push_back({model.name, evidence_of(model), {model}});
  }
  return packs;
}

}  // namespace golden
