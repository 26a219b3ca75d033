// SPDX-License-Identifier: Apache-2.0
// sim/train/checkpoint.h: a policy under training and its figures so far, in one safetensors file:
// weights by their Hugging Face names, moments as optimizer.m.NAME and optimizer.v.NAME, the rest
// in the metadata, and a checksum of all. Written whole or not at all.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/io/tensor_file.h"
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

/// The bytes of a checkpoint.
///   errors  golden::io::file_error; of a file that is empty with the remedy
[[nodiscard]] std::shared_ptr<const golden::io::mapped_file> mapped_checkpoint(
    const std::filesystem::path& file);

/// No value where the file, or its checksum, is missing: earlier versions wrote none, and the
/// contents of such a file cannot be checked.
///   errors  golden::io::file_error where the file is damaged, belongs to another study, or holds a
///           number that is not finite
[[nodiscard]] std::optional<checkpoint> load_checkpoint(const std::filesystem::path& file,
                                                        const parameter_table& table,
                                                        const std::string& study_hash);

/// The same of a file's bytes.
///   path  for messages
[[nodiscard]] std::optional<checkpoint> checkpoint_in(golden::io::byte_view bytes,
                                                      std::shared_ptr<const void> owner,
                                                      const std::string& path,
                                                      const parameter_table& table,
                                                      const std::string& study_hash);

/// The same of an open file.
[[nodiscard]] std::optional<checkpoint> checkpoint_in(const golden::io::tensor_file& file,
                                                      const parameter_table& table,
                                                      const std::string& study_hash);

/// SHA-256 of a checkpoint except for `sha256` in its metadata, which stores it.
[[nodiscard]] std::string checkpoint_sum(std::span<const golden::io::tensor> tensors,
                                         const golden::io::metadata& notes);

/// A row as one line of metrics.jsonl, and back. NaN and Inf are strings.
[[nodiscard]] std::string row_as_json(const metric_row& row, std::uint64_t seed);

}  // namespace sim
