// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/standard_streams.h: standard streams that may be closed, or that nobody reads.
#pragma once
#include <string_view>

namespace sim::cli {

/// Puts the null device in the place of standard streams that are closed: otherwise the next file that
/// is opened takes the number, and messages are written into it. Standard output stays unwritable.
void occupy_closed_streams();

/// Writes to standard error. What cannot be written is lost: progress that nobody sees is no error.
void say(std::string_view text);

}  // namespace sim::cli
