// SPDX-License-Identifier: Apache-2.0
// sim/train/checkpoint.h: a policy under training and its figures so far, in one safetensors file:
// weights by their Hugging Face names, moments as optimizer.m.NAME and optimizer.v.NAME, the rest
// in the metadata. Written whole or not at all.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/metrics.h"
#include "sim/train/trainer.h"

namespace sim {

/// SHA-256 after a step.
struct hash_row {
  std::string arm;
  int step = 0;
  std::string sha256;
};

struct checkpoint {
  training_state state;
  std::vector<metric_row> rows;
  std::vector<hash_row> hashes;
};

void save_checkpoint(const std::filesystem::path& file, const parameter_table& table,
                     const std::string& study_hash, const checkpoint& c);

/// Nothing where there is no such file.
///   errors  golden::io::file_error where the file is damaged or belongs to another study
[[nodiscard]] std::optional<checkpoint> load_checkpoint(const std::filesystem::path& file,
                                                        const parameter_table& table,
                                                        const std::string& study_hash);

/// A row as one line of metrics.jsonl, and back. NaN and Inf are strings.
[[nodiscard]] std::string row_as_json(const metric_row& row, std::uint64_t seed);

}  // namespace sim
