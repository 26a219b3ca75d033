// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/train_notes.cpp: what `train` says of a study before it starts.
#include "sim/cli/train/train_notes.h"

#include <fmt/format.h>

#include "sim/device/quantized_rows.h"
#include "sim/report/run_data.h"
#include "sim/study/pass_refusal.h"
#include "sim/study/study_words.h"
#include "sim/study/toggle_cells.h"

namespace sim::cli {
namespace {

/// "rollout, forward under blackwell.mxf4 (two models agree)"; empty without other models.
std::string model_note(const arm& a) {
  std::string text;
  const auto by_model = passes_by(a.formats, [](const pass_format& f) { return f.model; });
  for (const auto& [model, passes] : by_model) {
    if (model == pass_format{}.model) continue;
    text += fmt::format("{}{} under {} ({})", text.empty() ? "" : "; ", passes, model->name,
                        name_of(model->rests_on));
  }
  return text;
}

/// "X of rollout, dY of dgrad": operands that the CPU quantizes for a device, beside those that it
/// quantizes in any arm.
std::string operands_on_cpu(const arm& a) {
  std::string text;
  for (const auto& w : pass_words) {
    const mx::operand& f = formats_of(a.formats, w.value).data;
    const bool is_quantized = f.numbers != mx::operand_numbers::fp32;
    if (w.value == pass::wgrad || !is_quantized || is_quantized_on_device(f)) continue;
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ",
                        name_of(w.value, operand_role::data), w.text);
  }
  return text;
}

bool is_slow(const pass_format& f, operand_role role) {
  if (role == operand_role::data) return !mx::is_vectorized(f.data);
  return f.source == operand_source::own && !mx::is_vectorized(f.other);
}

/// "W of rollout, X of wgrad", "every operand"; empty where vectors quantize all.
std::string slow_operands(const arm& a) {
  std::string text;
  std::size_t count = 0;
  for (const auto& w : pass_words) {
    for (const operand_role role : {operand_role::data, operand_role::other}) {
      if (!is_slow(formats_of(a.formats, w.value), role)) continue;
      text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", name_of(w.value, role), w.text);
      ++count;
    }
  }
  return count == 2 * all_passes.size() ? "every operand" : text;
}

}  // namespace

std::vector<std::string> notes_of(const study& s) {
  std::vector<std::string> notes;
  if (s.task.kind != task_kind::column_addition) notes.push_back("task: " + words_of_task(s.task));
  if (s.run.device == compute_device::cuda) {
    notes.emplace_back(
        "run.device: the CUDA device computes all products, and quantizes X and dY of all passes "
        "but "
        "wgrad; the CPU quantizes W and the operands of wgrad");
  }
  const std::string apart = why_not_compared(s);
  if (!apart.empty()) {
    notes.push_back("factorial, Shapley values, additivity and matrix of the KL are left out: " +
                    apart);
  }
  for (const arm& a : s.arms) {
    const std::string models = model_note(a), slow = slow_operands(a);
    const std::string exempt = words_of(a.formats.forward.exempt);
    if (!exempt.empty()) notes.push_back(fmt::format("{}: in all passes, {}", a.name, exempt));
    const std::string rules = words_of(a.formats.forward.rules);
    if (!rules.empty()) notes.push_back(fmt::format("{}: {}", a.name, rules));
    const std::string on_cpu = s.run.device == compute_device::cuda ? operands_on_cpu(a) : "";
    if (!on_cpu.empty()) {
      notes.push_back(fmt::format(
          "{}: the CPU quantizes {} too, for whose numbers, rounding, tensor scale, toggle or "
          "corrections the device has no kernel",
          a.name, on_cpu));
    }
    if (!models.empty()) notes.push_back(fmt::format("{}: {}", a.name, models));
    if (slow.empty()) continue;
    notes.push_back(
        fmt::format("{}: the scalar core, threaded, and not vectors, quantizes {}", a.name, slow));
  }
  return notes;
}

}  // namespace sim::cli
