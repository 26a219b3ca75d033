// SPDX-License-Identifier: Apache-2.0
// sim/ranks/rank_group.cpp: see rank_group.h.
#include "sim/ranks/rank_group.h"

#include <cstdint>

namespace sim {
namespace {

class single_rank final : public rank_group {
 public:
  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int size() const noexcept override { return 1; }
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) const override {
    return {std::string(mine)};
  }
};

}  // namespace

const rank_group& this_process() {
  static const single_rank alone;
  return alone;
}

piece piece_of(const rank_group& ranks, int rank, int pieces) {
  const auto begin_of = [&](std::int64_t of) {
    return static_cast<int>(of * pieces / ranks.size());
  };
  return {begin_of(rank), begin_of(rank + 1) - begin_of(rank)};
}

piece own_piece(const rank_group& ranks, int pieces) {
  return piece_of(ranks, ranks.rank(), pieces);
}

}  // namespace sim
