// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_search.cpp: ordinary blocks sort out rules and places, special blocks what is done
// with them: one after the other, so that what is multiplied stays small.
#include "golden/probe/recipe_search.h"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "golden/probe/sorted_blocks.h"
#include "golden/validator/alternatives.h"
#include "golden/validator/diagnose.h"
#include "golden/validator/recipe_words.h"

namespace golden::probe {
namespace {

using validator::alternative;
using validator::dimension;
using validator::prediction;
using validator::recipe;
using validator::subject;

using recipe_list = std::vector<recipe>;

/// A search over the tensors of one output.
class recipe_finder {
 public:
  recipe_finder(const mx::block_format& f, std::span<const subject> subjects)
      : f_(f), subjects_(subjects), sorted_(plain_recipe(f), subjects), storages_(storages()) {}

  search_result found() {
    search_result result;
    recipe_list left = under_every_storage(bases());
    recipe_list explaining = with_special_rules(keep_ordinary(left));
    if (explaining.empty()) explaining = with_special_rules(keep_ordinary(changed_once(left)));
    if (explaining.empty()) explaining = diagnosed();
    result.storage = plain_recipe(f_);
    result.has_known_sizes = !storages_.empty() || !explaining.empty();
    for (const recipe& r : explaining) result.explaining.push_back({r, others_beside(r)});
    if (!explaining.empty()) result.storage = explaining.front();
    if (explaining.empty()) look_near(left, result);
    return result;
  }

 private:
  [[nodiscard]] std::vector<alternative> alternatives_to(const recipe& r) const {
    return alternatives_of(r, subjects_, {true, 0, {}});
  }
  [[nodiscard]] recipe_list of_dimension(const recipe& from, dimension d) const {
    recipe_list list{from};
    for (const alternative& a : alternatives_to(from)) {
      if (a.what != d) continue;
      recipe r = from;
      a.apply(r);
      if (std::find(list.begin(), list.end(), r) == list.end()) list.push_back(r);
    }
    return list;
  }

  /// Whether the bytes may be of such a size.
  [[nodiscard]] bool has_sizes(const recipe& r) const {
    if (!is_possible(r)) return false;
    return std::all_of(subjects_.begin(), subjects_.end(), [&](const subject& s) {
      const auto g = validator::geometry::of(r, s);
      return g && fits(*g, s);
    });
  }

  /// Orders of nibbles with layouts that give the sizes of the output.
  [[nodiscard]] recipe_list storages() const {
    recipe_list list;
    const recipe plain = plain_recipe(f_);
    for (const recipe& nibbles : of_dimension(plain, dimension::nibble_order)) {
      for (recipe r : of_dimension(plain, dimension::scale_layout)) {
        r.packing = nibbles.packing;
        r.nibbles = nibbles.nibbles;
        // Codes that are not halved have no order.
        const bool known = f_.element.width() != 4 &&
                           std::any_of(list.begin(), list.end(), [&](const recipe& other) {
                             return other.layout == r.layout && other.placement == r.placement;
                           });
        if (!known && has_sizes(r)) list.push_back(r);
      }
    }
    return list;
  }

  /// Rules of ordinary blocks.
  [[nodiscard]] recipe_list bases() const {
    recipe_list list;
    for (const known_recipe& k : ruled_recipes(f_)) {
      for (const validator::zero_sign sign :
           {validator::zero_sign::kept, validator::zero_sign::of_nonzero,
            validator::zero_sign::positive}) {
        list.push_back(k.rules);
        list.back().zeros.sign = sign;
      }
    }
    const recipe plain = plain_recipe(f_);
    for (const dimension d : {dimension::operation_order, dimension::variant}) {
      const recipe_list more = of_dimension(plain, d);
      list.insert(list.end(), more.begin() + 1, more.end());
    }
    return list;
  }
  [[nodiscard]] recipe_list under_every_storage(const recipe_list& rules) const {
    recipe_list list;
    for (const recipe& base : rules) {
      for (const recipe& storage : storages_) {
        recipe r = base;
        r.packing = storage.packing;
        r.nibbles = storage.nibbles;
        r.layout = storage.layout;
        r.placement = storage.placement;
        if (std::find(
                list.end() - static_cast<std::ptrdiff_t>(std::min(list.size(), storages_.size())),
                list.end(), r) == list.end()) {
          list.push_back(r);
        }
      }
    }
    return list;
  }
  /// With one change more that ordinary blocks show.
  [[nodiscard]] recipe_list changed_once(const recipe_list& rules) const {
    recipe_list list;
    for (const recipe& r : rules) {
      if (r.placement.motion != validator::scale_motion::none) continue;
      for (const dimension d : {dimension::subnormals, dimension::scale_offset,
                                dimension::input_precision, dimension::tensor_scale}) {
        const recipe_list more = of_dimension(r, d);
        list.insert(list.end(), more.begin() + 1, more.end());
      }
    }
    return list;
  }

  [[nodiscard]] recipe_list kept(const recipe_list& list, block_sort::kind kind) {
    std::vector<char> passed(list.size(), 0);
    tbb::parallel_for(std::size_t{0}, list.size(), [&](std::size_t k) {
      passed[k] = has_sizes(list[k]) && sorted_.are_explained(list[k], kind, extents_) ? 1 : 0;
    });
    recipe_list left;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (passed[k] != 0) left.push_back(list[k]);
    }
    return left;
  }
  [[nodiscard]] recipe_list keep_ordinary(const recipe_list& list) {
    return kept(list, block_sort::kind::ordinary);
  }

  /// Each with every rule for blocks of zeros, then for NaN and Inf, as far as it is no preset's own.
  [[nodiscard]] recipe_list with_special_rules(const recipe_list& list) {
    recipe_list zeros, all;
    for (const recipe& r : list) {
      for (const recipe& z : of_dimension(r, dimension::zero_rule)) {
        if (z.zeros.sign == r.zeros.sign) zeros.push_back(z);
      }
    }
    zeros = without_twins(kept(zeros, block_sort::kind::zero));
    for (const recipe& z : zeros) {
      const recipe_list more = of_dimension(z, dimension::nan_rule);
      all.insert(all.end(), more.begin(), more.end());
    }
    all = without_twins(kept(all, block_sort::kind::special));
    std::erase_if(all, [&](const recipe& r) { return !explains(r); });
    return all;
  }
  /// The first of those that differ in rules for special blocks alone; the others are told beside it.
  [[nodiscard]] static recipe_list without_twins(const recipe_list& list) {
    recipe_list left;
    for (const recipe& r : list) {
      const bool twin = std::any_of(left.begin(), left.end(), [&](recipe other) {
        other.zeros = r.zeros;
        other.specials = r.specials;
        return other == r;
      });
      if (!twin) left.push_back(r);
    }
    return left;
  }

  [[nodiscard]] bool explains(const recipe& r) {
    return std::all_of(subjects_.begin(), subjects_.end(),
                       [&](const subject& s) { return explains_all(prediction(r, s, extents_)); });
  }

  /// What the validator explains by one or two changes of any kind.
  [[nodiscard]] recipe_list diagnosed() const {
    const recipe plain = plain_recipe(f_);
    const bool possible = std::all_of(subjects_.begin(), subjects_.end(), [&](const subject& s) {
      return validator::geometry::of(plain, s).has_value();
    });
    if (!possible) return {};
    const validator::diagnosis d = diagnose(plain, subjects_, {2});
    recipe_list list;
    if (d.explanation) list.push_back(d.explanation->rules);
    for (const validator::rival& r : d.ambiguous) list.push_back(r.what.rules);
    return list;
  }

  /// Single changes of a recipe that give the same bytes here.
  [[nodiscard]] std::vector<equal_choice> others_beside(const recipe& r) {
    std::vector<equal_choice> others;
    for (const alternative& a : alternatives_to(r)) {
      recipe other = r;
      a.apply(other);
      if (other == r || a.what == dimension::variant || !has_sizes(other)) continue;
      if (word_of(other, a.what) == word_of(r, a.what) || !explains(other)) continue;
      others.push_back({a.what, other});
    }
    return others;
  }

  void look_near(const recipe_list& list, search_result& result);

  const mx::block_format& f_;
  std::span<const subject> subjects_;
  block_sort sorted_;
  recipe_list storages_;
  validator::extent_memory extents_;
};

std::string name_of_rules(const recipe& r) {
  if (r.variant != nullptr) return word_of(r, dimension::variant);
  if (r.arithmetic != nullptr) return word_of(r, dimension::operation_order);
  return word_of(r, dimension::scale_rule) + ", " + word_of(r, dimension::element_rounding);
}

void recipe_finder::look_near(const recipe_list& list, search_result& result) {
  struct scored {
    std::uint64_t blocks;
    std::size_t at;
  };
  std::vector<scored> scores(list.size());
  tbb::parallel_for(std::size_t{0}, list.size(), [&](std::size_t k) {
    scores[k] = {has_sizes(list[k]) ? sorted_.explained(list[k], extents_) : 0, k};
  });
  std::stable_sort(scores.begin(), scores.end(),
                   [](const scored& a, const scored& b) { return a.blocks > b.blocks; });
  if (!scores.empty()) result.storage = list[scores.front().at];
  for (const scored& s : scores) {
    const std::string name = name_of_rules(list[s.at]);
    const bool known = std::any_of(result.nearest.begin(), result.nearest.end(),
                                   [&](const near_recipe& other) { return other.name == name; });
    if (known || s.blocks == 0) continue;
    result.nearest.push_back({name, s.blocks, sorted_.count()});
    if (result.nearest.size() == 5) break;
  }
}

}  // namespace

search_result find_recipes(const mx::block_format& f,
                           std::span<const validator::subject> subjects) {
  return recipe_finder(f, subjects).found();
}

}  // namespace golden::probe
