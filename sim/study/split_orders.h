// SPDX-License-Identifier: Apache-2.0
// sim/study/split_orders.h: names of the orders in which the parts of a product are added.
#pragma once
#include <array>

#include "mx/block/names.h"
#include "mx/dot/gemm.h"

namespace sim {

inline constexpr std::array split_order_table{
    mx::named<mx::split_order>{mx::split_order::ascending, "ascending", "((p0 + p1) + p2) + ..."},
    mx::named<mx::split_order>{mx::split_order::pairwise, "pairwise", "adjacent ones are added"}};

}  // namespace sim
