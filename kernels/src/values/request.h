// SPDX-License-Identifier: Apache-2.0
// kernels/src/values/request.h: validation of products of FP32 numbers before a launch; plain C++.
#pragma once
#include "mx/kernels/values.h"

namespace mx::kernels {

status checked(const value_product_request& request);
status checked(const value_leaves_request& request);
status checked(const product_leaves_request& request);

/// Whether a valid request has any result.
[[nodiscard]] constexpr bool has_results(const value_product_request& r) noexcept {
  return r.rows > 0 && r.columns > 0;
}
[[nodiscard]] constexpr bool has_results(const value_leaves_request& r) noexcept {
  return r.count > 0 && r.m > 0 && r.n > 0;
}
[[nodiscard]] constexpr bool has_results(const product_leaves_request& r) noexcept {
  return r.count > 0 && r.m > 0 && r.n > 0;
}

}  // namespace mx::kernels
