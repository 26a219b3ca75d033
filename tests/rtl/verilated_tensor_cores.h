// SPDX-License-Identifier: Apache-2.0
// tests/rtl/verilated_tensor_cores.h: mx_tensor_core of several numbers of lanes as C++ objects.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "rtl_models/systemc/tile.h"

namespace rtl {

/// A word of a tile's stream, by its number in the tile.
struct tile_word {
  const hardware::tile* of = nullptr;
  int index = 0;
};

/// One instance, between two edges of its clock.
class tensor_core_module {
 public:
  virtual ~tensor_core_module() = default;

  /// Sets inputs: words, if any, and whether results are taken.
  virtual void drive(tile_word a, tile_word b, bool takes) = 0;
  virtual void reset() = 0;
  virtual void rise() = 0;

  [[nodiscard]] virtual bool a_ready() const = 0;
  [[nodiscard]] virtual bool b_ready() const = 0;
  [[nodiscard]] virtual bool d_valid() const = 0;
  /// Elements of the word, one for each lane.
  [[nodiscard]] virtual std::vector<std::uint32_t> d() const = 0;
};

struct tensor_core_entry {
  int lanes;
  std::unique_ptr<tensor_core_module> (*make)();
};

/// One entry for each number of lanes that this program was built with.
[[nodiscard]] const std::vector<tensor_core_entry>& tensor_cores();

}  // namespace rtl
