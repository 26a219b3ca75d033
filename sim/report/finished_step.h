// SPDX-License-Identifier: Apache-2.0
// sim/report/finished_step.h: how far a finished run came, from its folder.
#pragma once
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>

#include "golden/io/file.h"

namespace sim {

/// The file that a run writes last, below its folder.
inline constexpr const char* finished_name = "checkpoints/finished";

/// Last step of a finished run; no value where it is not finished.
///   errors  golden::io::file_error
[[nodiscard]] inline std::optional<int> finished_step(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / finished_name;
  if (!std::filesystem::exists(file)) return std::nullopt;
  const std::string text = golden::io::read_text(file.string());
  int step = 0;
  std::from_chars(text.data(), text.data() + text.size(), step);
  return step;
}

/// Whether a table is missing that every finished run has.
[[nodiscard]] inline bool lacks_table(const std::filesystem::path& folder) {
  for (const char* table : {"metrics.csv", "metrics.jsonl", "hashes.csv"}) {
    if (!std::filesystem::exists(folder / table)) return true;
  }
  return false;
}

}  // namespace sim
