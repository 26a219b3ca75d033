// SPDX-License-Identifier: Apache-2.0
// sim/report/arithmetic_notes.cpp: what is particular about the arithmetic of a study's arms.
#include "sim/report/arithmetic_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "mx/spelling.h"
#include "sim/study/pass_refusal.h"
#include "sim/study/study_words.h"

namespace sim {
namespace {

bool has_default_model(const pass_format& f) { return f.model == pass_format{}.model; }

/// "rollout, forward under blackwell.mxf4 (two models agree)"; empty without other models.
std::string model_note(const arm& a) {
  std::vector<std::pair<const mx::named_model*, std::string>> models;  // and their passes
  for (const auto& w : pass_words) {
    const pass_format& f = formats_of(a.formats, w.value);
    if (has_default_model(f)) continue;
    const auto known = std::ranges::find(models, f.model, [](const auto& m) { return m.first; });
    if (known == models.end()) {
      models.emplace_back(f.model, w.text);
    } else {
      known->second += fmt::format(", {}", w.text);
    }
  }
  std::string text;
  for (const auto& [model, passes] : models) {
    text += fmt::format("{}{} under {} ({})", text.empty() ? "" : "; ", passes, model->name,
                        name_of(model->rests_on));
  }
  return text;
}

bool is_slow(const pass_format& f, operand_side side) {
  if (side == operand_side::data) return !mx::is_vectorized(f.data);
  return f.weights == weight_source::own && !mx::is_vectorized(f.other);
}

/// "W of rollout, X of wgrad"; empty where vectors quantize all.
std::string slow_operands(const arm& a) {
  std::string text;
  for (const auto& w : pass_words) {
    for (const operand_side side : {operand_side::data, operand_side::other}) {
      if (!is_slow(formats_of(a.formats, w.value), side)) continue;
      text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", name_of(w.value, side), w.text);
    }
  }
  return text;
}

}  // namespace

std::vector<used_model> models_of(const study& s) {
  std::vector<used_model> result;
  for (const arm& a : s.arms) {
    for (const pass p : all_passes) {
      const pass_format& f = formats_of(a.formats, p);
      if (has_default_model(f)) continue;
      auto known = std::ranges::find(result, f.model, &used_model::model);
      if (known == result.end()) known = result.insert(known, {f.model, {}});
      if (known->arms.empty() || known->arms.back() != a.name) known->arms.push_back(a.name);
    }
  }
  return result;
}

std::string words_of_products(const pass_format& f) {
  std::string text = has_default_model(f) ? "" : fmt::format("under {}", f.model->name);
  if (f.rotation.size == 0) return text;
  return fmt::format("{}{}rotated by {}", text, text.empty() ? "" : ", ",
                     mx::spelling_of(f.rotation));
}

std::vector<std::string> arithmetic_notes(const study& s) {
  std::vector<std::string> notes;
  for (const arm& a : s.arms) {
    const std::string models = model_note(a), slow = slow_operands(a);
    if (!models.empty()) notes.push_back(fmt::format("{}: {}", a.name, models));
    if (slow.empty()) continue;
    notes.push_back(
        fmt::format("{}: the scalar core, threaded, and not vectors, quantizes {}", a.name, slow));
  }
  return notes;
}

}  // namespace sim
