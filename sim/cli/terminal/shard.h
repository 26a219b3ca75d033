// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/shard.h: the option --shard of commands whose work is divided among machines.
#pragma once
#include <cstddef>
#include <string>

namespace sim::cli {

/// One part of `of`: every `of`-th place of a list, from place `index` on.
struct shard {
  std::size_t index = 0, of = 1;

  [[nodiscard]] bool contains(std::size_t place) const noexcept { return place % of == index; }
};

/// Of "i/n"; the whole list of an empty text.
///   errors  usage_error
[[nodiscard]] shard shard_in(const std::string& text);

}  // namespace sim::cli
