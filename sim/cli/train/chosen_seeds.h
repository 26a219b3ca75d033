// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/chosen_seeds.h: the part of a claims file's seeds that a command runs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sim::cli {

/// Seeds of a list such as "101,103-105", in the order of `all`; all for an empty list.
///   errors  usage_error
[[nodiscard]] std::vector<std::uint64_t> listed_seeds(const std::vector<std::uint64_t>& all,
                                                      const std::string& list);

/// Every n-th seed from the i-th, for "i/n"; all for an empty text.
///   errors  usage_error
[[nodiscard]] std::vector<std::uint64_t> shard_of(const std::vector<std::uint64_t>& seeds,
                                                  const std::string& shard);

}  // namespace sim::cli
