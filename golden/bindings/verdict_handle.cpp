// SPDX-License-Identifier: Apache-2.0
// golden/bindings/verdict_handle.cpp: access to what verdicts of tensors and of products share:
// their facts and explanations.
#include "golden/bindings/verdict_handle.h"

#include <utility>

#include "golden/validator/places/places_words.h"
#include "golden/validator/product/diagnosis_words.h"
#include "golden/validator/tensor/diagnosis_words.h"

namespace bindings {
namespace {

namespace gv = golden::validator;

mx_verdict_facts facts_of(const gv::diagnosis& d) {
  const gv::comparison& found = d.tensors.front().found;
  mx_verdict_facts facts = {};
  facts.kind = static_cast<std::int32_t>(d.verdict);
  facts.elements = d.elements();
  facts.mismatches = d.mismatches();
  facts.codes = found.codes;
  facts.scales = found.scales;
  facts.tensor_scales = found.tensor_scales_agree ? 0 : 1;
  if (d.nan() != gv::nan_alone::no) facts.differs_alone = gv::word_of(d.nan()).data();
  return facts;
}

mx_verdict_facts facts_of(const gv::product_diagnosis& d) {
  mx_verdict_facts facts = {};
  facts.kind = static_cast<std::int32_t>(d.verdict);
  facts.elements = d.elements();
  facts.candidates = d.models.size();
  facts.distinctions = d.distinctions.size();
  if (const gv::judged_model* declared = d.declared_model()) {
    facts.mismatches = declared->found.mismatches();
    facts.nan_codes = declared->found.nan_codes;
  }
  if (!d.bound) return facts;
  facts.has_bound = 1;
  facts.bound_exceeded = d.bound->errors.exceeded;
  return facts;
}

mx_verdict_facts facts_of(const mx_verdict& v) {
  mx_verdict_facts facts = std::visit([](const auto& d) { return facts_of(d); }, v.found);
  facts.explanations = v.explanation_texts.size();
  facts.text = v.text.c_str();
  return facts;
}

const gv::explanation& explanation_of(const gv::diagnosis& d, std::uint64_t number) {
  return number == 0 ? *d.explanation : d.ambiguous[number - 1].what;
}

const gv::product_explanation& explanation_of(const gv::product_diagnosis& d,
                                              std::uint64_t number) {
  return d.explanations[number];
}

/// The input that distinguishes an explanation from the first one.
void add_probe(const gv::diagnosis& d, std::uint64_t number, mx_explanation& facts) {
  if (number == 0) return;
  const gv::rival& rival = d.ambiguous[number - 1];
  if (!rival.probe) return;
  facts.probe = rival.probe->input.what.c_str();
  facts.probe_block = rival.probe->block.data();
  facts.probe_count = rival.probe->block.size();
}

void add_probe(const gv::product_diagnosis&, std::uint64_t, mx_explanation&) {}

mx_explanation explanation_facts(const mx_verdict& v, std::uint64_t number) {
  mx_explanation facts = {};
  facts.text = numbered(v.explanation_texts, number, "explanation number is out of range").c_str();
  std::visit(
      [&](const auto& d) {
        const std::vector<gv::change>& changes = explanation_of(d, number).changes;
        facts.changes = changes.size();
        facts.telling = gv::telling_change(changes, explanation_of(d, 0).changes);
        add_probe(d, number, facts);
      },
      v.found);
  return facts;
}

mx_change change_facts(const mx_verdict& v, std::uint64_t explanation, std::uint64_t number) {
  require(explanation < v.explanation_texts.size(), "explanation number is out of range");
  return std::visit(
      [&](const auto& d) {
        const gv::change& c = numbered(explanation_of(d, explanation).changes, number,
                                       "change number is out of range");
        return mx_change{0, c.dimension.data(), c.expected.c_str(), c.found.c_str()};
      },
      v.found);
}

}  // namespace

const mx_verdict& verdict_of(const mx_verdict* handle) {
  require(handle != nullptr, "the verdict is null");
  return *handle;
}

}  // namespace bindings

mx_verdict::mx_verdict(golden::validator::diagnosis of) : found(std::move(of)) {
  const auto& d = std::get<golden::validator::diagnosis>(found);
  text = report_text(d);
  if (d.verdict != golden::validator::verdict::exact) first = first_text(d);
  where = where_text(d.tensors.front());
  pattern = pattern_text(d.tensors.front().found.where);
  if (d.explanation) explanation_texts.push_back(changes_text(*d.explanation));
  for (const auto& rival : d.ambiguous) explanation_texts.push_back(changes_text(rival.what));
}

mx_verdict::mx_verdict(golden::validator::product_diagnosis of) : found(std::move(of)) {
  const auto& d = std::get<golden::validator::product_diagnosis>(found);
  text = report_text(d);
  for (const auto& e : d.explanations) explanation_texts.push_back(explanation_text(e));
  for (const auto& one : d.distinctions) {
    distinction_data.emplace_back();
    for (const std::string& data : one.data) distinction_data.back().push_back(data.c_str());
  }
}

void mx_verdict_destroy(mx_verdict* verdict) { delete verdict; }

mx_status mx_verdict_describe(const mx_verdict* verdict, mx_verdict_facts* facts, mx_error* error) {
  return bindings::described(facts, error,
                             [&] { return bindings::facts_of(bindings::verdict_of(verdict)); });
}

mx_status mx_explanation_describe(const mx_verdict* verdict, uint64_t number,
                                  mx_explanation* explanation, mx_error* error) {
  return bindings::described(explanation, error, [&] {
    return bindings::explanation_facts(bindings::verdict_of(verdict), number);
  });
}

mx_status mx_change_describe(const mx_verdict* verdict, uint64_t explanation, uint64_t number,
                             mx_change* change, mx_error* error) {
  return bindings::described(change, error, [&] {
    return bindings::change_facts(bindings::verdict_of(verdict), explanation, number);
  });
}
