// SPDX-License-Identifier: Apache-2.0
// mx/kernels/status.h: the result of a launcher: done, or the reason for refusal before any launch.
#pragma once
#include <cstdint>
#include <string>

/// CUDA's stream, as cudaStream_t names it; null is the default stream.
struct CUstream_st;

namespace mx::kernels {

using stream = CUstream_st*;

///   null_pointer   a pointer that the request requires is null
///   misaligned     a pointer is not a multiple of its kernels' load or store size
///   overlapping    a result overlaps an input or another result
///   shape          a size is negative, or not a multiple of what the request requires
///   size           more elements than a grid or an index can address
///   format         a format, rule, rounding or model without a kernel
///   no_device      no usable CUDA device
///   architecture   this device lacks the instructions that the kernel was compiled for
///   shared_memory  a block of threads needs more shared memory than the device has
///   too_small      a workspace, or the stride of lines, is smaller than the request requires
///   cuda           a CUDA call failed
enum class launch_error : std::uint8_t {
  none,
  null_pointer,
  misaligned,
  overlapping,
  shape,
  size,
  format,
  no_device,
  architecture,
  shared_memory,
  too_small,
  cuda
};

/// Result of a launcher. Launchers allocate nothing, do not wait, and launch only if the result is
/// launch_error::none.
///   subject  the argument or CUDA call that failed: a string with static lifetime
///   needed   the required alignment, multiple or limit of the argument; 0 if not applicable
///   code     CUDA's error number; 0 if CUDA was not called
struct [[nodiscard]] status {
  launch_error error = launch_error::none;
  const char* subject = "";
  std::int64_t needed = 0;
  int code = 0;

  [[nodiscard]] constexpr bool is_done() const noexcept { return error == launch_error::none; }
  friend constexpr bool operator==(const status&, const status&) = default;
};

/// The error and its remedy, in one sentence.
[[nodiscard]] std::string sentence_of(const status& answer);

}  // namespace mx::kernels
