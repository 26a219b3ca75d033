// SPDX-License-Identifier: Apache-2.0
// sim/train/memory_limit.cpp: see memory_limit.h.
#include "sim/train/memory_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "sim/train/available_memory.h"
#include "sim/train/run.h"

namespace sim {
namespace {

constexpr double giga = 1e9;

/// About half a number, in whole parts; the number itself if it is one part.
int half_of(int number, int parts) { return std::max(parts, number / 2 / parts * parts); }

/// About half of the prompts of a step, where minibatches and every arm's products can have as
/// many.
int fewer_prompts(const study& s) {
  const int prompts = half_of(s.grpo.prompts, s.grpo.minibatches);
  const int sequences = prompts * s.grpo.samples / s.grpo.minibatches;
  const bool fits = std::ranges::all_of(
      s.arms, [&](const arm& a) { return sequences % a.formats.wgrad.sequences == 0; });
  return fits ? prompts : s.grpo.prompts;
}

/// Changes of the study, each with the peak that the run would have with it, where it is lower.
std::string remedies(const study& s, int threads, double program, double now) {
  std::string text;
  const auto offer = [&](const std::string& what, const study& other) {
    const double then = highest_peak(other, threads).bytes() + program;
    if (then > 0.95 * now) return;
    text += fmt::format("{}{} ({:.1f} GB)", text.empty() ? "" : ", ", what, then / giga);
  };
  study other = s;
  other.run.kept = kept_rows::inputs;
  offer("run.kept_rows=inputs", other);
  other = s;
  other.outliers.factors = {1};
  offer("outliers.factors=[1]", other);
  other = s;
  other.grpo.prompts = fewer_prompts(s);
  other.warm_up.sequences = half_of(s.warm_up.sequences, 1);
  offer(fmt::format("grpo.prompts={} warm_up.sequences={}", other.grpo.prompts,
                    other.warm_up.sequences),
        other);
  if (threads > 1) {
    const double then = highest_peak(s, 1).bytes() + program;
    if (then < 0.95 * now) {
      text += fmt::format("{}--threads 1 ({:.1f} GB)", text.empty() ? "" : ", ", then / giga);
    }
  }
  return text.empty() ? "a smaller policy" : text;
}

}  // namespace

memory_need memory_need_of(const study& s, int threads) {
  return {highest_peak(s, threads), resident_memory()};
}

std::string words_of(const memory_need& need) {
  std::vector<memory_part> parts = need.peak.parts;
  parts.push_back({"the program", need.program});
  std::ranges::sort(parts, std::greater(), &memory_part::bytes);
  std::string text =
      fmt::format("{:.2f} GB at the peak, in {}", need.bytes() / giga, need.peak.stage);
  for (const memory_part& p : parts) {
    if (p.bytes < 0.02 * need.bytes()) break;
    text += fmt::format("{} {} {:.2f}", &p == parts.data() ? ":" : ",", p.what, p.bytes / giga);
  }
  return text;
}

void expect_memory(const study& s, int threads, const memory_need& need) {
  const double gib = 1 << 30;
  const double limit = s.run.memory > 0 ? s.run.memory * gib : available_memory() + need.program;
  if (need.bytes() <= limit) return;
  throw run_error(
      "the run needs {}; {} {:.2f} GB. These need less: {}. run.memory=GIB sets another limit",
      words_of(need), s.run.memory > 0 ? "run.memory allows" : "the process may have", limit / giga,
      remedies(s, threads, need.program, need.bytes()));
}

}  // namespace sim
