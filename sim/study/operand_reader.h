// SPDX-License-Identifier: Apache-2.0
// sim/study/operand_reader.h: reads a table of [formats].
#pragma once
#include "sim/study/table_reader.h"

namespace sim {

/// The operand that the keys of [formats.NAME] define.
///   numbers            fp32, bf16, or mxfp4 with its corrections, by default under `rceil`
///   recipe or variant  as --format and --variant; by default under the command's rules
///   errors             study_error; also for unknown keys
[[nodiscard]] mx::operand read_operand(table_reader& at);

}  // namespace sim
