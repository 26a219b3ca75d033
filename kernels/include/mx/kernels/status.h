// SPDX-License-Identifier: Apache-2.0
// mx/kernels/status.h: the result of a launcher: done, or the reason for refusal before any launch.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

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

/// The part of a recipe (mx/tensor/recipe.h) without a kernel, in the order in which they are
/// checked. Every recipe that mx::refusal_of refuses, or mx::storage_refusal_of where codes are
/// stored, has one.
///   preset        a public kernel's arithmetic
///   corrections   any; of rotate_quantize, any except the rotation
///   rotation      a size that mx::is_rotation_size excludes, blocks of several rows, or neither
///                 size a multiple of the other
///   passes        two
///   code_order    of 4-bit codes, other than packed with the low bits first; 6-bit codes without
///                 gaps; only where codes are stored
///   exact_scale   scales without a code
///   row_scales    a tensor scale for each row
///   block         more elements than quantize_request allows, half a pair of 4-bit codes, or codes
///                 or scales wider than 8 and 32 bits
///   layout        one of one-byte scales for wider ones; only where scales are stored
///   rules         mx::refusal_of(rules) gives the reason; not of dequantize
enum class recipe_part : std::uint8_t {
  none,
  preset,
  corrections,
  rotation,
  passes,
  code_order,
  exact_scale,
  row_scales,
  block,
  layout,
  rules
};

/// Result of a launcher. Launchers allocate nothing, do not wait, and launch only if the result is
/// launch_error::none.
///   subject  the argument or CUDA call that failed: text with static lifetime
///   needed   the required alignment, multiple or limit of the argument; 0 if not applicable
///   code     CUDA's error number; 0 if CUDA was not called
///   part     of launch_error::format, if the subject is a recipe
///   product  number of the product, if the request has several and one of them is refused; else -1
struct [[nodiscard]] status {
  launch_error error = launch_error::none;
  std::string_view subject = {};
  std::int64_t needed = 0;
  int code = 0;
  recipe_part part = recipe_part::none;
  std::int64_t product = -1;

  [[nodiscard]] constexpr bool is_done() const noexcept { return error == launch_error::none; }
  friend constexpr bool operator==(const status&, const status&) = default;
};

/// The error and its remedy, in one sentence.
[[nodiscard]] std::string sentence_of(const status& answer);

}  // namespace mx::kernels
