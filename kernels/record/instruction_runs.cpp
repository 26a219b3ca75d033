// SPDX-License-Identifier: Apache-2.0
// kernels/record/instruction_runs.cpp: see instruction_runs.h.
#include "instruction_runs.h"

namespace mx::kernels {
namespace {

constexpr std::size_t most_instructions = 200;  // no device has as many

}  // namespace

int run_instructions(const std::function<int(std::size_t instruction)>& process) {
  std::size_t done = 0, broken = 0;
  for (std::size_t i = 0; i < most_instructions; ++i) {
    const int status = process(i);
    if (status == no_more) break;
    if (status == no_device) return failed;
    if (status == recorded) ++done;
    if (status != recorded && status != not_recorded) ++broken;
  }
  return done > 0 && broken == 0 ? recorded : failed;
}

}  // namespace mx::kernels
