// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_search.cpp: ordinary blocks select rules and places, then special blocks
// select their rules: in sequence, so that the product of candidates stays small.
#include "golden/probe/recipe_search.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <optional>

#include "golden/probe/recipe_set.h"
#include "golden/validator/tensor/diagnose.h"
#include "golden/validator/tensor/dimension_words.h"

namespace golden::probe {

using validator::dimension;
using validator::hypothesis;
using validator::subject;

namespace {

std::string name_of_rules(const hypothesis& r) {
  if (r.variant() != nullptr) return word_of(r, dimension::variant);
  if (r.arithmetic != nullptr) return word_of(r, dimension::operation_order);
  return word_of(r, dimension::scale_rule) + ", " + word_of(r, dimension::element_rounding);
}

/// A search over the tensors of one output.
class recipe_finder {
 public:
  recipe_finder(const mx::block_format& f, std::span<const subject> subjects,
                const recipe_lists& lists, output_fit& fit)
      : f_(f), subjects_(subjects), lists_(lists), fit_(fit), storages_(storages()) {}

  search_result found() {
    search_result result;
    const recipe_list left = recipe_lists::under_every_storage(lists_.bases(), storages_);
    result.explaining = with_special_rules(keep_ordinary(left));
    if (result.explaining.empty()) {
      result.explaining = with_special_rules(keep_ordinary(lists_.changed_once(left)));
    }
    if (result.explaining.empty()) result.explaining = diagnosed();
    result.storage = plain_recipe(f_);
    result.has_known_sizes = !storages_.empty() || !result.explaining.empty();
    if (!result.explaining.empty()) result.storage = result.explaining.front();
    if (result.explaining.empty()) look_near(left, result);
    return result;
  }

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

  [[nodiscard]] recipe_list keep_ordinary(const recipe_list& list) {
    std::vector<char> passed(list.size(), 0);
    tbb::parallel_for(std::size_t{0}, list.size(), [&](std::size_t k) {
      const bool fits =
          fit_.has_sizes(list[k]) && fit_.is_explained(list[k], block_sort::kind::ordinary);
      passed[k] = fits ? 1 : 0;
    });
    recipe_list left;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (passed[k] != 0) left.push_back(list[k]);
    }
    return left;
  }

  /// Each recipe with the first rule for blocks of zeros and for NaN and Inf that explains them,
  /// unless it is a preset's own; of those that differ only in these rules, the first.
  [[nodiscard]] recipe_list with_special_rules(const recipe_list& list) {
    const recipe_list zeros = without_twins(first_explaining(list, dimension::zero_rule));
    recipe_list all = without_twins(first_explaining(zeros, dimension::nan_rule));
    std::erase_if(all, [&](const hypothesis& r) { return !fit_.is_explained(r); });
    return all;
  }

  /// For each recipe and its alternatives in a dimension, the first that explains the blocks of the
  /// dimension's kind.
  [[nodiscard]] recipe_list first_explaining(const recipe_list& list, dimension d) {
    std::vector<std::optional<hypothesis>> first(list.size());
    tbb::parallel_for(std::size_t{0}, list.size(),
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

  /// The validator's explanations by one or two changes of any kind.
  [[nodiscard]] recipe_list diagnosed() const {
    const hypothesis plain = plain_recipe(f_);
    const bool possible = std::all_of(subjects_.begin(), subjects_.end(), [&](const subject& s) {
      return validator::geometry::of(plain, s).has_value();
    });
    if (!possible) return {};
    const validator::diagnosis d = diagnose(plain, subjects_, {2, validator::search_reach::whole});
    recipe_list list;
    if (d.explanation) list.push_back(d.explanation->kernel);
    for (const validator::rival& r : d.ambiguous) list.push_back(r.what.kernel);
    return list;
  }

  /// The recipes that explain the most blocks, and the storage of the best.
  void look_near(const recipe_list& list, search_result& result) {
    struct scored {
      std::uint64_t blocks;
      std::size_t at;
    };
    std::vector<scored> scores(list.size());
    tbb::parallel_for(std::size_t{0}, list.size(), [&](std::size_t k) {
      scores[k] = {fit_.has_sizes(list[k]) ? fit_.blocks_explained(list[k]) : 0, k};
    });
    std::stable_sort(scores.begin(), scores.end(),
                     [](const scored& a, const scored& b) { return a.blocks > b.blocks; });
    if (!scores.empty()) result.storage = list[scores.front().at];
    for (const scored& s : scores) {
      const std::string name = name_of_rules(list[s.at]);
      const bool known = std::any_of(result.nearest.begin(), result.nearest.end(),
                                     [&](const near_recipe& other) { return other.name == name; });
      if (known || s.blocks == 0) continue;
      result.nearest.push_back({name, s.blocks, fit_.blocks()});
      if (result.nearest.size() == 5) break;
    }
  }

  const mx::block_format& f_;
  std::span<const subject> subjects_;
  const recipe_lists& lists_;
  output_fit& fit_;
  recipe_list storages_;
};

}  // namespace

recipe_search::recipe_search(const mx::block_format& f, std::span<const subject> subjects)
    : lists_(f, subjects),
      fit_(plain_recipe(f), subjects),
      result_(recipe_finder(f, subjects, lists_, fit_).found()) {}

std::vector<recipe_list> recipe_search::values_in(const std::vector<dimension>& dimensions,
                                                  const counting& counts) {
  fitting_values values(fit_, lists_, dimensions);
  for (const hypothesis& r : result_.explaining) values.add(r, counts);
  return values.found();
}

}  // namespace golden::probe
