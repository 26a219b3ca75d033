// SPDX-License-Identifier: Apache-2.0
// kernels/src/status.cpp: statuses of launchers as text.
#include "mx/kernels/status.h"

namespace mx::kernels {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

/// The unsupported part of the recipe, and the remedy.
const char* words_of(recipe_part part) {
  switch (part) {
    case recipe_part::none:
      break;
    case recipe_part::preset:
      return "a preset, whose arithmetic is on the host only; leave it out";
    case recipe_part::corrections:
      return "corrections, which are applied on the host only; leave them out, except for a "
             "rotation of rotate_quantize";
    case recipe_part::rotation:
      return "a rotation without a kernel; its size is 16, 32, 64 or 128, blocks have one row, and "
             "one size is a multiple of the other";
    case recipe_part::passes:
      return "two passes, which are on the host only; quantize once";
    case recipe_part::code_order:
      return "a code order without a kernel; use packed, low bits first";
    case recipe_part::exact_scale:
      return "exact scales, which have no code; use stored ones";
    case recipe_part::row_scales:
      return "a tensor scale for each row; use one for the tensor";
    case recipe_part::block:
      return "a block format without a kernel; blocks of one row have at most 256 elements, others "
             "16384, in whole bytes of codes";
    case recipe_part::layout:
      return "a layout of one-byte scales, and these are wider; use linear";
    case recipe_part::rules:
      return "a rule or rounding that its format excludes; mx::refusal_of(rules) gives the reason";
  }
  return "";
}

}  // namespace

std::string sentence_of(const status& answer) {
  const std::string of = answer.product < 0 ? "" : "of product " + number(answer.product) + ": ";
  const std::string subject = of + std::string(answer.subject);
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
      return answer.part == recipe_part::none ? subject + " has no kernel"
                                              : subject + " has " + words_of(answer.part);
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
