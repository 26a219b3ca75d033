// SPDX-License-Identifier: Apache-2.0
// emulator/src/presets/conversion_table.cpp: a cache of the tables of requested conversions.
#include "presets/conversion_table.h"

#include <list>
#include <mutex>

#include "mx/presets/variant_element.h"

namespace mx {
namespace {

struct kept_table {
  format f;
  element_conversion conversion;
  conversion_table table;
};

conversion_table made(const format& f, const element_conversion& c) {
  if (c.method == element_method::search || c.rounding == rounding::stochastic) return {};
  return conversion_table([&](float y) { return static_cast<std::uint8_t>(converted(f, c, y)); });
}

}  // namespace

const conversion_table& table_of(const format& f, const element_conversion& c) {
  static std::mutex looking;
  static std::list<kept_table> kept;
  const std::lock_guard lock(looking);
  for (const kept_table& one : kept) {
    if (one.f == f && one.conversion == c) return one.table;
  }
  kept.push_back({f, c, made(f, c)});
  return kept.back().table;
}

}  // namespace mx
