// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/pattern.h: a regular set of places along one direction of a tensor: an
// interval, or a run of every period.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "flag_set.h"

namespace golden::validator {

/// The places first, ..., last; with a period those alone that are less than `length` beyond
/// first + a multiple of it.
///   period  0: an interval
struct pattern {
  std::uint64_t first = 0, last = 0;
  std::uint64_t period = 0, length = 1;

  [[nodiscard]] constexpr bool contains(std::uint64_t at) const {
    if (at < first || at > last) return false;
    return period == 0 || (at - first) % period < length;
  }
  [[nodiscard]] constexpr std::uint64_t size() const {
    const std::uint64_t span = last - first + 1;
    if (period == 0) return span;
    const std::uint64_t rest = span % period;
    return span / period * length + (rest < length ? rest : length);
  }
  [[nodiscard]] constexpr bool covers(std::uint64_t extent) const { return size() >= extent; }

  friend constexpr bool operator==(const pattern&, const pattern&) = default;
};

static_assert(pattern{1, 7, 2, 1}.size() == 4 && !pattern{1, 7, 2, 1}.contains(2));
static_assert(pattern{8, 31, 16, 8}.size() == 16 && pattern{8, 31, 16, 8}.contains(31));
static_assert(pattern{128, 255}.size() == 128 && pattern{0, 3}.covers(4));

/// Places that differ along one direction.
///   extent   all places
///   touched  those with a difference, the first of them at `first`
///   regular  the smallest regular set with all of them; the interval between the first and the
///            last where nothing smaller is at least half touched
///   listed   each of them, if they are few
struct axis_places {
  std::uint64_t extent = 0, touched = 0, first = 0;
  pattern regular;
  std::vector<std::uint64_t> listed;

  [[nodiscard]] bool covers_all() const { return regular.covers(extent); }
};

/// Most places that are listed one by one.
inline constexpr std::uint64_t most_listed = 8;

/// The places that are marked.
///   periods  tried beside the distance between places
[[nodiscard]] axis_places places_of(const flag_set& marked, std::span<const std::uint64_t> periods);

/// Regular sets with at least the places of another, the simplest first: everything, whole tiles,
/// and a period carried on to both ends, where the set has most of it; itself.
[[nodiscard]] std::vector<pattern> simpler_than(const pattern& p, std::uint64_t extent);

}  // namespace golden::validator
