// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/large_product.h: the product that the rows of matrices time.
#pragma once

namespace sim::cli::large_product {

inline constexpr int m = 1024, n = 1024, depth = 4096;
inline constexpr double operations = 2.0 * m * n * depth;

}  // namespace sim::cli::large_product
