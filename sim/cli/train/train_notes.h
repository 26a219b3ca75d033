// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/train_notes.h: what `train` says of a study before it starts.
#pragma once
#include <string>
#include <vector>

#include "sim/study/study.h"

namespace sim::cli {

/// A line for each arm with exempt products; for each with passes under models other than
/// `fp32.fma`, with their evidence; for each with operands that the scalar core quantizes instead
/// of vectors; and, where a device computes, for each with more than the usual operands that the
/// CPU quantizes.
[[nodiscard]] std::vector<std::string> notes_of(const study& s);

}  // namespace sim::cli
