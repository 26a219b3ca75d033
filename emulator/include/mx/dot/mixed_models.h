// SPDX-License-Identifier: Apache-2.0
// mx/dot/mixed_models.h: instructions that accept A and B in two formats: `ada.mma.e4m3.e5m2.f32`
// is `ada.mma.e4m3.f32` with B in E5M2. FP8 combines with FP8; Blackwell's f8f6f4 accepts all 25
// pairs of E2M1, E2M3, E3M2, E4M3 and E5M2.
// Source: PTX ISA, mma and tcgen05.mma (.kind::f8f6f4); microsoft/MMA-Sim, which computes every
// pair of FP8 formats. No word was recorded for a pair of two formats.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "mx/dot/models.h"

namespace mx {

/// "ada.mma." and ".f32" of "ada.mma.e4m3.f32".
[[nodiscard]] constexpr std::string_view instruction_of(std::string_view name) noexcept {
  return name.substr(0, name.find('.', name.find('.') + 1) + 1);
}
[[nodiscard]] constexpr std::string_view output_of(std::string_view name) noexcept {
  return name.substr(name.rfind('.'));
}
/// "e4m3" of the same.
[[nodiscard]] constexpr std::string_view input_of(std::string_view name) noexcept {
  const std::size_t first = instruction_of(name).size();
  return name.substr(first, name.size() - output_of(name).size() - first);
}

/// Whether a model's instruction may accept a second format at all: formats of at most 8 bits,
/// without scales.
[[nodiscard]] constexpr bool has_siblings(const named_model& m) noexcept {
  return m.operands == operands::of_model && m.model.block == 0 && m.model.a.width() <= 8;
}

/// Whether two models are one instruction: A may have the format of one and B that of the other.
[[nodiscard]] constexpr bool is_one_instruction(const named_model& x,
                                                const named_model& y) noexcept {
  return has_siblings(x) && has_siblings(y) && x.model.sum == y.model.sum &&
         instruction_of(x.name) == instruction_of(y.name) && output_of(x.name) == output_of(y.name);
}

/// FP8 as two steps of FP16.
[[nodiscard]] constexpr bool is_emulated(const named_model& m) noexcept {
  return m.model.sum.factors == factor_exponent::binary16;
}

/// Evidence of a mixed pair: words were recorded for single formats only. MMA-Sim and fpy compute
/// FP8 pairs; FP8 as two steps of FP16 has one source.
[[nodiscard]] constexpr model_evidence evidence_of_pair(const named_model& a,
                                                        const named_model& b) noexcept {
  const model_evidence weaker = std::max(a.rests_on, b.rests_on);
  if (weaker != model_evidence::recorded_hardware) return weaker;
  return is_emulated(a) ? model_evidence::one_model : model_evidence::two_models_agree;
}

/// A in the format of one and B in that of the other, of two models of one instruction.
[[nodiscard]] constexpr named_model mixed_model(std::string_view name, const named_model& a,
                                                const named_model& b) noexcept {
  named_model mixed = a;
  mixed.name = name;
  mixed.model.b = b.model.b;
  mixed.rests_on = evidence_of_pair(a, b);
  if (is_emulated(a)) {
    mixed.doubts = "recorded with one format for A and B only";
    return mixed;
  }
  if (a.source != matrix_cores::published) mixed.source = tensor_cores::published_for(a.model);
  // Of one instruction's models the longer doubts contain the others.
  mixed.doubts = a.doubts.size() < b.doubts.size() ? b.doubts : a.doubts;
  return mixed;
}

/// Characters of a composed name.
struct mixed_name {
  std::array<char, 40> letters{};
  std::size_t size = 0;

  constexpr void append(std::string_view text) noexcept {
    for (const char c : text) letters[size++] = c;
  }
  [[nodiscard]] constexpr std::string_view text() const noexcept { return {letters.data(), size}; }
};

/// Calls work(a, b) for every two models of one instruction that differ in their format.
template <class Work>
constexpr void for_each_mixed_pair(const Work& work) {
  for (const named_model& a : model_table) {
    if (!has_siblings(a)) continue;
    for (const named_model& b : model_table) {
      if (!(a.model.a == b.model.a) && is_one_instruction(a, b)) work(a, b);
    }
  }
}

[[nodiscard]] constexpr std::size_t count_of_mixed_pairs() {
  std::size_t count = 0;
  for_each_mixed_pair([&count](const named_model&, const named_model&) { ++count; });
  return count;
}

[[nodiscard]] constexpr auto names_of_mixed_pairs() {
  std::array<mixed_name, count_of_mixed_pairs()> names{};
  std::size_t at = 0;
  for_each_mixed_pair([&](const named_model& a, const named_model& b) {
    mixed_name& name = names[at++];
    name.append(instruction_of(a.name));
    name.append(input_of(a.name));
    name.append(".");
    name.append(input_of(b.name));
    name.append(output_of(a.name));
  });
  return names;
}

inline constexpr auto mixed_name_table = names_of_mixed_pairs();

[[nodiscard]] constexpr auto all_mixed_models() {
  std::array<named_model, mixed_name_table.size()> all{};
  std::size_t at = 0;
  for_each_mixed_pair([&](const named_model& a, const named_model& b) {
    all[at] = mixed_model(mixed_name_table[at].text(), a, b);
    ++at;
  });
  return all;
}

/// Models with A and B in two formats, in addition to those of model_table.
inline constexpr auto mixed_model_table = all_mixed_models();

/// The entry of a name in any table; null if none has it.
[[nodiscard]] constexpr const named_model* any_model_named(std::string_view name) noexcept {
  if (const named_model* model = model_named(name)) return model;
  for (const named_model& entry : first_step_model_table) {
    if (entry.name == name) return &entry;
  }
  for (const named_model& entry : mixed_model_table) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

/// The instruction of a model with A and B in these formats; null if it does not accept them.
[[nodiscard]] constexpr const named_model* model_of_formats(const named_model& model,
                                                            const format& a,
                                                            const format& b) noexcept {
  const auto fits = [&](const named_model& entry) {
    return entry.model.a == a && entry.model.b == b && is_one_instruction(model, entry);
  };
  if (model.model.a == a && model.model.b == b) return &model;
  for (const named_model& entry : model_table) {
    if (fits(entry)) return &entry;
  }
  for (const named_model& entry : mixed_model_table) {
    if (fits(entry)) return &entry;
  }
  return nullptr;
}

// f8f6f4: 20 pairs to FP32 and 20 to FP16 on both Blackwells; FP8 of Ada, Hopper (2) and sm_100's
// emulation: 2 to each output; CDNA3: 2.
static_assert(mixed_model_table.size() == 2 * 40 + 4 * 4 + 2);
static_assert(mixed_model_table.front().name == "ada.mma.e4m3.e5m2.f32");

}  // namespace mx
