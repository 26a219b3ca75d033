// SPDX-License-Identifier: Apache-2.0
// kernels/verify/library_run.h: what mx_verify does differently for a user's library.
#pragma once
#include "case_log.h"
#include "options.h"
#include "program.h"
#include "verdict.h"

namespace mx::kernels {

/// The library and the device in place of questions to our launchers: loads the library, prints
/// what it is, and stores the device that it needs.
///   errors  library_error; std::runtime_error: it needs a device, and there is none
void ask_library(const options& o, const device_layer& device, case_log& log);

/// The kernels under test: ours, or the library's.
///   errors  library_error
[[nodiscard]] backend kernels_under_test(const options& o, const device_layer& device);

///   errors  library_error: the library declined every case
void expect_compared(const options& o, const verdict& found);

}  // namespace mx::kernels
