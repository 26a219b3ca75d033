// SPDX-License-Identifier: Apache-2.0
// golden/reference/device_models.cpp: dot products as named devices and named rules have them.
#include "golden/reference/device_models.h"

#include "golden/reference/formats.h"

namespace golden {
namespace {

using formats::fp16;
using formats::fp32;
using list = std::vector<device_model>;

word_formats unscaled(const number_format& element, const number_format& addend) {
  return {&element, &element, &addend, nullptr};
}

struct input {
  const char* name;
  const number_format& format;
};

// An architecture's column of the table. Steps are told in bytes of an operand: TF32 takes four.
struct nvidia_instruction {
  std::string name;
  std::size_t step_bytes;
  int fraction_bits;
  int zero_exponent;          // results in FP32
  int zero_exponent_of_fp16;  // results in FP16
};

void add_fp32(list& models, const nvidia_instruction& on, const input& in, std::size_t bytes) {
  models.push_back({on.name + "." + in.name + ".f32", unscaled(in.format, fp32()),
                    truncated_fused{on.step_bytes / bytes, on.fraction_bits, outputs::rz_fp32,
                                    on.zero_exponent}});
}

void add_fp16(list& models, const nvidia_instruction& on, const input& in, std::size_t bytes) {
  models.push_back({on.name + "." + in.name + ".f16", unscaled(in.format, fp16()),
                    truncated_fused{on.step_bytes / bytes, on.fraction_bits, outputs::rne_fp16,
                                    on.zero_exponent_of_fp16}});
}

void add_half(list& models, const nvidia_instruction& on) {
  add_fp32(models, on, {"f16", fp16()}, 2);
  add_fp16(models, on, {"f16", fp16()}, 2);
}

void add_half_bf16_tf32(list& models, const nvidia_instruction& on) {
  add_half(models, on);
  add_fp32(models, on, {"bf16", formats::bf16()}, 2);
  add_fp32(models, on, {"tf32", formats::tf32()}, 4);
}

std::vector<input> fp8_inputs() { return {{"e4m3", formats::e4m3()}, {"e5m2", formats::e5m2()}}; }

std::vector<input> narrow_inputs() {
  return {{"e2m1", formats::e2m1()},
          {"e2m3", formats::e2m3()},
          {"e3m2", formats::e3m2()},
          {"e4m3", formats::e4m3()},
          {"e5m2", formats::e5m2()}};
}

// FP8 tensor cores of Ada and Hopper: 13 fraction bits, in FP32 results too.
void add_fp8_of_13_bits(list& models, nvidia_instruction on) {
  on.fraction_bits = 13;
  for (const input& in : fp8_inputs()) {
    add_fp32(models, on, in, 1);
    std::get<truncated_fused>(models.back().rule).output = outputs::rz_e8m13;
    add_fp16(models, on, in, 1);
  }
}

void add_native_narrow(list& models, const nvidia_instruction& on) {
  for (const input& in : narrow_inputs()) {
    add_fp32(models, on, in, 1);
    add_fp16(models, on, in, 1);
  }
}

// `mma.sync` with FP8 where the processor has none: by its own FP16 instruction.
void add_emulated_fp8(list& models, const nvidia_instruction& on) {
  const truncated_fused to_fp32{16, on.fraction_bits, outputs::rz_fp32, on.zero_exponent};
  const truncated_fused to_fp16{16, on.fraction_bits, outputs::rne_fp16, on.zero_exponent_of_fp16};
  for (const input& in : fp8_inputs()) {
    models.push_back({on.name + "." + in.name + ".f32", unscaled(in.format, fp32()),
                      emulated_fp8{32, to_fp32, outputs::nvidia_rne_fp32}});
    models.push_back({on.name + "." + in.name + ".f16", unscaled(in.format, fp16()),
                      emulated_fp8{32, to_fp16, outputs::rne_fp16}});
  }
}

// `m8n8k4.f32.f16.f16.f16`.
void add_addend_in_fp16(list& models, const nvidia_instruction& on) {
  add_fp32(models, on, {"f16", fp16()}, 2);
  device_model& last = models.back();
  last.name += "_c16";
  last.formats.c = &fp16();
  last.formats.d = &fp32();
}

void add_nvidia(list& models) {
  const nvidia_instruction volta{"volta.mma", 8, 23, -131, -19};
  add_half(models, volta);
  add_addend_in_fp16(models, volta);
  add_half(models, {"turing.mma", 16, 24, -132, -20});
  add_half_bf16_tf32(models, {"ampere.mma", 16, 24, -132, -20});
  const nvidia_instruction ada{"ada.mma", 16, 24, -132, -20};
  add_half_bf16_tf32(models, ada);
  add_fp8_of_13_bits(models, ada);
  const nvidia_instruction hopper_mma{"hopper.mma", 32, 25, -133, -21};
  add_half_bf16_tf32(models, hopper_mma);
  add_emulated_fp8(models, hopper_mma);
  const nvidia_instruction hopper_wgmma{"hopper.wgmma", 32, 25, -133, -21};
  add_half_bf16_tf32(models, hopper_wgmma);
  add_fp8_of_13_bits(models, hopper_wgmma);
  const nvidia_instruction blackwell_mma{"blackwell.mma", 32, 25, -133, -21};
  add_half_bf16_tf32(models, blackwell_mma);
  add_emulated_fp8(models, blackwell_mma);
  const nvidia_instruction blackwell_tcgen05{"blackwell.tcgen05", 32, 25, -133, -21};
  add_half_bf16_tf32(models, blackwell_tcgen05);
  add_native_narrow(models, blackwell_tcgen05);
  const nvidia_instruction rtx_blackwell{"rtxblackwell.mma", 32, 25, -133, -21};
  add_half_bf16_tf32(models, rtx_blackwell);
  add_native_narrow(models, rtx_blackwell);
}

void add_block_scaled(list& models) {
  const number_format& ue8m0 = formats::e8m(0);
  for (const input& a : narrow_inputs()) {
    for (const input& b : narrow_inputs()) {
      models.push_back({std::string("blackwell.mxf8f6f4.") + a.name + "." + b.name,
                        {&a.format, &b.format, &fp32(), &ue8m0},
                        truncated_fused{32, 25, outputs::rz_fp32, -133},
                        32});
    }
  }
  const number_format& e2m1 = formats::e2m1();
  models.push_back({"blackwell.mxf4", {&e2m1, &e2m1, &fp32(), &ue8m0}, grouped_fused{}, 32});
  models.push_back(
      {"blackwell.mxf4nvf4", {&e2m1, &e2m1, &fp32(), &formats::ue4m3()}, grouped_fused{}, 16});
  models.push_back(
      {"blackwell.mxf4nvf4.ue8m0", {&e2m1, &e2m1, &fp32(), &ue8m0}, grouped_fused{}, 16});
}

void add_amd(list& models) {
  const auto add = [&models](const char* name, const number_format& in, dot_rule rule) {
    models.push_back({name, unscaled(in, fp32()), rule});
  };
  add("cdna1.mfma.f16.f32", fp16(), exact_fused{rounding_span::elements, 4});
  add("cdna1.mfma.bf16.f32", formats::bf16(), exact_fused{rounding_span::elements, 2});
  add("cdna2.mfma.f16.f32", fp16(), flushing_pairwise{4});
  add("cdna2.mfma.bf16_1k.f32", formats::bf16(), flushing_pairwise{4});
  add("cdna2.mfma.bf16.f32", formats::bf16(), flushing_pairwise{2});
  add("cdna3.mfma.xf32.f32", formats::tf32(), floored_fused{4});
  add("cdna3.mfma.bf16.f32", formats::bf16(), floored_fused{8});
  add("cdna3.mfma.bf16_1k.f32", formats::bf16(), floored_fused{8});
  add("cdna3.mfma.f16.f32", fp16(), floored_fused{8});
  const floored_fused fp8{16, product_split::even_odd};
  add("cdna3.mfma.e4m3fnuz.f32", formats::e4m3fnuz(), fp8);
  add("cdna3.mfma.e5m2fnuz.f32", formats::e5m2fnuz(), fp8);
}

struct generic_rule {
  std::string name;
  dot_rule rule;
};

const std::vector<generic_rule>& generic_rules() {
  static const std::vector<generic_rule> rules{
      {"exact.rne", exact_fused{}},
      {"exact.rz", exact_fused{rounding_span::whole, 1, outputs::ieee_rz_fp32}},
      {"fp32.fma", dequantized_fma{}},
      {"fp32.sequential", exact_fused{rounding_span::block}},
      {"fp32.pairwise", pairwise_blocks{}},
      {"mxdotp.l8", exact_fused{rounding_span::elements, 8}},
      {"mxdotp.l16", exact_fused{rounding_span::elements, 16}},
      {"vortex.tfr", sticky_fused{}},
  };
  return rules;
}

}  // namespace

const std::vector<device_model>& device_models() {
  static const list models = [] {
    list all;
    add_nvidia(all);
    add_block_scaled(all);
    add_amd(all);
    return all;
  }();
  return models;
}

const device_model* find_device_model(std::string_view name) {
  for (const device_model& model : device_models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

namespace {

// The addend, rounded where it is written otherwise than a result.
std::uint32_t sum_of_nothing(const device_model& model, std::uint32_t c) {
  const auto* rule = std::get_if<truncated_fused>(&model.rule);
  if (model.formats.d == nullptr || rule == nullptr) return c;
  return rounded_exact_sum(rule->output, {operands_of(*model.formats.c).read(c)}).bits;
}

}  // namespace

const std::vector<std::string>& generic_model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const generic_rule& each : generic_rules()) all.push_back(each.name);
    return all;
  }();
  return names;
}

std::optional<device_model> generic_model(std::string_view name, const number_format& a,
                                          const number_format& b, const number_format* scale,
                                          std::optional<std::size_t> block_size) {
  for (const generic_rule& each : generic_rules()) {
    if (each.name != name) continue;
    return device_model{each.name, {&a, &b, &fp32(), scale}, each.rule, block_size};
  }
  return std::nullopt;
}

std::uint32_t dot(const device_model& model, const word_codes& word) {
  if (word.a.empty() && word.b.empty()) return sum_of_nothing(model, word.c);
  const dot_word read = read_word(model.formats, word, model.block_size);
  return std::visit([&](const auto& rule) { return dot(rule, read); }, model.rule).bits;
}

}  // namespace golden
