// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/step_tile.cpp: codes of results as binary32 numbers and back, row by row.
#include "dot/step_tile.h"

#include <algorithm>
#include <atomic>

#include "mx/number/element.h"

namespace mx {
namespace {

std::atomic<std::uint64_t> by_core{0};

}  // namespace

std::uint64_t steps_left_to_core() noexcept { return by_core.load(std::memory_order_relaxed); }

void count_steps_by_core(std::int64_t steps) {
  by_core.fetch_add(static_cast<std::uint64_t>(steps), std::memory_order_relaxed);
}

float step_number(const format& result, std::uint32_t code) {
  return result.width() == 32 ? float_of(code) : to_binary32(decode(result, code));
}

std::uint32_t step_code(const format& result, float number) {
  if (result.width() == 32) return bits_of(number);
  if (number == 0) return 0;
  return encode(result, unpack(number), rounding::ties_to_even, overflow::to_infinity);
}

bool is_irregular_number(float number) {
  const std::uint32_t bits = bits_of(number), field = bits & 0x7F800000;
  return field == 0x7F800000 || (field == 0 && bits != 0);
}

void step_tile::take(const format& result, int row, int count, const std::uint32_t* codes) {
  float* to = values_ + row * columns_;
  std::fill(to + count, to + columns_, 0.0F);
  irregular_[row] = 0;
  for (int j = 0; j < count; ++j) {
    to[j] = step_number(result, codes[j]);
    if (!is_irregular_number(to[j])) continue;
    to[j] = 0;
    mark(row, 1U << j);
  }
}

void step_tile::give(const format& result, int row, int count, std::uint32_t* codes) const {
  for (int j = 0; j < count; ++j) codes[j] = step_code(result, values_[row * columns_ + j]);
}

float step_tile::continued(const format& result, int row, int column, std::uint32_t code) {
  const float number = step_number(result, code);
  if (!is_irregular_number(number)) return number;
  mark(row, 1U << column);
  return 0;
}

}  // namespace mx
