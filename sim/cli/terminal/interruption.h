// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/interruption.h: termination by a signal.
#pragma once

namespace sim::cli {

/// Ends the program with 128 + the number of the signal, and leaves no temporary file
/// or folder of golden::io. Async-signal-safe.
[[noreturn]] void end_on_signal(int number);

/// Installs this handler for SIGINT, SIGTERM and SIGHUP, unless the signal is ignored.
void end_without_temporary_files();

/// Makes the lack of memory an input error where no exception can pass: JSON's destructor
/// allocates.
void end_on_lost_memory() noexcept;

}  // namespace sim::cli
