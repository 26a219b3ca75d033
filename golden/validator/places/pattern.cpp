// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/pattern.cpp: the smallest regular set that holds marked places.
#include "pattern.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace golden::validator {
namespace {

/// Residues that occur among multiples of a period.
struct residues {
  std::uint64_t period, low, high = 0;

  explicit residues(std::uint64_t p) : period(p), low(p) {}
  void add(std::uint64_t place) {
    low = std::min(low, place % period);
    high = std::max(high, place % period);
  }
  [[nodiscard]] bool all() const { return low == 0 && high + 1 == period; }
  /// The places of each period between the first and the last residue.
  [[nodiscard]] pattern between(std::uint64_t first, std::uint64_t last) const {
    return {first - first % period + low, last, period, high - low + 1};
  }
};

/// Facts of marked places that one walk collects.
struct walk {
  std::uint64_t count = 0, first = 0, last = 0;
  std::uint64_t stride = 0;  ///< the greatest distance of which all distances are multiples
  std::vector<std::uint64_t> listed;
  std::vector<residues> open;

  void add(std::uint64_t place) {
    if (count++ == 0) first = last = place;
    if (stride != 1) stride = std::gcd(stride, place - last);
    last = place;
    if (listed.size() <= most_listed) listed.push_back(place);
    for (residues& r : open) r.add(place);
    std::erase_if(open, [](const residues& r) { return r.all(); });
  }
  [[nodiscard]] pattern smallest() const;
};

pattern walk::smallest() const {
  const pattern interval{first, last};
  pattern best = interval;
  const auto offer = [&](const pattern& p) {
    if (count < 3 || last - first < p.period) return;
    // A set with gaps must leave out a quarter of the interval, and be touched in all its places,
    // or if they are many in half of them: any three places have some distance in common.
    if (p.size() > count && count <= most_listed) return;
    const bool saves = p.size() * 4 <= interval.size() * 3 && p.size() < best.size();
    if (saves && p.size() <= 2 * count) best = p;
  };
  if (stride > 1) offer({first, last, stride, 1});
  for (const residues& r : open) offer(r.between(first, last));
  return best;
}

/// A pattern from the first to the last place of the extent.
pattern carried_on(const pattern& p, std::uint64_t extent) {
  return {p.first % p.period, extent - 1, p.period, p.length};
}

pattern whole_tiles(const pattern& p, std::uint64_t tile, std::uint64_t extent) {
  return {p.first / tile * tile, std::min((p.last / tile + 1) * tile, extent) - 1};
}

/// Whether a set has at least three quarters of another.
bool has_most(const pattern& p, const pattern& of) { return p.size() * 4 >= of.size() * 3; }

}  // namespace

axis_places places_of(const flag_set& marked, std::span<const std::uint64_t> periods) {
  walk w;
  for (const std::uint64_t period : periods) {
    if (period > 1) w.open.emplace_back(period);
  }
  marked.for_marked([&w](std::uint64_t place) { w.add(place); });
  axis_places places{marked.extent(), w.count, w.first, {}, {}};
  if (w.count == 0) return places;
  places.regular = w.smallest();
  if (w.count <= most_listed) places.listed = std::move(w.listed);
  return places;
}

std::vector<pattern> simpler_than(const pattern& p, std::uint64_t extent) {
  constexpr std::array<std::uint64_t, 4> tiles{128, 64, 32, 16};
  std::vector<pattern> list;
  const auto offer = [&](const pattern& wider) {
    const bool known = std::find(list.begin(), list.end(), wider) != list.end();
    if (!known && has_most(p, wider)) list.push_back(wider);
  };
  offer({0, extent - 1});
  if (p.period > 0) offer(carried_on(p, extent));
  for (const std::uint64_t tile : tiles) {
    if (p.period == 0) offer(whole_tiles(p, tile, extent));
  }
  offer(p);
  return list;
}

}  // namespace golden::validator
