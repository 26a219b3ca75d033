// SPDX-License-Identifier: Apache-2.0
// kernels/record/conversion_words.h: words for Blackwell's conversions of FP32 to E2M1, on which
// kernels/src/quantize/mxfp4_pairs.h and random_conversion.h rely.
// Source: PTX ISA, "cvt".
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mx::kernels {

/// Whether an instruction's model converts the numbers a[k] to codes, code k in bits 4 k of d, with
/// the random bits c if it has any; b is 1 throughout.
[[nodiscard]] constexpr bool is_conversion_model(std::string_view name) noexcept {
  return name == "cvt.rs.e2m1x4.f32" || name == "cvt.rn.e2m1x2.f32";
}

/// Result of the model. Of the random word, whose halves are specified only by a figure of the
/// manual, numbers 3 and 1 are assumed to have the upper half, as in mx::byte_map::ptx.
///   x  bits of FP32 numbers: four, or two
[[nodiscard]] std::uint32_t converted(std::string_view model, const std::vector<std::uint32_t>& x,
                                      std::uint32_t random);

/// A file of words of such a model (golden/vectors/README.md): which byte of the random word serves
/// which number, carries, ties and their neighbours, zeros, subnormals, numbers out of range, Inf
/// and NaN, random ones.
[[nodiscard]] std::string conversion_words(const std::string& model);

}  // namespace mx::kernels
