// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/scoreboard.h: any two tensor cores on the same tiles, compared in order.
#pragma once
#include <deque>
#include <functional>

#include "rtl_models/cosim/contract.h"

namespace hardware {

/// What of an element the two disagree about, in full: operands, the steps inside of the emulator, and
/// a line that runs this tile alone.
///   replay  the command's words, without the tile's number
struct mismatch_place {
  std::uint32_t tile_number = 0;
  int element = 0;
  std::string replay;
};
[[nodiscard]] std::string mismatch_text(const mismatch_place& place, const tile& operands,
                                        const std::string& left, std::uint32_t left_bits,
                                        const std::string& right, std::uint32_t right_bits);

/// Pushes tiles into both, at most `window` ahead of what both have given.
class scoreboard {
 public:
  /// tile_of  the tile of a number     advance  lets the simulation go on for a while
  struct surroundings {
    std::function<tile(std::uint32_t)> tile_of;
    std::function<void()> advance;
    std::string replay;
  };

  scoreboard(tile_backend& left, tile_backend& right, surroundings around)
      : left_(left), right_(right), around_(std::move(around)) {}

  static constexpr std::size_t window = 16;
  /// Advances without a result after which a side is said to hang.
  static constexpr int patience = 100;

  /// The first difference, breach or hang, told; nothing if all tiles agree.
  [[nodiscard]] std::string run(std::uint32_t first, std::uint32_t count);

 private:
  struct entry {
    std::uint32_t number;
    tile operands;
    std::optional<tile_result> left, right;
  };

  void fill(std::uint32_t& next, std::uint32_t end);
  void pull();
  [[nodiscard]] std::string compare();
  [[nodiscard]] std::string difference(const entry& oldest) const;

  tile_backend& left_;
  tile_backend& right_;
  surroundings around_;
  std::deque<entry> open_;
  std::size_t left_given_ = 0, right_given_ = 0;  // of open_
};

}  // namespace hardware
