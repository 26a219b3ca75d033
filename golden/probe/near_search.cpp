// SPDX-License-Identifier: Apache-2.0
// golden/probe/near_search.cpp: ranks on statements about few distinct inputs, then counts the
// blocks of the best exactly.
#include "golden/probe/near_search.h"

#include <algorithm>
#include <map>
#include <set>

#include "golden/probe/rule_results.h"
#include "golden/validator/tensor/dimension_words.h"
#include "mx/tensor/parallel.h"

namespace golden::probe {
namespace {

using validator::dimension;
using validator::hypothesis;

/// Candidates of one name differ in signs of zeros and in storage.
constexpr std::size_t most_storages = 4, most_candidates = 64, most_of_a_name = 4, most_named = 5;

/// Ordinary blocks explained, then others; in parts of a sample, scaled to all of them.
struct near_score {
  std::uint64_t ordinary = 0, others = 0;

  friend constexpr auto operator<=>(const near_score&, const near_score&) = default;
};

struct candidate {
  hypothesis rules;
  std::string name;
  std::size_t storage = 0;
  near_score score = {};
};

std::string name_of_rules(const hypothesis& r) {
  if (r.variant() != nullptr) return word_of(r, dimension::variant);
  if (r.arithmetic != nullptr) return word_of(r, dimension::operation_order);
  return word_of(r, dimension::scale_rule) + ", " + word_of(r, dimension::element_rounding);
}

const std::vector<counted_statement>& ranked(const storage_reading& reading, block_sort::kind k) {
  return reading.ranked[static_cast<std::size_t>(k)];
}

class near_search {
 public:
  near_search(output_fit& fit, const recipe_lists& lists, const recipe_list& storages)
      : fit_(fit), lists_(lists), storages_(storages) {}

  /// Every recipe under every storage, the best first.
  [[nodiscard]] std::vector<candidate> of_bases(const recipe_list& bases,
                                                const search_progress& progress) {
    search_stage stage(progress, 100, bases.size());
    std::vector<std::vector<candidate>> found(bases.size());
    mx::for_each_in_parallel(bases.size(), [&](std::size_t k) {
      rule_results results(bases[k], fit_);
      for (std::size_t s = 0; s < storages_.size(); ++s) {
        found[k].push_back({bases[k], name_of_rules(bases[k]), s, score_of(results, s)});
      }
      stage.advance();
    });
    return best_of(found);
  }

  /// Every recipe with one change, if it explains more ordinary blocks than without.
  [[nodiscard]] std::vector<candidate> of_changed(const recipe_list& bases,
                                                  const std::vector<std::size_t>& storages,
                                                  const search_progress& progress) {
    search_stage stage(progress, 400, bases.size());
    std::vector<std::vector<candidate>> found(bases.size());
    mx::for_each_in_parallel(bases.size(), [&](std::size_t k) {
      rule_results unchanged(bases[k], fit_);
      for (const changed_recipe& c : lists_.changed_once(bases[k])) {
        if (!fit_.is_of_blocks(c.rules)) continue;
        rule_results results(c.rules, fit_);
        for (const std::size_t s : storages) {
          const near_score score = score_of(results, s);
          if (score.ordinary <= score_of(unchanged, s).ordinary) continue;
          const std::string change = std::string(name_of(c.what)) + " " + word_of(c.rules, c.what);
          found[k].push_back({c.rules, name_of_rules(bases[k]) + "; " + change, s, score});
        }
      }
      stage.advance();
    });
    return best_of(found);
  }

  /// With the rules for zeros and for NaN and Inf that explain the most.
  void settle(std::vector<candidate>& list) {
    mx::for_each_in_parallel(list.size(), [&](std::size_t k) {
      settle(list[k], dimension::zero_rule, block_sort::kind::zero);
      settle(list[k], dimension::nan_rule, block_sort::kind::special);
      rule_results results(list[k].rules, fit_);
      list[k].score = score_of(results, list[k].storage);
    });
    sort(list);
  }

  [[nodiscard]] hypothesis stored(const candidate& c) const {
    return stored_as(c.rules, storages_[c.storage]);
  }

  static void sort(std::vector<candidate>& list) {
    std::stable_sort(list.begin(), list.end(),
                     [](const candidate& a, const candidate& b) { return a.score > b.score; });
    std::map<std::string, std::size_t> named;
    std::erase_if(list, [&](const candidate& c) { return ++named[c.name] > most_of_a_name; });
    if (list.size() > most_candidates) list.resize(most_candidates);
  }

 private:
  [[nodiscard]] std::uint64_t scaled(rule_results& results, std::size_t storage,
                                     block_sort::kind kind) {
    const storage_reading& reading = fit_.reading(storages_[storage]);
    const std::vector<counted_statement>& list = ranked(reading, kind);
    std::uint64_t all = 0;
    for (const counted_statement& s : list) all += s.at.count;
    return all == 0 ? 0 : results.blocks_explained(list) * fit_.blocks_of(kind) / all;
  }
  [[nodiscard]] near_score score_of(rule_results& results, std::size_t storage) {
    using enum block_sort::kind;
    return {scaled(results, storage, ordinary),
            scaled(results, storage, zero) + scaled(results, storage, special)};
  }

  static std::vector<candidate> best_of(std::vector<std::vector<candidate>>& found) {
    std::vector<candidate> list;
    for (std::vector<candidate>& part : found) {
      std::move(part.begin(), part.end(), std::back_inserter(list));
    }
    sort(list);
    return list;
  }

  void settle(candidate& c, dimension d, block_sort::kind kind) {
    if (fit_.lacks(kind)) return;
    rule_results own(c.rules, fit_);
    std::uint64_t best = scaled(own, c.storage, kind);
    hypothesis chosen = c.rules;
    for (const validator::alternative& a : lists_.alternatives_to(c.rules)) {
      if (a.what != d) continue;
      hypothesis changed = c.rules;
      a.apply(changed);
      if (changed.zeros.sign != c.rules.zeros.sign) continue;
      rule_results results(changed, fit_);
      const std::uint64_t blocks = scaled(results, c.storage, kind);
      if (blocks > best) best = blocks, chosen = changed;
    }
    c.rules = chosen;
  }

  output_fit& fit_;
  const recipe_lists& lists_;
  const recipe_list& storages_;
};

/// The storages of the best candidates.
std::vector<std::size_t> best_storages(const std::vector<candidate>& list,
                                       const recipe_list& storages) {
  std::vector<std::size_t> best;
  for (const candidate& c : list) {
    const bool moved = storages[c.storage].placement.motion != validator::scale_motion::none;
    if (moved || std::find(best.begin(), best.end(), c.storage) != best.end()) continue;
    best.push_back(c.storage);
    if (best.size() == most_storages) break;
  }
  return best;
}

}  // namespace

std::vector<near_recipe> nearest_recipes(output_fit& fit, const recipe_lists& lists,
                                         const recipe_list& bases, const recipe_list& storages,
                                         const search_progress& progress) {
  near_search search(fit, lists, storages);
  std::vector<candidate> list = search.of_bases(bases, progress);
  const std::vector<candidate> changed =
      search.of_changed(bases, best_storages(list, storages), progress);
  list.insert(list.end(), changed.begin(), changed.end());
  near_search::sort(list);
  search.settle(list);
  search_stage stage(progress, 100, most_named);
  std::set<std::string> names;
  std::vector<near_recipe> nearest;
  for (const candidate& c : list) {
    if (c.score == near_score{} || !names.insert(c.name).second) continue;
    near_recipe near{c.name, 0, fit.blocks(), search.stored(c), {}};
    near.odd = fit.unexplained(near.rules);
    near.blocks = near.of - near.odd.size();
    if (near.blocks > 0) nearest.push_back(std::move(near));
    stage.advance();
    if (nearest.size() == most_named) break;
  }
  std::stable_sort(nearest.begin(), nearest.end(),
                   [](const near_recipe& a, const near_recipe& b) { return a.blocks > b.blocks; });
  return nearest;
}

}  // namespace golden::probe
