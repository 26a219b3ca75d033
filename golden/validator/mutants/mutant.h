// SPDX-License-Identifier: Apache-2.0
// golden/validator/mutants/mutant.h: known bugs of quantizers, each a change of the correct output,
// to see whether a test notices.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "coded_rows.h"

namespace golden::validator {

/// A bug.
///   apply  changes codes, scales or the tensor scale of quantized rows; does nothing where the
///          input does not trigger the bug
struct mutant {
  std::string_view name, sentence;
  void (*apply)(coded_rows& t);
};

/// Wrong rounding of elements, or rounding of the wrong numbers.
[[nodiscard]] std::span<const mutant> rounding_mutants();
/// Wrong scale of a block.
[[nodiscard]] std::span<const mutant> scale_mutants();
/// Codes and scales in the wrong places, or missing.
[[nodiscard]] std::span<const mutant> place_mutants();
/// Wrong treatment of zeros, subnormals, NaN and Inf.
[[nodiscard]] std::span<const mutant> special_mutants();

/// All of these, in this order.
[[nodiscard]] const std::vector<mutant>& all_mutants();

/// Whether `index` is selected when one in `n` of `count` is, evenly spread; at least one is.
[[nodiscard]] constexpr bool is_one_in(std::uint64_t n, std::uint64_t index,
                                       std::uint64_t count) noexcept {
  const std::uint64_t step = n < count ? n : count;
  return index % step == step / 2;
}

static_assert(is_one_in(1000, 500, 2000) && !is_one_in(1000, 501, 2000));
static_assert(is_one_in(1000, 1, 3) && !is_one_in(1000, 2, 3));

}  // namespace golden::validator
