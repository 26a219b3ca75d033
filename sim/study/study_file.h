// SPDX-License-Identifier: Apache-2.0
// sim/study/study_file.h: reads a study from its TOML file, writes it resolved, hashes it.
// Every key, with its default and its meaning, is listed in sim/studies/default.toml.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/study/input_error.h"
#include "sim/study/study.h"

namespace sim {

/// An invalid study file. The message names file and line (or the override), the key, what was
/// expected and what was found.
struct study_error : input_error {
  using input_error::input_error;
};

/// The study that a file defines, with the studies that it extends (study_tree.h).
///   overrides  `key=value` with a dotted key and a TOML value, applied in order before any check;
///              a bare word or path is taken as a string
///   numbers    a decimal is read as the nearest binary64, then rounded to the nearest binary32
///   errors     study_error
[[nodiscard]] study read_study(const std::filesystem::path& file,
                               const std::vector<std::string>& overrides = {});

/// Every value of a study as TOML, numbers in the shortest form that reads back to the same bits.
/// Formats are named by their definition, so the author's names have no effect.
[[nodiscard]] std::string resolved_toml(const study& s);

/// SHA-256, in hexadecimal digits, of the resolved study without [run] and without the place of
/// `task.file`, whose contents it has by their own hash.
[[nodiscard]] std::string study_hash(const study& s);

}  // namespace sim
