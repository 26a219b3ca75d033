// SPDX-License-Identifier: Apache-2.0
// golden/probe/observed_rules.cpp: compares every block with what the core computes under each
// rule.
#include "golden/probe/observed_rules.h"

#include <algorithm>
#include <cmath>

#include "golden/probe/known_recipes.h"
#include "golden/validator/tensor/dimension_words.h"
#include "mx/block/block_quantizer.h"
#include "mx/block/names.h"
#include "mx/tensor/parallel.h"

namespace golden::probe {
namespace {

using validator::dimension;
using validator::extent_memory;
using validator::hypothesis;
using validator::prediction;
using validator::subject;

/// Calls work(prediction, block) for ordinary blocks, tensor by tensor.
template <class Work>
void for_each_ordinary(const hypothesis& r, std::span<const subject> subjects,
                       const block_sort& sorted, const Work& work) {
  extent_memory extents;
  for (std::size_t t = 0; t < subjects.size(); ++t) {
    if (!fitting(r, subjects[t])) continue;
    const prediction p(r, subjects[t], extents);
    for (const block_sort::place& at : sorted.of(block_sort::kind::ordinary)) {
      if (at.tensor == t) work(p, at.block);
    }
  }
}

hypothesis with_rules(const hypothesis& storage, const hypothesis& rules) {
  hypothesis r = storage;
  r.follow(nullptr);
  r.arithmetic = nullptr;
  r.recipe.rules.rule = rules.recipe.rules.rule;
  r.recipe.rules.rounding = rules.recipe.rules.rounding;
  return r;
}

mx::unpacked tensor_scale_of(const prediction& p, std::uint64_t block) {
  const std::vector<float>& scales = p.tensor_scales();
  if (scales.empty()) return mx::no_tensor_scale;
  const std::uint64_t row = p.where().vector_of(p.where().place(block));
  return mx::unpack(scales[scales.size() == 1 ? 0 : row]);
}

/// Whether the scale of a block is that of a rule.
bool has_scale_of(const prediction& p, std::uint64_t block) {
  validator::predicted_block made;
  p.make(block, made);
  return made.scale == found_at(p, block).scale;
}

/// Whether the codes of a block are those of a rounding under the stored scale.
bool has_codes_of(const prediction& p, std::uint64_t block) {
  const mx::quantization& q = p.kernel().recipe.rules;
  const validator::found_block found = found_at(p, block);
  const mx::unpacked tensor = tensor_scale_of(p, block);
  if (mx::is_special_scale(q.format, found.scale, tensor)) return false;
  validator::predicted_block made;
  p.make(block, made);
  const mx::scale_ratio ratio = mx::ratio_of(q.format, found.scale, tensor);
  const std::uint32_t magnitude = q.format.element.magnitude_mask();
  for (std::size_t k = 0; k < made.given.size(); ++k) {
    const std::uint32_t code =
        mx::element_code(q.format.element, mx::unpack(made.given[k]), ratio, q.rounding);
    const bool zeros = (code & magnitude) == 0 && (found.codes[k] & magnitude) == 0;
    if (code != found.codes[k] && !zeros) return false;
  }
  return true;
}

/// Name of a kind of special block.
std::string kind_name(const std::vector<float>& x) {
  const auto any = [&x](auto test) { return std::any_of(x.begin(), x.end(), test); };
  const bool nan = any([](float v) { return std::isnan(v); });
  const bool inf = any([](float v) { return std::isinf(v); });
  const bool finite = any([](float v) { return std::isfinite(v) && v != 0; });
  std::string what = nan && inf ? "NaN and Inf" : (nan ? "NaN" : "Inf");
  if (!nan && !inf) return "zeros";
  return what + (finite ? " beside numbers" : " without numbers");
}

/// One number of each kind: NaN and Inf by sign, zeros by sign, numbers by sign.
int element_kind(float x) {
  const int sign = std::signbit(x) ? 1 : 0;
  if (std::isnan(x)) return sign;
  if (std::isinf(x)) return 2 + sign;
  return (x == 0 ? 4 : 6) + sign;
}

}  // namespace

observed_output::observed_output(const hypothesis& storage, std::span<const subject> subjects)
    : storage_(storage),
      subjects_(subjects),
      sorted_(with_rules(storage, plain_recipe(storage.format())), subjects) {
  storage_.subnormals = validator::subnormal_rule::kept;
  const bool stored = std::all_of(subjects.begin(), subjects.end(),
                                  [](const subject& s) { return !s.tensor_scales.empty(); });
  if (stored) storage_.above = validator::tensor_source::as_stored;
}

/// The rules of a dimension, the others being the format's own, by the blocks that agree with them.
///   is_other  whether a rule of another dimension is not the format's own
template <class Rule, class Agrees>
std::vector<agreement> observed_output::agreements(dimension d, const Rule& is_other,
                                                   const Agrees& agrees) const {
  std::vector<known_recipe> rules = ruled_recipes(storage_.format());
  std::erase_if(rules, [&](const known_recipe& k) { return is_other(k.rules.recipe.rules); });
  std::vector<agreement> list(rules.size());
  mx::for_each_in_parallel(rules.size(), [&](std::size_t k) {
    agreement& a = list[k];
    a.name = word_of(rules[k].rules, d);
    const hypothesis r = with_rules(storage_, rules[k].rules);
    for_each_ordinary(r, subjects_, sorted_, [&](const prediction& p, std::uint64_t block) {
      ++a.of;
      a.blocks += agrees(p, block) ? 1 : 0;
    });
  });
  std::stable_sort(list.begin(), list.end(),
                   [](const agreement& a, const agreement& b) { return a.blocks > b.blocks; });
  return list;
}

std::vector<agreement> observed_output::scale_rules() const {
  return agreements(
      dimension::scale_rule,
      [](const mx::quantization& q) { return q.rounding != mx::rounding::ties_to_even; },
      has_scale_of);
}

std::vector<agreement> observed_output::roundings() const {
  return agreements(
      dimension::element_rounding,
      [](const mx::quantization& q) { return q.rule != mx::default_rule(q.format); }, has_codes_of);
}

std::vector<special_outcome> observed_output::specials() const {
  std::vector<special_outcome> list;
  extent_memory extents;
  const hypothesis r = with_rules(storage_, plain_recipe(storage_.format()));
  for (const auto kind : {block_sort::kind::zero, block_sort::kind::special}) {
    for (const block_sort::place& at : sorted_.of(kind)) {
      const prediction p(r, subjects_[at.tensor], extents);
      if (!fits(p.where(), subjects_[at.tensor])) continue;
      validator::predicted_block made;
      p.make(at.block, made);
      special_outcome seen{kind_name(made.given), 0, {}};
      if (std::any_of(list.begin(), list.end(),
                      [&](const special_outcome& o) { return o.what == seen.what; })) {
        continue;
      }
      const validator::found_block found = found_at(p, at.block);
      seen.scale = found.scale;
      unsigned known = 0;
      for (std::size_t k = 0; k < made.given.size(); ++k) {
        const unsigned bit = 1U << element_kind(made.given[k]);
        if ((known & bit) == 0) seen.elements.emplace_back(made.given[k], found.codes[k]);
        known |= bit;
      }
      list.push_back(std::move(seen));
    }
  }
  return list;
}

}  // namespace golden::probe
