// SPDX-License-Identifier: Apache-2.0
// mx/dot/plan_names.h: names of a product's plan: orders of parts, where C enters, outputs, their
// roundings. The order is that of the C ABI's enumerators, which Python takes from here.
#pragma once
#include <algorithm>
#include <array>

#include "mx/block/names.h"
#include "mx/dot/gemm.h"

namespace mx {

inline constexpr std::array split_order_table{
    named<split_order>{split_order::ascending, "ascending", "((p0 + p1) + p2) + ..."},
    named<split_order>{split_order::pairwise, "pairwise", "adjacent ones are added"}};

inline constexpr std::array c_entry_table{
    named<c_entry>{c_entry::first_step, "first-step", "the sums begin with C"},
    named<c_entry>{c_entry::epilogue, "epilogue", "C is added last, after alpha"}};

inline constexpr std::array output_table{named<format>{formats::binary32, "f32", "FP32"},
                                         named<format>{formats::binary16, "f16", "FP16"},
                                         named<format>{formats::bfloat16, "bf16", "BF16"}};

/// Roundings of D: those without random bits.
inline constexpr auto output_rounding_table = [] {
  std::array<named<rounding>, rounding_table.size() - 1> table{};
  std::copy_if(rounding_table.begin(), rounding_table.end(), table.begin(),
               [](const auto& entry) { return entry.value != rounding::stochastic; });
  return table;
}();

}  // namespace mx
