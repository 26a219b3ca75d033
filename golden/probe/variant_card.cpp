// SPDX-License-Identifier: Apache-2.0
// golden/probe/variant_card.cpp: properties from the explaining recipes, and from the output itself
// if only a preset explains it, or nothing.
#include "golden/probe/variant_card.h"

#include <algorithm>
#include <map>

#include "golden/probe/recipe_difference.h"
#include "golden/validator/tensor/dimension_words.h"

namespace golden::probe {
namespace {

using validator::dimension;
using validator::hypothesis;

bool has_rules(const hypothesis& r) { return r.variant() == nullptr; }

/// Whether a dimension concerns the positions of bytes, which presets do not decide.
bool is_of_storage(dimension d) {
  return d == dimension::nibble_order || d == dimension::scale_layout ||
         d == dimension::block_axis || d == dimension::row_order || d == dimension::block_size ||
         d == dimension::element_format || d == dimension::dropped_tail ||
         d == dimension::scale_offset;
}

void append_new(std::vector<std::string>& list, const std::string& word) {
  if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
}

/// Builds the lines of a card.
class card_writer {
 public:
  card_writer(const mx::block_format& f, std::span<const validator::subject> subjects,
              const search_progress& progress)
      : format_(f),
        subjects_(subjects),
        search_(f, subjects, progress),
        found_(search_.result()),
        fitting_(found_.fitting()),
        observed_(found_.storage, subjects),
        ruled_(std::any_of(fitting_.begin(), fitting_.end(), has_rules)),
        differences_(subjects.front().type,
                     found_.partial.empty() ? judged_blocks::of_input : judged_blocks::remaining) {}

  variant_card card() {
    const std::vector<dimension> further = further_dimensions();
    find_values(further);
    variant_card c;
    c.unusable = unusable();
    c.explained = !found_.explaining.empty() && !c.unusable;
    c.has_known_sizes = found_.has_known_sizes;
    for (const hypothesis& r : fitting_) {
      if (r.variant() != nullptr) append_new(c.presets, word_of(r, dimension::variant));
    }
    c.lines.push_back(observed_line(dimension::scale_rule, observed_.scale_rules()));
    c.lines.push_back(observed_line(dimension::element_rounding, observed_.roundings()));
    for (const dimension d : further) c.lines.push_back(line(d));
    c.specials = observed_.specials();
    c.tensor_scales = tensor_scales_of(format_, subjects_);
    c.changed = found_.changed;
    c.changes = found_.changes;
    c.part = found_.part;
    c.is_cut_short = search_.is_cut_short();
    if (!found_.explaining.empty() || found_.nearest.empty()) return c;
    c.nearest = found_.nearest;
    const near_recipe& best = found_.nearest.front();
    c.odd = described(best.rules, subjects_, best.odd);
    c.without = found_.partial.empty() ? 0 : best.odd.size();
    return c;
  }

 private:
  /// Judged by the first explaining recipe; a preset may write NaN by its own rule.
  [[nodiscard]] std::optional<validator::tensor_scale_pair> unusable() const {
    validator::extent_memory extents;
    const bool none = found_.explaining.empty();
    hypothesis right = none ? plain_recipe(format_) : found_.explaining.front();
    if (!none && right.above != validator::tensor_source::unusable) return {};
    right.above = validator::tensor_source::computed;
    for (const validator::subject& s : subjects_) {
      if (!validator::geometry::of(right, s)) continue;
      const auto u = unusable_scale_in(validator::prediction(right, s, extents));
      if (u) return u;
    }
    return {};
  }

  /// Values of recipes with rules of their own; of all recipes for dimensions of storage.
  void find_values(std::vector<dimension> dimensions) {
    dimensions.push_back(dimension::scale_rule);
    dimensions.push_back(dimension::element_rounding);
    std::vector<std::vector<hypothesis>> values = search_.values_in(
        dimensions,
        [](const hypothesis& r, dimension d) { return is_of_storage(d) || has_rules(r); });
    for (std::size_t k = 0; k < dimensions.size(); ++k) values_[dimensions[k]] = values[k];
  }

  [[nodiscard]] std::vector<dimension> further_dimensions() const {
    std::vector<dimension> list{dimension::nan_rule, dimension::zero_rule, dimension::subnormals};
    const mx::block_format& f = found_.storage.format();
    const bool packs = f.element.width() == 4 || found_.storage.recipe.is_dense();
    if (packs) list.push_back(dimension::nibble_order);
    list.push_back(dimension::scale_layout);
    if (f.scale == mx::formats::ue4m3) list.push_back(dimension::operation_order);
    if (f.has_tensor_scale()) list.push_back(dimension::tensor_scale);
    list.push_back(dimension::input_precision);
    for (const dimension d :
         {dimension::scale_offset, dimension::block_axis, dimension::row_order,
          dimension::block_size, dimension::element_format, dimension::dropped_tail}) {
      if (is_unusual(d)) list.push_back(d);
    }
    return list;
  }
  /// Whether the first explaining recipe differs from the format's own word.
  [[nodiscard]] bool is_unusual(dimension d) const {
    if (fitting_.empty()) return false;
    const hypothesis& r = fitting_.front();
    hypothesis plain = plain_recipe(format_);
    plain.axes = r.axes;
    return word_of(r, d) != word_of(plain, d);
  }

  [[nodiscard]] card_line line(dimension d) {
    card_line l{std::string(name_of(d)), {}, knowledge::decided, ""};
    if (fitting_.empty()) return unknown(l, d);
    if (!is_of_storage(d) && !ruled_) return as_preset(l, d);
    const std::vector<hypothesis>& values = values_.at(d);
    for (const hypothesis& r : values) {
      const bool first = l.values.empty();
      l.values.push_back({word_of(r, d), first ? "" : differences_.between(values.front(), r)});
    }
    for (const card_value& v : l.values) {
      if (&v != &l.values.front() && l.known == knowledge::decided) l.known = knowledge::equal;
      if (!v.why.empty()) l.known = knowledge::several;
    }
    return l;
  }
  /// Only presets explain the output, and they have no word for the rule unless it replaces theirs.
  [[nodiscard]] card_line as_preset(card_line l, dimension d) const {
    std::vector<std::string> words;
    for (const hypothesis& r : fitting_) append_new(words, word_beside_preset(r, d));
    for (const std::string& word : words) l.values.push_back({word, ""});
    const bool replaced = words.size() == 1 && !words.front().starts_with("as ");
    l.known = replaced ? knowledge::decided : knowledge::by_preset;
    return l;
  }
  [[nodiscard]] std::string word_beside_preset(const hypothesis& r, dimension d) const {
    hypothesis own = plain_recipe(format_);
    own.axes = r.axes;
    own.follow(r.variant());
    if (word_of(r, d) != word_of(own, d)) return word_of(r, d);
    return "as " + word_of(r, dimension::variant);
  }
  /// What the nearest recipe has, if some block speaks for one.
  [[nodiscard]] card_line unknown(card_line l, dimension d) const {
    l.known = knowledge::unknown;
    if (found_.nearest.empty()) return l;
    const hypothesis& near = found_.nearest.front().rules;
    const bool preset = !is_of_storage(d) && !has_rules(near);
    l.values = {{preset ? "as " + word_of(near, dimension::variant) : word_of(near, d), ""}};
    l.note = "that of the nearest";
    return l;
  }

  /// A property visible in scales or codes even if none of its rules explains the whole output.
  [[nodiscard]] card_line observed_line(dimension d, const std::vector<agreement>& seen) {
    if (ruled_) return line(d);
    // The output shows the rules of all blocks, those of the part included.
    if (!found_.part.empty()) return line(d);
    card_line l{std::string(name_of(d)), {}, knowledge::unknown, ""};
    for (const agreement& a : seen) {
      if (a.blocks == a.of && a.of > 0) l.values.push_back({a.name, ""});
    }
    if (!l.values.empty()) l.known = l.values.size() == 1 ? knowledge::decided : knowledge::equal;
    if (!l.values.empty() || seen.empty()) return l;
    l.note = "none fits every ordinary block; nearest: " + seen.front().name + ", " +
             std::to_string(seen.front().blocks) + " of " + std::to_string(seen.front().of);
    return l;
  }

  const mx::block_format& format_;
  std::span<const validator::subject> subjects_;
  recipe_search search_;
  const search_result& found_;
  const std::vector<hypothesis>& fitting_;
  observed_output observed_;
  bool ruled_;
  recipe_differences differences_;
  std::map<dimension, std::vector<hypothesis>> values_;
};

}  // namespace

variant_card card_of(const mx::block_format& f, std::span<const validator::subject> subjects,
                     const search_progress& progress) {
  return card_writer(f, subjects, progress).card();
}

}  // namespace golden::probe
