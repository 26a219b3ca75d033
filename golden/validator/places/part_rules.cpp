// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/part_rules.cpp: other rules in a part of a tensor alone. All bytes
// outside of a part with every difference are as declared, so that those inside decide.
#include "part_rules.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "golden/validator/tensor/dimension_words.h"
#include "golden/validator/tensor/trailing.h"
#include "mx/tensor/parallel.h"
#include "places_words.h"

namespace golden::validator {
namespace {

/// Codes and scale of one block, as far as they are in the part.
bool explains_inside(const prediction& p, const part& in, std::uint64_t block,
                     predicted_block& made) {
  const geometry& g = p.where();
  const block_place at = g.place(block);
  const std::uint64_t columns = p.of().shape.back();
  bool any = false, same = true;
  for_codes(g, at, [&](std::uint64_t k, std::uint64_t row, std::uint64_t position) {
    if (!same) return;
    // Padding belongs to the end of its line.
    const std::uint64_t last = g.shape().length - 1;
    const std::uint64_t element = g.value_at(at, row, std::min(position, last));
    if (!in.contains(element / columns, element % columns)) return;
    if (!any) p.make(block, made);
    any = true;
    same = made.codes[k] == code_in(p.found_codes(), g.code_at(at, row, position));
  });
  return same && (!any || explains_scale(p, block, made));
}

bool explains_all_inside(const prediction& p, const part& in) {
  std::atomic<bool> same{true};
  mx::in_parallel({0, p.where().blocks()}, 128, [&](mx::index_range blocks) {
    predicted_block space;
    for (std::uint64_t b = blocks.first; b < blocks.last && same; ++b) {
      if (!explains_inside(p, in, b, space)) same = false;
    }
  });
  return same;
}

/// Whether a scale is written in a part: zeros that are shifted in are no sign of a shift.
bool keeps_scales_inside(const prediction& p, const part& in) {
  const geometry& g = p.where();
  if (p.kernel().placement.end != motion_end::zeros) return true;
  const std::uint64_t columns = p.of().shape.back();
  for (std::uint64_t b = 0; b < g.blocks(); ++b) {
    const block_place at = g.place(b);
    const std::uint64_t element = g.value_at(at, 0, at.along * g.columns());
    if (g.scale_source(b) && in.contains(element / columns, element % columns)) return true;
  }
  return false;
}

/// The places of whole blocks, where two codes of a byte may change places.
pattern of_whole_blocks(const pattern& p, std::uint64_t block, std::uint64_t extent) {
  const bool aligned = p.first % block == 0 && p.period % block == 0;
  const bool ends = (p.last + 1) % block == 0 || p.last + 1 == extent;
  if (aligned && ends && (p.period == 0 || p.length % block == 0)) return p;
  return {p.first / block * block, std::min((p.last / block + 1) * block, extent) - 1};
}

class rule_search {
 public:
  rule_search(const hypothesis& declared, std::span<const subject> subjects,
              std::span<const tensor_result> results)
      : declared_(declared), subjects_(subjects), results_(results) {
    std::size_t most = 0;
    std::vector<std::vector<part>> around;
    for (const tensor_result& r : results) {
      around.push_back(r.differs() ? parts_around(r.found.where.elements) : std::vector<part>{});
      most = std::max(most, around.back().size());
    }
    for (std::size_t k = 0; k < most; ++k) candidates_.push_back(candidate(around, k));
    std::erase_if(candidates_, [this](const parts& p) { return is_everything(p); });
  }

  [[nodiscard]] std::vector<explanation> found() {
    const alternative_list list =
        alternatives_of(declared_, subjects_, traits_of(declared_, subjects_));
    std::vector<explanation> left = found_in(list, [](dimension d) { return is_rule(d); });
    if (left.empty()) left = found_in(list, [](dimension d) { return is_preset(d); });
    return left;
  }

 private:
  static bool is_rule(dimension d) {
    using enum dimension;
    constexpr std::array rules{scale_rule,   element_rounding, nibble_order,
                               scale_layout, scale_offset,     nan_rule,
                               zero_rule,    subnormals,       input_precision};
    return std::find(rules.begin(), rules.end(), d) != rules.end();
  }
  static bool is_preset(dimension d) {
    return d == dimension::variant || d == dimension::operation_order;
  }

  static parts candidate(const std::vector<std::vector<part>>& around, std::size_t k) {
    parts chosen;
    for (const std::vector<part>& list : around) {
      chosen.emplace_back();
      if (!list.empty()) chosen.back() = list[std::min(k, list.size() - 1)];
    }
    return chosen;
  }
  [[nodiscard]] bool is_everything(const parts& p) const {
    for (std::size_t k = 0; k < p.size(); ++k) {
      if (!p[k] || !p[k]->covers(results_[k].found.where.elements)) return false;
    }
    return true;
  }

  /// Same blocks, at the same places of the file but for the order of codes in a byte.
  [[nodiscard]] bool is_comparable(const hypothesis& r, dimension what) const {
    hypothesis stored = declared_;
    if (what == dimension::nibble_order) stored.recipe.codes.nibbles = r.recipe.codes.nibbles;
    if (what == dimension::scale_layout) stored.placement = r.placement;
    const bool same = r.recipe.codes == stored.recipe.codes &&
                      r.recipe.layout == stored.recipe.layout && r.placement == stored.placement;
    if (r.placement.motion == scale_motion::transposed) return false;
    return same && !(r == declared_) && is_possible(r) && fits_all(r, subjects_);
  }

  /// A part that is closed under the exchange of codes that share a byte.
  [[nodiscard]] part closed(const part& p, std::size_t k) const {
    const matrix_places& m = results_[k].found.where.elements;
    const auto block = static_cast<std::uint64_t>(declared_.format().columns);
    if (declared_.axis == 0) return {p.rows, of_whole_blocks(p.columns, block, m.columns.extent)};
    return {{0, m.rows.extent - 1}, p.columns};
  }

  [[nodiscard]] bool explains(const hypothesis& r, const parts& in) {
    for (std::size_t k = 0; k < subjects_.size(); ++k) {
      if (!in[k]) continue;
      const prediction p(r, subjects_[k], extents_);
      predicted_block space;
      const std::vector<std::uint64_t>& sample = results_[k].found.blocks;
      const bool sampled = std::all_of(sample.begin(), sample.end(), [&](std::uint64_t b) {
        return explains_inside(p, *in[k], b, space);
      });
      if (!sampled || !explains_all_inside(p, *in[k]) || !keeps_scales_inside(p, *in[k])) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::optional<parts> simplest(const hypothesis& r, dimension what) {
    for (parts in : candidates_) {
      if (what == dimension::nibble_order) {
        for (std::size_t k = 0; k < in.size(); ++k) {
          if (in[k]) in[k] = closed(*in[k], k);
        }
        if (is_everything(in)) continue;
      }
      if (explains(r, in)) return in;
    }
    return {};
  }

  [[nodiscard]] std::string text_of(const parts& in) const {
    std::string text;
    for (std::size_t k = 0; k < in.size(); ++k) {
      if (!in[k]) continue;
      const std::string part = part_text(results_[k].found.where, *in[k]);
      text += (text.empty() ? "" : " and ") + (part.empty() ? "all" : part);
      if (in.size() > 1) text += " of " + results_[k].shown;
    }
    return text;
  }

  template <class Chosen>
  std::vector<explanation> found_in(const alternative_list& list, const Chosen& is_chosen) {
    std::vector<std::optional<parts>> where(list.size());
    std::vector<hypothesis> kernels(list.size(), declared_);
    mx::for_each_in_parallel(list.size(), [&](std::size_t k) {
      if (!is_chosen(list[k].what) || list[k].with == company::alone) return;
      list[k].apply(kernels[k]);
      if (is_comparable(kernels[k], list[k].what)) where[k] = simplest(kernels[k], list[k].what);
    });
    std::vector<explanation> left;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!where[k]) continue;
      const std::string expected = word_of(declared_, list[k].what);
      const std::string found = word_of(kernels[k], list[k].what);
      const std::string text = text_of(*where[k]);
      explanation e{{{name_of(list[k].what), expected, found + " in " + text}}, kernels[k], text};
      const bool known = std::any_of(left.begin(), left.end(), [&](const explanation& other) {
        return other.changes == e.changes;
      });
      if (expected != found && !known) left.push_back(std::move(e));
    }
    return left;
  }

  const hypothesis& declared_;
  std::span<const subject> subjects_;
  std::span<const tensor_result> results_;
  std::vector<parts> candidates_;
  extent_memory extents_;
};

}  // namespace

std::vector<explanation> rules_in_parts(const hypothesis& declared,
                                        std::span<const subject> subjects,
                                        std::span<const tensor_result> results) {
  return rule_search(declared, subjects, results).found();
}

}  // namespace golden::validator
