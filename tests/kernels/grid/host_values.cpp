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
status run(const Request& r, std::int64_t tiles, const Body& body) {
  const status valid = checked(r);
  if (!valid.is_done() || !has_results(r)) return valid;
  run_grid({static_cast<std::uint64_t>(tiles), value_threads, sizeof(value_memory)}, body);
  return {};
}

}  // namespace

status multiply(const value_product_request& r) {
  return run(r, value_tiles(r.rows, r.columns),
             [&](const host_thread& self) { multiply_values(self, r); });
}
status add_leaves(const value_leaves_request& r) {
  return run(r, value_tiles(r.m, r.n), [&](const host_thread& self) { add_value_leaves(self, r); });
}

}  // namespace kernels_test
