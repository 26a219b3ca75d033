// SPDX-License-Identifier: Apache-2.0
// kernels/record/instruction_runs.h: the instructions of a device one after another, each in a
// process of its own, and what their ends say together.
#pragma once
#include <cstddef>
#include <functional>

namespace mx::kernels {

/// Exit statuses of the process of an instruction, and of all.
///   not_recorded  this program lacks its code, or the folder its words
///   no_more       the device has no instruction of this number
enum run_status : int { recorded = 0, failed = 3, no_more = 4, no_device = 5, not_recorded = 6 };

/// Runs a process an instruction, from 0 on, until one finds no more or no device.
///   returns  recorded; failed if one failed, no device was found, or nothing was recorded
[[nodiscard]] int run_instructions(const std::function<int(std::size_t instruction)>& process);

}  // namespace mx::kernels
