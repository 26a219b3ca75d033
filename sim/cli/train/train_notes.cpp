// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/train_notes.cpp: what `train` says of a study before it starts.
#include "sim/cli/train/train_notes.h"

#include <fmt/format.h>

#include "sim/report/run_data.h"
#include "sim/study/pass_refusal.h"
#include "sim/study/study_words.h"

namespace sim::cli {
namespace {

/// "rollout, forward under blackwell.mxf4 (two models agree)"; empty without other models.
std::string model_note(const arm& a) {
  std::string text;
  for (const auto& [model, passes] :
       passes_by(a.formats, [](const pass_format& f) { return f.model; })) {
    if (model == pass_format{}.model) continue;
    text += fmt::format("{}{} under {} ({})", text.empty() ? "" : "; ", passes, model->name,
                        name_of(model->rests_on));
  }
  return text;
}

/// "rollout, forward": passes whose products are those of codes; empty without any.
std::string coded_passes(const arm& a) {
  std::string text;
  for (const auto& [values, passes] :
       passes_by(a.formats, [](const pass_format& f) { return f.multiplies_values(); })) {
    if (!values) text = passes;
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
        "run.device: the CUDA device computes products of FP32 numbers under fp32.fma");
  }
  for (const arm& a : s.arms) {
    const std::string models = model_note(a), slow = slow_operands(a);
    const std::string exempt = words_of(a.formats.forward.exempt);
    if (!exempt.empty()) notes.push_back(fmt::format("{}: in all passes, {}", a.name, exempt));
    const std::string on_cpu = s.run.device == compute_device::cuda ? coded_passes(a) : "";
    if (!on_cpu.empty())
      notes.push_back(fmt::format("{}: products of {} on the CPU", a.name, on_cpu));
    if (!models.empty()) notes.push_back(fmt::format("{}: {}", a.name, models));
    if (slow.empty()) continue;
    notes.push_back(
        fmt::format("{}: the scalar core, threaded, and not vectors, quantizes {}", a.name, slow));
  }
  return notes;
}

}  // namespace sim::cli
