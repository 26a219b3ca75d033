// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/scoreboard.h: any two backends on the same operands, compared in order.
#pragma once
#include <deque>
#include <functional>

#include "rtl_models/cosim/contract.h"

namespace hardware {

/// Pushes operands into both sides, at most `window` ahead of the results of both.
template <class Operands, class Result>
class board {
 public:
  using side = backend<Operands, Result>;

  /// operands_of  operands by number     advance  advances the simulation
  /// replay       the command line, without the operands' number
  struct surroundings {
    std::function<Operands(std::uint32_t)> operands_of;
    std::function<void()> advance;
    std::string replay;
  };

  static constexpr std::size_t window = 16;
  /// Number of advances without a result that count as a hang.
  static constexpr int patience = 100;

  virtual ~board() = default;

  /// Report of the first difference, violation or hang; empty if all results agree.
  [[nodiscard]] std::string run(std::uint32_t first, std::uint32_t count);

 protected:
  board(side& left, side& right, surroundings around)
      : left_(left), right_(right), around_(std::move(around)) {}

  struct entry {
    std::uint32_t number;
    Operands operands;
    std::optional<Result> left, right;
  };

  /// Name of a result in reports: "D of tile".
  [[nodiscard]] virtual std::string noun() const = 0;
  /// Full report of the difference between two results; empty if there is none.
  [[nodiscard]] virtual std::string difference(const entry& oldest) const = 0;
  /// A command line that runs one number only.
  [[nodiscard]] virtual std::string replay(std::uint32_t number) const = 0;

  side& left_;
  side& right_;
  surroundings around_;

 private:
  void fill(std::uint32_t& next, std::uint32_t end);
  void pull();
  [[nodiscard]] std::string compare();

  std::deque<entry> open_;
  std::size_t left_given_ = 0, right_given_ = 0;  // of open_
};

/// For tensor cores. A difference is reported with operands and the emulator's internal steps.
class scoreboard final : public board<tile, tile_result> {
 public:
  scoreboard(tile_backend& left, tile_backend& right, surroundings around)
      : board(left, right, std::move(around)) {}

 private:
  [[nodiscard]] std::string noun() const override { return "D of tile"; }
  [[nodiscard]] std::string difference(const entry& oldest) const override;
  [[nodiscard]] std::string replay(std::uint32_t number) const override;
};

/// For quantizers. A difference is reported with the block, its controls, and the emulator's
/// extent and scale.
class quantizer_scoreboard final : public board<quantizer_operands, quantized_block> {
 public:
  quantizer_scoreboard(const quantizer_kind& made, quantizer_backend& left,
                       quantizer_backend& right, surroundings around)
      : board(left, right, std::move(around)), made_(made) {}

 private:
  [[nodiscard]] std::string noun() const override { return "block"; }
  [[nodiscard]] std::string difference(const entry& oldest) const override;
  [[nodiscard]] std::string replay(std::uint32_t number) const override;

  quantizer_kind made_;
};

}  // namespace hardware
