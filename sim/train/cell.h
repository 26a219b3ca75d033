// SPDX-License-Identifier: Apache-2.0
// sim/train/cell.h: the measurements of one arm at frozen weights, as the text of a file.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/train/frozen.h"

namespace sim {

struct cell {
  cell_figures figures;
  std::vector<metric_row> energies;
};

/// One line of JSON; its last member is the SHA-256 of the others.
[[nodiscard]] std::string cell_text(const cell& c, const std::string& study_hash);

/// Parses a cell.
///   returns  no value for another study's cell, or one without a checksum: earlier versions wrote
///            none, and may have left truncated cells
///   errors   json_error where the text is damaged
[[nodiscard]] std::optional<cell> cell_in(std::string_view text, const std::string& arm, int factor,
                                          const std::string& study_hash);

}  // namespace sim
