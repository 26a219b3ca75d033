// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/grouped.h: several products as requests of gemm, and their validation; plain
// C++.
#pragma once
#include <vector>

#include "mx/kernels/grouped_gemm.h"

namespace mx::kernels {

/// Products with results, each with its own part of the workspace.
///   answer  done, or the reason for refusal; then there are no requests
struct gemm_requests {
  status answer;
  std::vector<gemm_request> all;
};

[[nodiscard]] gemm_requests checked_requests(const gemm_grouped_request& request);
[[nodiscard]] gemm_requests checked_requests(const gemm_batched_request& request);

}  // namespace mx::kernels
