// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/host_values.cpp: see host_values.h.
#include "host_values.h"

#include "grid.h"
#include "values/products.h"
#include "values/request.h"

namespace kernels_test {
namespace {

using namespace mx::kernels;

template <class Request, class Body>
status run(const Request& r, const grid_shape& grid, const Body& body) {
  const status valid = checked(r);
  if (!valid.is_done() || !has_results(r)) return valid;
  run_grid(grid, body);
  return {};
}

grid_shape grid_of_tiles(std::int64_t rows, std::int64_t columns) {
  return {static_cast<std::uint64_t>(value_tiles(rows, columns)), value_threads,
          sizeof(value_memory)};
}

}  // namespace

status multiply(const value_product_request& r) {
  return run(r, grid_of_tiles(r.rows, r.columns),
             [&](const host_thread& self) { multiply_values(self, r); });
}
status add_leaves(const value_leaves_request& r) {
  return run(r, grid_of_tiles(r.m, r.n),
             [&](const host_thread& self) { add_value_leaves(self, r); });
}
status add_products(const product_leaves_request& r) {
  const std::int64_t blocks = (r.m * r.n + product_leaves_threads - 1) / product_leaves_threads;
  return run(r, {static_cast<std::uint64_t>(blocks), product_leaves_threads, 0},
             [&](const host_thread& self) { add_product_leaves(self, r); });
}

}  // namespace kernels_test
