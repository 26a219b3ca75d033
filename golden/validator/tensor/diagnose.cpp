// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/diagnose.cpp: the search: candidates on a sample first, the remaining
// ones on every byte.
#include "diagnose.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "alternatives.h"
#include "change_words.h"
#include "golden/validator/places/part_search.h"
#include "mx/tensor/parallel.h"
#include "preference.h"
#include "stochastic_neighbours.h"
#include "trailing.h"

namespace golden::validator {
namespace {

constexpr std::uint64_t sampled = 64;

/// Elements whose blocks are checked first: those that differ in every tensor, then others; later
/// those that refuted a hypothesis which had passed.
struct sample {
  std::vector<std::uint64_t> differing, others, refuting;
};

/// Adds a block's first element; blocks of padding alone have none.
void add_first(const geometry& g, std::uint64_t block, std::vector<std::uint64_t>& list) {
  const block_place at = g.place(block);
  const std::uint64_t first = at.along * g.columns();
  if (first < g.shape().length) list.push_back(g.value_at(at, 0, first));
}

sample sample_of(const hypothesis& declared, const subject& s, const tensor_result& result) {
  sample elements;
  const std::optional<geometry> g = geometry::of(declared, s);
  for (const std::uint64_t block : result.found.blocks) add_first(*g, block, elements.differing);
  const std::uint64_t count = std::min(sampled, g->blocks());
  for (std::uint64_t k = 0; k < count; ++k) {
    add_first(*g, g->blocks() / count * k, elements.others);
  }
  return elements;
}

/// The changes that are paired: all; or those of what was declared, which no preset replaces.
enum class pair_reach : std::uint8_t { all, declared };

/// State of the search.
class search {
 public:
  search(const hypothesis& declared, std::span<const subject> subjects,
         const std::vector<tensor_result>& results)
      : declared_(declared), subjects_(subjects) {
    for (std::size_t k = 0; k < subjects.size(); ++k) {
      samples_.push_back(sample_of(declared, subjects[k], results[k]));
    }
    list_ = alternatives_of(declared, subjects, traits_of(declared, subjects));
    append_further_alternatives(declared, list_);
  }

  /// Hypotheses of one change.
  [[nodiscard]] std::vector<explanation> of_one() {
    std::vector<candidate> all;
    for (std::size_t k = 0; k < list_.size(); ++k) all.push_back({k, k});
    return survivors(all);
  }
  /// Hypotheses of two changes.
  [[nodiscard]] std::vector<explanation> of_two(pair_reach reach) {
    const auto is_paired = [&](const alternative& a) {
      const bool preset = a.what == dimension::variant || a.what == dimension::operation_order;
      return a.with != company::alone && !(preset && reach == pair_reach::declared);
    };
    std::vector<candidate> all;
    for (std::size_t j = 0; j < list_.size(); ++j) {
      for (std::size_t k = j + 1; k < list_.size(); ++k) {
        const bool paired = is_paired(list_[j]) && is_paired(list_[k]);
        if (paired && list_[j].what != list_[k].what) all.push_back({j, k});
      }
    }
    return survivors(all);
  }

 private:
  /// Indices into the list; equal ones: one change.
  struct candidate {
    std::size_t first, second;
  };

  [[nodiscard]] hypothesis kernel_of(const candidate& c) const {
    hypothesis r = declared_;
    list_[c.first].apply(r);
    if (c.second != c.first) list_[c.second].apply(r);
    return r;
  }

  [[nodiscard]] bool is_candidate(const hypothesis& r) const {
    if (r == declared_ || !is_possible(r) || !fits_all(r, subjects_)) return false;
    const auto keeps = [&](const subject& s) { return geometry::of(r, s)->keeps_scales(); };
    if (std::none_of(subjects_.begin(), subjects_.end(), keeps)) return false;
    return !std::all_of(subjects_.begin(), subjects_.end(),
                        [&](const subject& s) { return is_all_unwritten(r, s); });
  }

  [[nodiscard]] bool explains_part(const hypothesis& r, std::vector<std::uint64_t> sample::*part) {
    for (std::size_t k = 0; k < subjects_.size(); ++k) {
      if ((samples_[k].*part).empty()) continue;
      const prediction p(r, subjects_[k], extents_);
      if (p.differing_numbers()) return false;
      for (const std::uint64_t element : samples_[k].*part) {
        if (!explains_block(p, p.where().block_of(element))) return false;
      }
    }
    return true;
  }
  [[nodiscard]] bool explains_sample(const hypothesis& r) {
    // A sample of a whole tensor costs as much as all of it.
    if (is_of_whole(r)) return true;
    return explains_part(r, &sample::differing) && explains_part(r, &sample::others);
  }

  /// Whether a hypothesis gives every byte. Many fail on the same rare block, which is kept.
  [[nodiscard]] bool explains(const hypothesis& r) {
    if (!is_of_whole(r) && !explains_part(r, &sample::refuting)) return false;
    for (std::size_t k = 0; k < subjects_.size(); ++k) {
      const prediction p(r, subjects_[k], extents_);
      const std::optional<refutation> why = refuted(p);
      if (why && why->block) add_first(p.where(), *why->block, samples_[k].refuting);
      if (why) return false;
    }
    return true;
  }

  [[nodiscard]] explanation described(const candidate& c) {
    explanation h{{}, kernel_of(c)};
    for (const std::size_t at : {c.first, c.second}) {
      const change made = change_of(list_[at].what, declared_, h.kernel, subjects_);
      if (h.changes.empty() || h.changes.front() != made) h.changes.push_back(made);
    }
    return h;
  }

  /// Both changes of a pair must remain in effect: one must not undo the other.
  [[nodiscard]] bool is_new(const explanation& h, const std::vector<explanation>& known) const {
    if (std::any_of(h.changes.begin(), h.changes.end(),
                    [](const change& c) { return c.expected == c.found; })) {
      return false;
    }
    return std::none_of(known.begin(), known.end(),
                        [&](const explanation& k) { return k.changes == h.changes; });
  }

  std::vector<explanation> survivors(const std::vector<candidate>& all) {
    std::vector<char> passed(all.size(), 0);
    mx::for_each_in_parallel(all.size(), [&](std::size_t k) {
      const hypothesis r = kernel_of(all[k]);
      passed[k] = is_candidate(r) && explains_sample(r) ? 1 : 0;
    });
    std::vector<explanation> left;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (passed[k] == 0) continue;
      explanation h = described(all[k]);
      if (is_new(h, left) && explains(h.kernel)) left.push_back(std::move(h));
    }
    return left;
  }

  const hypothesis& declared_;
  std::span<const subject> subjects_;
  std::vector<sample> samples_;
  std::vector<alternative> list_;
  extent_memory extents_;
};

std::vector<tensor_result> compared(const hypothesis& declared, std::span<const subject> subjects,
                                    const mx::blocks_done& done) {
  std::vector<tensor_result> results;
  extent_memory extents;
  for (const subject& s : subjects) {
    const std::optional<geometry> g = geometry::of(declared, s);
    if (!g) throw std::logic_error("a hypothesis that does not go with the tensor");
    tensor_result result{s.name,
                         s.shown.empty() ? s.name : s.shown,
                         s.type,
                         s.elements(),
                         s.shape.empty() ? 1 : s.shape.back(),
                         s.codes.size(),
                         s.scales.size(),
                         fits(*g, s),
                         {}};
    if (result.fits) result.found = compare(prediction(declared, s, extents), done);
    results.push_back(std::move(result));
  }
  return results;
}

/// Adds an explanation of one tensor to that of all.
void append(const explanation& one, const std::string& tensor, explanation& all) {
  for (change c : one.changes) {
    c.found += (one.where.empty() ? " in all of " : " of ") + tensor;
    all.changes.push_back(std::move(c));
  }
  all.where += (all.where.empty() ? "" : " and ") + (one.where.empty() ? "all" : one.where) +
               " of " + tensor;
}

/// Every tensor that differs by one change of its own; none where only one differs.
std::vector<explanation> explained_one_by_one(const hypothesis& declared,
                                              std::span<const subject> subjects,
                                              std::span<const tensor_result> results) {
  const auto differs = [](const tensor_result& r) { return r.differs(); };
  if (std::count_if(results.begin(), results.end(), differs) < 2) return {};
  explanation all{{}, declared};
  for (std::size_t k = 0; k < subjects.size(); ++k) {
    if (!results[k].differs()) continue;
    const diagnosis alone = diagnose(declared, subjects.subspan(k, 1), {1});
    if (!alone.explanation) return {};
    append(*alone.explanation, results[k].shown, all);
  }
  return {std::move(all)};
}

}  // namespace

std::uint64_t diagnosis::elements() const {
  return std::accumulate(tensors.begin(), tensors.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& r) { return sum + r.elements; });
}

std::uint64_t diagnosis::mismatches() const {
  return std::accumulate(tensors.begin(), tensors.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& r) { return sum + r.mismatches(); });
}

std::uint64_t diagnosis::padding() const {
  return std::accumulate(tensors.begin(), tensors.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& r) { return sum + r.found.padding; });
}

std::size_t diagnosis::first_differing() const {
  std::size_t k = 0;
  while (!tensors[k].differs()) ++k;
  return k;
}

nan_alone diagnosis::nan() const {
  nan_alone all = nan_alone::no;
  for (const tensor_result& r : tensors) {
    if (!r.differs()) continue;
    if (r.found.nan == nan_alone::no) return nan_alone::no;
    all = std::max(all, r.found.nan);
  }
  return all;
}

diagnosis diagnose(const hypothesis& declared, std::span<const subject> subjects,
                   search_depth depth, const mx::blocks_done& done) {
  diagnosis result;
  result.tensors = compared(declared, subjects, done);
  const auto differs = [](const tensor_result& r) { return r.differs(); };
  if (std::none_of(result.tensors.begin(), result.tensors.end(), differs)) return result;
  result.verdict = verdict::unexplained;
  if (depth.changes < 1) return result;
  search looking(declared, subjects, result.tensors);
  std::vector<explanation> left = looking.of_one();
  if (depth.changes > 1 && !left.empty() && are_foreign_presets(left)) {
    // Two changes of what was declared are less than the rules of a project that nobody named.
    std::ranges::move(looking.of_two(pair_reach::declared), std::back_inserter(left));
  }
  if (result.nan() != nan_alone::no) {
    left = of_nan(declared, result.nan(), std::move(left));
  }
  if (left.empty() && depth.reach == search_reach::parts) {
    left = explained_in_parts(declared, subjects, result.tensors);
  }
  if (left.empty() && depth.changes > 1) left = looking.of_two(pair_reach::all);
  if (left.empty()) {
    std::optional<explanation> drawn = drawn_otherwise(declared, subjects);
    if (drawn) left.push_back(std::move(*drawn));
  }
  if (left.empty() && depth.reach == search_reach::parts) {
    left = explained_one_by_one(declared, subjects, result.tensors);
  }
  if (left.empty()) return result;
  left = preferred(std::move(left));
  result.verdict = verdict::explained;
  result.explanation = std::move(left.front());
  for (std::size_t k = 1; k < left.size(); ++k) {
    std::optional<telling_probe> probe =
        telling(result.explanation->kernel, left[k].kernel, subjects.front().type);
    result.ambiguous.push_back({std::move(left[k]), std::move(probe)});
  }
  return result;
}

}  // namespace golden::validator
