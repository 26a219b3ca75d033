// SPDX-License-Identifier: Apache-2.0
// kernels/src/status.cpp: statuses of launchers as text.
#include "mx/kernels/status.h"

namespace mx::kernels {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

}  // namespace

std::string sentence_of(const status& answer) {
  const std::string subject = answer.subject;
  switch (answer.error) {
    case launch_error::none:
      return "launched";
    case launch_error::null_pointer:
      return subject + " is a null pointer; give it memory of the device";
    case launch_error::misaligned:
      return subject + " is not aligned; its address must be a multiple of " +
             number(answer.needed) + " bytes";
    case launch_error::overlapping:
      return subject + " overlaps another argument; results need memory of their own";
    case launch_error::shape:
      return answer.needed == 0 ? subject + " is negative"
                                : subject + " must be a multiple of " + number(answer.needed);
    case launch_error::size:
      return subject + " is too large; at most " + number(answer.needed);
    case launch_error::format:
      return subject + " has no kernel";
    case launch_error::no_device:
      return "no CUDA device can be used (" + subject + " gave error " + number(answer.code) + ")";
    case launch_error::architecture:
      return subject + " was not compiled for this device, or needs instructions that it lacks";
    case launch_error::shared_memory:
      return subject + " needs " + number(answer.needed) +
             " bytes of shared memory a block of threads, more than this device has";
    case launch_error::too_small:
      return subject + " is too small; it must be at least " + number(answer.needed);
    case launch_error::cuda:
      return subject + " failed with CUDA error " + number(answer.code);
  }
  return {};
}

}  // namespace mx::kernels
