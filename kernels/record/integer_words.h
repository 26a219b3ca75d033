// SPDX-License-Identifier: Apache-2.0
// kernels/record/integer_words.h: words for matrix instructions on bytes, on which the exact
// products of kernels/src/gemm/mma.h rely.
#pragma once
#include <string>
#include <string_view>

namespace mx::kernels {

/// Whether an instruction's model is d = c + sum of a[k] b[k], two's complement, modulo 2^32.
[[nodiscard]] constexpr bool is_integer_model(std::string_view name) noexcept {
  return name.ends_with(".s8.s32");
}

/// A file of words of such a model (golden/vectors/README.md): sums of random bytes, of the largest
/// ones, sums that cancel, results at both ends of the range and beyond them, lengths that are not
/// multiples of 32, sums added to the bits of 1.5 as the products of blocks are.
[[nodiscard]] std::string integer_words(const std::string& model);

}  // namespace mx::kernels
