// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/interruption.h: what the command does when it is told to end.
#pragma once

namespace sim::cli {

/// Ends the program with 128 + the number of the signal, and leaves no temporary file
/// or folder of golden::io. It calls nothing but what a handler may.
[[noreturn]] void end_on_signal(int number);

/// Has SIGINT, SIGTERM and SIGHUP handled so, unless whoever started the program ignores them.
void end_without_temporary_files();

}  // namespace sim::cli
