// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/standard_streams.h: standard streams that may be closed or have no reader.
#pragma once
#include <string_view>

namespace sim::cli {

/// Opens the null device for closed standard streams: otherwise the next file opened takes the
/// number, and messages are written into it. Standard output stays unwritable.
void occupy_closed_streams();

/// Writes to standard error. Ignores failures: progress without a reader is no error.
void say(std::string_view text);

}  // namespace sim::cli
