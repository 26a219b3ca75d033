// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/quantizer_run.h: mx_cosim with quantizers.
#pragma once
#include "rtl_models/cosim/command_words.h"

namespace hardware {

/// Compares the two sides; returns the exit status.
[[nodiscard]] int run_quantizers(const command_words& requested);

}  // namespace hardware
