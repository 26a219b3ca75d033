// SPDX-License-Identifier: Apache-2.0
// golden/probe/partition.h: a partition of things not yet distinguished, and the selection of
// candidates that refine it, generic in things and candidates.
#pragma once
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace golden::probe {

/// 0, 1, ... below a count.
[[nodiscard]] inline std::vector<std::size_t> first_numbers(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

class partition {
 public:
  /// One group of all things.
  explicit partition(std::vector<std::size_t> all) : all_(std::move(all)) { begin_again(); }

  void begin_again() { groups_ = {all_}; }
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& all() const { return groups_; }

  /// Splits groups by what their members show; returns whether any was split.
  ///   shown  a function of a member that returns a std::string, or a view of one that lives on
  template <class Show>
  bool split_by(const Show& shown) {
    std::vector<std::vector<std::size_t>> finer;
    for (std::vector<std::size_t>& group : groups_) {
      if (group.size() == 1) {
        finer.push_back(std::move(group));
        continue;
      }
      std::map<decltype(shown(std::size_t{})), std::vector<std::size_t>> parts;
      for (const std::size_t k : group) parts[shown(k)].push_back(k);
      for (auto& [bytes, part] : parts) finer.push_back(std::move(part));
    }
    const bool split = finer.size() > groups_.size();
    groups_ = std::move(finer);
    return split;
  }

 private:
  std::vector<std::size_t> all_;
  std::vector<std::vector<std::size_t>> groups_;
};

/// What things show for candidates, made once: a selection asks for the same again and again.
///   Candidate  ordered
template <class Candidate>
class shown_once {
 public:
  using make = std::function<std::string(const Candidate&, std::size_t)>;

  ///   what  of a candidate and a member
  explicit shown_once(make what) : make_(std::move(what)) {}

  /// A view that lives as long as this object.
  std::string_view operator()(const Candidate& c, std::size_t member) const {
    std::vector<const std::string*>& known = known_[c];
    if (known.size() <= member) known.resize(member + 1);
    if (known[member] == nullptr) known[member] = &*distinct_.insert(make_(c, member)).first;
    return *known[member];
  }

 private:
  make make_;
  mutable std::map<Candidate, std::vector<const std::string*>> known_;
  mutable std::set<std::string> distinct_;
};

/// The first candidates that each split a group when added, at most `most`.
///   shown  a function of a candidate and a member
template <class Candidate, class Show>
[[nodiscard]] std::vector<Candidate> splitting(const std::vector<Candidate>& candidates,
                                               std::size_t most, partition& groups,
                                               const Show& shown) {
  std::vector<Candidate> taken;
  for (const Candidate& c : candidates) {
    if (taken.size() == most) break;
    if (groups.split_by([&](std::size_t k) { return shown(c, k); })) taken.push_back(c);
  }
  return taken;
}

/// Rounds of candidates beside those taken, each of which splits all things anew, until `most` are
/// taken or none splits.
///   beside   a function of those taken so far      returns  the ones added
template <class Candidate, class Beside, class Show>
[[nodiscard]] std::vector<Candidate> further(std::vector<Candidate> taken, std::size_t most,
                                             partition& groups, const Beside& beside,
                                             const Show& shown) {
  std::vector<Candidate> added;
  while (taken.size() < most) {
    groups.begin_again();
    const std::vector<Candidate> round =
        splitting(beside(taken), most - taken.size(), groups, shown);
    if (round.empty()) break;
    taken.insert(taken.end(), round.begin(), round.end());
    added.insert(added.end(), round.begin(), round.end());
  }
  return added;
}

/// Number of groups that some candidates produce.
template <class Candidate, class Show>
[[nodiscard]] std::size_t groups_by(const std::vector<Candidate>& candidates, partition& groups,
                                    const Show& shown) {
  groups.begin_again();
  for (const Candidate& c : candidates) {
    groups.split_by([&](std::size_t k) { return shown(c, k); });
  }
  return groups.all().size();
}

/// Drops candidates, first taken first, without which the rest distinguishes as much.
template <class Candidate, class Show>
[[nodiscard]] std::vector<Candidate> without_needless(std::vector<Candidate> taken,
                                                      partition& groups, const Show& shown) {
  const std::size_t all = groups_by(taken, groups, shown);
  for (std::size_t k = 0; k < taken.size();) {
    std::vector<Candidate> rest = taken;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    if (groups_by(rest, groups, shown) == all) {
      taken = std::move(rest);
    } else {
      ++k;
    }
  }
  static_cast<void>(groups_by(taken, groups, shown));
  return taken;
}

}  // namespace golden::probe
