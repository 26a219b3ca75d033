// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_search.cpp: ordinary blocks select rules and places, then special blocks
// select their rules: in sequence, so that the product of candidates stays small.
#include "golden/probe/recipe_search.h"

#include <algorithm>
#include <optional>
#include <set>

#include "golden/probe/recipe_set.h"
#include "golden/probe/rule_results.h"
#include "golden/validator/tensor/diagnose.h"
#include "mx/tensor/parallel.h"

namespace golden::probe {

using validator::dimension;
using validator::hypothesis;
using validator::subject;

namespace {

/// Recipes with the same rules but for one change, or one alone.
using rule_family = recipe_list;

/// A search over the tensors of one output; for another part of it, another search.
class recipe_finder {
 public:
  recipe_finder(const mx::block_format& f, const recipe_lists& lists, output_fit& fit)
      : f_(f), lists_(lists), fit_(fit), storages_(storages()), bases_(lists.bases()) {
    // Readings are computed on first use, and their numbers serve all threads.
    for (const hypothesis& s : storages_) static_cast<void>(fit_.reading(s));
  }

  /// Rules with storages, then with one further change.
  [[nodiscard]] recipe_list by_rules(const search_progress& progress) {
    std::vector<rule_family> families;
    for (const hypothesis& base : bases_) families.push_back({base});
    recipe_list found = with_special_rules(keep_ordinary(families, storages_, progress));
    if (!found.empty()) return found;
    mx::for_each_in_parallel(bases_.size(), [&](std::size_t k) {
      families[k].clear();
      for (const changed_recipe& c : lists_.changed_once(bases_[k])) {
        families[k].push_back(c.rules);
      }
    });
    recipe_list unmoved = storages_;
    std::erase_if(unmoved, [](const hypothesis& s) {
      return s.placement.motion != validator::scale_motion::none;
    });
    return with_special_rules(keep_ordinary(families, unmoved, progress));
  }

  [[nodiscard]] std::vector<near_recipe> nearest(const search_progress& progress) {
    return nearest_recipes(fit_, lists_, bases_, storages_, progress);
  }
  [[nodiscard]] bool has_storages() const { return !storages_.empty(); }

 private:
  /// Nibble orders with layouts that match the sizes of the output.
  [[nodiscard]] recipe_list storages() const {
    recipe_list list;
    for (const hypothesis& r : lists_.storages()) {
      // Codes other than 4 bits wide have no nibble order.
      const bool known =
          f_.element.width() != 4 &&
          std::any_of(list.begin(), list.end(), [&](const hypothesis& other) {
            return other.recipe.layout == r.recipe.layout && other.placement == r.placement;
          });
      if (!known && fit_.has_sizes(r)) list.push_back(r);
    }
    return list;
  }

  /// The recipes of a family under each storage that explain ordinary blocks.
  [[nodiscard]] recipe_list ordinary_in(const rule_family& family, const recipe_list& storages) {
    std::vector<std::unique_ptr<rule_results>> results(family.size());
    for (std::size_t k = 0; k < family.size(); ++k) {
      if (!fit_.is_of_blocks(family[k])) continue;
      results[k] = std::make_unique<rule_results>(family[k], fit_);
    }
    recipe_list left;
    for (const hypothesis& storage : storages) {
      const auto& ordinary = fit_.reading(storage).blocks[0];
      for (std::size_t k = 0; k < family.size(); ++k) {
        const hypothesis r = stored_as(family[k], storage);
        const bool fits =
            results[k] ? results[k]->agrees_on_tensor_scales() && results[k]->explains_all(ordinary)
                       : fit_.has_sizes(r) && fit_.is_explained(r, block_sort::kind::ordinary);
        if (fits) left.push_back(r);
      }
    }
    return left;
  }

  [[nodiscard]] recipe_list keep_ordinary(const std::vector<rule_family>& families,
                                          const recipe_list& storages,
                                          const search_progress& progress) {
    search_stage stage(progress, 100, families.size());
    std::vector<recipe_list> passed(families.size());
    mx::for_each_in_parallel(families.size(), [&](std::size_t k) {
      passed[k] = ordinary_in(families[k], storages);
      stage.advance();
    });
    recipe_list left;
    for (const recipe_list& part : passed) left.insert(left.end(), part.begin(), part.end());
    return left;
  }

  /// Each recipe with the first rule for blocks of zeros and for NaN and Inf that explains them,
  /// unless it is a preset's own; of those that differ only in these rules, the first.
  [[nodiscard]] recipe_list with_special_rules(const recipe_list& list) {
    const recipe_list zeros = without_twins(first_explaining(list, dimension::zero_rule));
    recipe_list all = without_twins(first_explaining(zeros, dimension::nan_rule));
    std::erase_if(all, [&](const hypothesis& r) { return !fit_.is_explained(r); });
    if (!std::all_of(all.begin(), all.end(), takes_scale)) std::erase_if(all, takes_scale);
    return all;
  }

  /// For each recipe and its alternatives in a dimension, the first that explains the blocks of the
  /// dimension's kind.
  [[nodiscard]] recipe_list first_explaining(const recipe_list& list, dimension d) {
    std::vector<std::optional<hypothesis>> first(list.size());
    mx::for_each_in_parallel(list.size(),
                             [&](std::size_t k) { first[k] = first_explaining(list[k], d); });
    recipe_list left;
    for (const std::optional<hypothesis>& r : first) {
      if (r) left.push_back(*r);
    }
    return left;
  }
  [[nodiscard]] std::optional<hypothesis> first_explaining(const hypothesis& r, dimension d) {
    const bool zeros = d == dimension::zero_rule;
    const auto kind = zeros ? block_sort::kind::zero : block_sort::kind::special;
    if (fit_.is_explained(r, kind)) return r;
    for (const validator::alternative& a : lists_.alternatives_to(r)) {
      if (a.what != d) continue;
      hypothesis changed = r;
      a.apply(changed);
      if (zeros && changed.zeros.sign != r.zeros.sign) continue;
      if (fit_.has_sizes(changed) && fit_.is_explained(changed, kind)) return changed;
    }
    return {};
  }
  [[nodiscard]] static recipe_list without_twins(const recipe_list& list) {
    recipe_set known;
    recipe_list left;
    for (const hypothesis& r : list) {
      hypothesis ordinary = r;
      ordinary.zeros = {};
      ordinary.specials = {};
      if (known.insert(ordinary).second) left.push_back(r);
    }
    return left;
  }

  const mx::block_format& f_;
  const recipe_lists& lists_;
  output_fit& fit_;
  recipe_list storages_, bases_;
};

/// The validator's explanations of an output by one or two changes of a recipe. Changes that hold
/// in a part alone are no recipe.
void diagnose_from(const hypothesis& from, const std::string& name,
                   std::span<const subject> subjects, validator::search_depth depth,
                   search_result& result) {
  const bool possible = std::all_of(subjects.begin(), subjects.end(), [&](const subject& s) {
    return validator::geometry::of(from, s).has_value();
  });
  if (!possible) return;
  const validator::diagnosis d = diagnose(from, subjects, depth);
  if (!d.explanation) return;
  result.changes = d.explanation->changes;
  result.changed = name;
  result.part = d.explanation->where;
  if (!result.part.empty()) return;
  result.explaining.push_back(d.explanation->kernel);
  for (const validator::rival& r : d.ambiguous) result.explaining.push_back(r.what.kernel);
}

/// The same from the nearest recipe, or by one change from one that is as near and then becomes the
/// first.
void diagnose_nearest(std::span<const subject> subjects, search_result& result) {
  std::vector<near_recipe>& list = result.nearest;
  for (std::size_t k = 0; k < list.size() && result.changes.empty(); ++k) {
    if (list[k].blocks < list.front().blocks) return;
    diagnose_from(list[k].rules, list[k].name, subjects, {k == 0 ? 2 : 1}, result);
    if (!result.changes.empty()) std::swap(list.front(), list[k]);
  }
}

/// Whether a recipe leaves few of the different blocks: at most one in eight, or one.
bool leaves_few(const near_recipe& near, output_fit& fit) {
  std::set<std::uint32_t> inputs;
  for (const block_sort::place& at : near.odd) inputs.insert(fit.distinct().input_of(at));
  return !near.odd.empty() &&
         inputs.size() <= std::max<std::size_t>(fit.distinct().inputs() / 8, 1);
}

}  // namespace

recipe_search::recipe_search(const mx::block_format& f, std::span<const subject> subjects,
                             const search_progress& progress)
    : lists_(f, subjects), fit_(std::make_unique<output_fit>(plain_recipe(f), subjects)) {
  const hypothesis plain = plain_recipe(f);
  recipe_finder finder(f, lists_, *fit_);
  search_result& found = result_;
  found.explaining = finder.by_rules(progress);
  if (found.explaining.empty()) diagnose_from(plain, "the format's own rules", subjects, {}, found);
  found.has_known_sizes = finder.has_storages() || !found.explaining.empty();
  found.storage = found.explaining.empty() ? plain : found.explaining.front();
  if (!found.explaining.empty()) return;
  found.nearest = finder.nearest(progress);
  if (found.nearest.empty()) return;
  diagnose_nearest(subjects, found);
  const near_recipe& best = found.nearest.front();
  found.storage = best.rules;
  if (!found.explaining.empty() || (found.part.empty() && !leaves_few(best, *fit_))) return;
  fit_ = std::make_unique<output_fit>(plain, subjects, best.odd);
  found.partial = recipe_finder(f, lists_, *fit_).by_rules(progress);
}

std::vector<recipe_list> recipe_search::values_in(const std::vector<dimension>& dimensions,
                                                  const counting& counts) {
  fitting_values values(*fit_, lists_, dimensions);
  for (const hypothesis& r : result_.fitting()) values.add(r, counts);
  return values.found();
}

}  // namespace golden::probe
