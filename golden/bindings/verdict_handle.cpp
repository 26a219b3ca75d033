// SPDX-License-Identifier: Apache-2.0
// golden/bindings/verdict_handle.cpp: access to the contents of a verdict.
#include "golden/bindings/verdict_handle.h"

namespace bindings {
namespace {

const mx_verdict& verdict_of(const mx_verdict* handle) {
  require(handle != nullptr, "the verdict is null");
  return *handle;
}

template <class T>
const T& numbered(const std::vector<T>& list, std::uint64_t number, const char* sentence) {
  require(number < list.size(), sentence);
  return list[number];
}

template <class T>
const T& required(const std::optional<T>& value, const char* sentence) {
  require(value.has_value(), sentence);
  return *value;
}

const owned_explanation& explanation_of(const mx_verdict* verdict, std::uint64_t number) {
  return numbered(verdict_of(verdict).explanations, number, "explanation number is out of range");
}

mx_verdict_facts facts_of(const mx_verdict& v) {
  mx_verdict_facts facts = v.facts;
  facts.explanations = v.explanations.size();
  facts.candidates = v.candidates.size();
  facts.distinctions = v.distinctions.size();
  facts.has_bound = v.bound ? 1 : 0;
  facts.bound_exceeded = v.bound ? v.bound->facts.exceeded : 0;
  facts.text = v.text.c_str();
  return facts;
}

mx_explanation facts_of(const owned_explanation& e) {
  mx_explanation facts = {};
  facts.changes = e.changes.size();
  facts.telling = e.telling;
  facts.text = e.text.c_str();
  if (!e.probe) return facts;
  facts.probe = e.probe->what.c_str();
  facts.probe_block = e.probe->block.data();
  facts.probe_count = e.probe->block.size();
  return facts;
}

mx_change facts_of(const owned_change& c) {
  return {0, c.dimension.c_str(), c.expected.c_str(), c.found.c_str()};
}

mx_difference facts_of(const owned_difference& d) {
  mx_difference facts = d.facts;
  facts.index = d.index.empty() ? nullptr : d.index.data();
  facts.index_count = d.index.size();
  facts.block_bits = d.block_bits.empty() ? nullptr : d.block_bits.data();
  facts.block_count = d.block_bits.size();
  facts.text = d.text.c_str();
  return facts;
}

mx_candidate facts_of(const owned_candidate& c) {
  mx_candidate facts = c.facts;
  facts.name = c.name.c_str();
  facts.evidence = c.evidence.c_str();
  return facts;
}

mx_distinction facts_of(const owned_distinction& d) {
  return {0, d.model.c_str(), d.from.c_str(), d.pointers.data(), d.pointers.size()};
}

mx_bound facts_of(const owned_bound& b) {
  mx_bound facts = b.facts;
  facts.model = b.model.c_str();
  return facts;
}

mx_breach facts_of(const owned_breach& b) {
  mx_breach facts = b.facts;
  facts.exact = b.exact.c_str();
  facts.error = b.error.c_str();
  facts.bound = b.bound.c_str();
  return facts;
}

const owned_bound& bound_of(const mx_verdict* verdict) {
  return required(verdict_of(verdict).bound, "the verdict has no bound");
}

const owned_breach& breach_of(const mx_verdict* verdict, std::int32_t which) {
  require(which == mx_breach_first || which == mx_breach_worst, "which is out of range");
  const owned_bound& bound = bound_of(verdict);
  return required(which == mx_breach_first ? bound.first : bound.worst,
                  "no element exceeds its bound");
}

}  // namespace
}  // namespace bindings

void mx_verdict_destroy(mx_verdict* verdict) { delete verdict; }

mx_status mx_verdict_describe(const mx_verdict* verdict, mx_verdict_facts* facts, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::write(facts, bindings::facts_of(bindings::verdict_of(verdict)), "mx_verdict_facts");
  });
}

mx_status mx_explanation_describe(const mx_verdict* verdict, uint64_t number,
                                  mx_explanation* explanation, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::write(explanation, bindings::facts_of(bindings::explanation_of(verdict, number)),
                    "mx_explanation");
  });
}

mx_status mx_change_describe(const mx_verdict* verdict, uint64_t explanation, uint64_t number,
                             mx_change* change, mx_error* error) {
  return bindings::guarded(error, [&] {
    const auto& changes = bindings::explanation_of(verdict, explanation).changes;
    bindings::write(
        change,
        bindings::facts_of(bindings::numbered(changes, number, "change number is out of range")),
        "mx_change");
  });
}

mx_status mx_difference_describe(const mx_verdict* verdict, mx_difference* difference,
                                 mx_error* error) {
  return bindings::guarded(error, [&] {
    const auto& first = bindings::verdict_of(verdict).difference;
    bindings::write(
        difference,
        bindings::facts_of(bindings::required(first, "the verdict has no difference of a tensor")),
        "mx_difference");
  });
}

mx_status mx_candidate_describe(const mx_verdict* verdict, uint64_t number, mx_candidate* candidate,
                                mx_error* error) {
  return bindings::guarded(error, [&] {
    const auto& all = bindings::verdict_of(verdict).candidates;
    bindings::write(
        candidate,
        bindings::facts_of(bindings::numbered(all, number, "candidate number is out of range")),
        "mx_candidate");
  });
}

mx_status mx_distinction_describe(const mx_verdict* verdict, uint64_t number,
                                  mx_distinction* distinction, mx_error* error) {
  return bindings::guarded(error, [&] {
    const auto& all = bindings::verdict_of(verdict).distinctions;
    bindings::write(
        distinction,
        bindings::facts_of(bindings::numbered(all, number, "distinction number is out of range")),
        "mx_distinction");
  });
}

mx_status mx_bound_describe(const mx_verdict* verdict, mx_bound* bound, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::write(bound, bindings::facts_of(bindings::bound_of(verdict)), "mx_bound");
  });
}

mx_status mx_breach_describe(const mx_verdict* verdict, int32_t which, mx_breach* breach,
                             mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::write(breach, bindings::facts_of(bindings::breach_of(verdict, which)), "mx_breach");
  });
}
