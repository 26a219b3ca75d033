// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_reader.h: reads a sweep from its TOML file.
#pragma once
#include <filesystem>
#include <string>

#include "sim/sweep/sweep_study.h"

namespace sim {

/// Most combinations of a sweep's axes, and most values of a range.
inline constexpr std::uint64_t most_points = 1'000'000;

/// Reads a sweep.
///   errors  study_error with the line: unknown keys, axes without values, ranges without end
[[nodiscard]] sweep_study read_sweep(const std::filesystem::path& file);

/// The same of a text.
///   name  of its file
[[nodiscard]] sweep_study sweep_in(const std::string& text, const std::string& name);

}  // namespace sim
