// SPDX-License-Identifier: Apache-2.0
// mx/kernels/status.h: what a launcher answers: done, or why not, before anything was launched.
#pragma once
#include <cstdint>
#include <string>

/// CUDA's stream, as cudaStream_t names it; null is the default stream.
struct CUstream_st;

namespace mx::kernels {

using stream = CUstream_st*;

///   null_pointer   a pointer that the request needs is missing
///   misaligned     a pointer is no multiple of what its kernels load or store at once
///   overlapping    a result lies over an input, or over another result
///   shape          a size is negative, or no multiple of what the request needs
///   size           more elements than a grid or an index reaches
///   format         a format, rule, rounding or model that has no kernel
///   no_device      no CUDA device can be used
///   architecture   this device lacks what the kernel was compiled for
///   shared_memory  a block of threads needs more shared memory than the device has
///   too_small      a workspace, or the distance of lines, is smaller than what the request needs
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

/// The answer of a launcher. Launchers allocate nothing, wait for nothing, and start nothing unless
/// the answer is launch_error::none.
///   subject  the argument or the CUDA call that it is about: a text that outlives the program's
///            run
///   needed   what the argument should have been a multiple of, or at most; 0 where that says
///            nothing
///   code     CUDA's own number of the error; 0 where CUDA was not asked
struct [[nodiscard]] status {
  launch_error error = launch_error::none;
  const char* subject = "";
  std::int64_t needed = 0;
  int code = 0;

  [[nodiscard]] constexpr bool is_done() const noexcept { return error == launch_error::none; }
  friend constexpr bool operator==(const status&, const status&) = default;
};

/// What is wrong and how to mend it, in one sentence.
[[nodiscard]] std::string sentence_of(const status& answer);

}  // namespace mx::kernels
