// SPDX-License-Identifier: Apache-2.0
// sim/sweep/point_list.cpp: see point_list.h.
#include "sim/sweep/point_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mx/number/philox.h"
#include "sim/study/input_error.h"
#include "sim/sweep/sweep_reader.h"

namespace sim {
namespace {

std::uint64_t combinations_of(const sweep_grid& grid) {
  std::uint64_t product = 1;
  for (const sweep_axis& axis : grid.axes) {
    product *= axis.values.size();
    if (product > std::uint64_t{1} << 40)
      throw input_error("a grid has more than 2^40 combinations");
  }
  return product;
}

/// The words of a combination, without fields whose condition fails. Conditions are decided on what
/// the others leave.
point_words words_at(const sweep_grid& grid, std::uint64_t index) {
  point_words all(grid.axes.size());
  for (std::size_t i = grid.axes.size(); i-- > 0;) {
    const sweep_axis& axis = grid.axes[i];
    all[i] = {axis.name, axis.values[index % axis.values.size()]};
    index /= axis.values.size();
  }
  const auto value = [&](const std::string& name) -> std::optional<std::string> {
    const std::string* word = word_at(all, name);
    return word == nullptr ? std::nullopt : std::optional(*word);
  };
  const auto fails = [&](const point_words::value_type& word) {
    const condition& when = std::ranges::find(grid.axes, word.first, &sweep_axis::name)->when;
    return !when.all.empty() && !holds(when, value);
  };
  // Until none fails: a field that is left out may be named by another's condition.
  for (auto out = std::ranges::find_if(all, fails); out != all.end();
       out = std::ranges::find_if(all, fails)) {
    all.erase(out);
  }
  return all;
}

///   reason  why the combination is no point of the sweep
void refuse(point_list& list, const sweep_study& s, const point_words& words,
            const std::string& reason) {
  if (s.invalid == invalid_points::refuse) {
    throw input_error("the point {}: {}; take it out of the grid, or set invalid = \"skip\"",
                      text_of(words), reason);
  }
  left_out& left = list.refused[reason];
  if (left.count++ == 0) left.example = text_of(words);
}

void expect_points(const point_list& list) {
  if (!list.points.empty()) return;
  std::string reasons;
  for (const auto& [reason, left] : list.refused) {
    reasons += fmt::format("; {} of {}: {}", left.count, list.combinations, reason);
  }
  throw input_error("no point is left{}", reasons);
}

class point_collector {
 public:
  explicit point_collector(const sweep_study& s) : study_(s) {}

  /// Takes a combination, unless it makes no sense or is there already.
  void take(const point_words& words) {
    ++list_.combinations;
    resolved_point r = resolved(words);
    if (!r.point) return refuse(list_, study_, words, r.refusal);
    for (const condition& c : study_.constraints) {
      if (!fulfils(*r.point, c)) return refuse(list_, study_, words, fmt::format("not {}", c.text));
    }
    if (!keys_.insert(r.point->key).second) {
      ++list_.repeated;
      return;
    }
    list_.points.push_back(std::move(*r.point));
  }

  [[nodiscard]] std::size_t count() const { return list_.points.size(); }

  [[nodiscard]] point_list finished() {
    expect_points(list_);
    return std::move(list_);
  }

 private:
  static bool fulfils(const sweep_point& p, const condition& c) {
    return holds(c, [&](const std::string& name) -> std::optional<std::string> {
      if (std::ranges::find(sweep_costs, name) != sweep_costs.end()) {
        const std::optional<double> cost = p.cost(name);
        return cost ? std::optional(fmt::format("{}", *cost)) : std::nullopt;
      }
      return value_at(p, name);
    });
  }

  const sweep_study& study_;
  point_list list_;
  std::set<std::string> keys_;
};

/// Draws combinations until there are enough points; ends where draws give hardly any new ones.
void draw_points(const sweep_study& s, const std::vector<std::uint64_t>& sizes, std::uint64_t total,
                 point_collector& out) {
  const auto wanted = static_cast<std::size_t>(s.points);
  const std::uint64_t most = 100 * static_cast<std::uint64_t>(s.points) + 1000;
  for (std::uint64_t draw = 0; draw < most && out.count() < wanted; ++draw) {
    const auto w = mx::philox(
        s.seed, {{0, 0, static_cast<std::uint32_t>(draw >> 32), static_cast<std::uint32_t>(draw)}});
    std::uint64_t index = (static_cast<std::uint64_t>(w.word[0]) << 32 | w.word[1]) % total;
    std::size_t grid = 0;
    while (index >= sizes[grid]) index -= sizes[grid++];
    out.take(words_at(s.grids[grid], index));
  }
}

}  // namespace

void leave_out(point_list& list, const sweep_study& s,
               const std::function<std::string(const sweep_point&)>& refusal) {
  std::erase_if(list.points, [&](const sweep_point& p) {
    const std::string why = refusal(p);
    if (!why.empty()) refuse(list, s, p.words, why);
    return !why.empty();
  });
  expect_points(list);
}

std::string text_of(const point_words& words) {
  std::string text;
  for (const auto& [name, value] : words) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text;
}

point_list points_of(const sweep_study& s) {
  std::vector<std::uint64_t> sizes;
  std::uint64_t total = 0;
  for (const sweep_grid& grid : s.grids) total += sizes.emplace_back(combinations_of(grid));
  point_collector out(s);
  if (s.search == sweep_search::random) {
    draw_points(s, sizes, total, out);
    return out.finished();
  }
  if (total > most_points) {
    throw input_error(
        "the axes have {} combinations, more than {}; set search = \"random\" and points = N, or "
        "take fewer values",
        total, most_points);
  }
  for (const sweep_grid& grid : s.grids) {
    for (std::uint64_t i = 0; i < combinations_of(grid); ++i) out.take(words_at(grid, i));
  }
  return out.finished();
}

}  // namespace sim
