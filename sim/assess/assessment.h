// SPDX-License-Identifier: Apache-2.0
// sim/assess/assessment.h: a checkpoint's frozen weights under every arm of a study, on texts: a
// folder of pieces, each written whole, so that what was interrupted goes on; then tables and a
// page.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "sim/assess/text_file.h"
#include "sim/policy/value_products.h"
#include "sim/study/study.h"

namespace sim {

/// What is assessed.
///   of     its policy is loaded (sim/pretrained/starting_policy.h), and its arms are those
///          measured
///   texts  at least two batches of them
///   batch  texts a batch
struct assessment_plan {
  study of;
  text_list texts;
  int batch = 2;
};

struct assessment_request {
  assessment_plan plan;
  std::filesystem::path folder;
  /// Set externally: the work ends behind the pieces under way.
  const std::atomic<int>* stop = nullptr;
  /// Called from any thread, one call at a time, when a piece is done.
  std::function<void(int done, int total)> report;
};

enum class assessment_end : std::uint8_t { finished, stopped };

/// Measures what the folder lacks, then writes metrics.csv, metrics.jsonl, study.toml and
/// assessment.html.
///   errors  run_error for a folder with something else; golden::io::file_error
[[nodiscard]] assessment_end assess(const assessment_request& request);

/// Of the policy, the arms, the texts and their batches.
[[nodiscard]] std::string identity_of(const assessment_plan& plan);

}  // namespace sim
