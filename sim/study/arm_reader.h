// SPDX-License-Identifier: Apache-2.0
// sim/study/arm_reader.h: reads [formats] and the [[arm]] tables of a study file.
#pragma once
#include "sim/study/table_reader.h"

namespace sim {

/// Reads the formats and fills the arms that use them.
///   root    the whole study file; marks its keys `formats` and `arm` as known
///   errors  study_error; also where the first arm is not the reference in FP32
void read_arms(table_reader& root, study& s);

/// The operand that the keys of [formats.NAME] define.
///   numbers            fp32, bf16, or mxfp4 with its corrections, by default under `rceil`
///   recipe or variant  as --format and --variant; by default under the command's rules
///   errors             study_error; also for unknown keys
[[nodiscard]] mx::operand read_operand(table_reader& at);

}  // namespace sim
