// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/verdict.cpp: verdicts for Python: structures of the C ABI as dictionaries
// keyed by member name.
#include "golden/bindings/python/verdict.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "golden/bindings/python/module.h"

namespace python {
namespace {

using namespace nanobind::literals;
using members = nb::typed<nb::dict, nb::str, nb::any>;

/// A structure filled in by a library function.
template <class T, class Function, class... Arguments>
T described(const Function& function, const verdict& v, Arguments... arguments) {
  T facts = sized<T>();
  call([&](mx_error* error) { return function(v.handle.get(), arguments..., &facts, error); });
  return facts;
}

members facts_of(const verdict& v) {
  const auto f = described<mx_verdict_facts>(mx_verdict_describe, v);
  members d;
  d["kind"] = f.kind, d["has_bound"] = f.has_bound != 0;
  d["elements"] = f.elements, d["mismatches"] = f.mismatches;
  d["codes"] = f.codes, d["scales"] = f.scales;
  d["tensor_scales"] = f.tensor_scales, d["nan_codes"] = f.nan_codes;
  d["explanations"] = f.explanations, d["candidates"] = f.candidates;
  d["distinctions"] = f.distinctions, d["bound_exceeded"] = f.bound_exceeded;
  d["text"] = f.text;
  d["differs_alone"] = f.differs_alone == nullptr ? nb::none() : nb::cast(f.differs_alone);
  return d;
}

nb::tuple change_of(const verdict& v, std::uint64_t explanation, std::uint64_t number) {
  const auto c = described<mx_change>(mx_change_describe, v, explanation, number);
  return nb::make_tuple(c.dimension, c.expected, c.found);
}

members explanation_of(const verdict& v, std::uint64_t number) {
  const auto e = described<mx_explanation>(mx_explanation_describe, v, number);
  nb::list changes;
  for (std::uint64_t k = 0; k < e.changes; ++k) changes.append(change_of(v, number, k));
  members d;
  d["changes"] = nb::tuple(changes), d["telling"] = e.telling, d["text"] = e.text;
  d["probe"] = e.probe == nullptr ? nb::none() : nb::cast(e.probe);
  d["probe_block"] = std::vector<float>(e.probe_block, e.probe_block + e.probe_count);
  return d;
}

members difference_of(const verdict& v) {
  const auto f = described<mx_difference>(mx_difference_describe, v);
  members d;
  d["what"] = f.what, d["value_bits"] = f.value_bits;
  d["block"] = f.block, d["position"] = f.position;
  d["element"] = f.index == nullptr ? nb::none() : nb::cast(f.element);
  d["index"] = nb::tuple(nb::cast(std::vector<std::uint64_t>(f.index, f.index + f.index_count)));
  d["expected_code"] = f.expected_code, d["found_code"] = f.found_code;
  d["expected_scale"] = f.expected_scale, d["found_scale"] = f.found_scale;
  d["block_bits"] = std::vector<std::uint32_t>(f.block_bits, f.block_bits + f.block_count);
  d["text"] = f.text;
  return d;
}

members axis_of(const mx_axis_places& a) {
  members d;
  d["extent"] = a.extent, d["touched"] = a.touched;
  d["first"] = a.first, d["last"] = a.last;
  d["period"] = a.period, d["length"] = a.length;
  return d;
}

members places_of(const verdict& v) {
  const auto f = described<mx_places>(mx_places_describe, v);
  members d;
  d["blocks"] = f.blocks, d["codes"] = f.codes, d["scales"] = f.scales;
  d["padding"] = f.padding, d["text"] = f.text;
  d["code_rows"] = axis_of(f.code_rows), d["code_columns"] = axis_of(f.code_columns);
  d["code_positions"] = axis_of(f.code_positions);
  d["scale_rows"] = axis_of(f.scale_rows), d["scale_columns"] = axis_of(f.scale_columns);
  d["rows"] = axis_of(f.rows), d["columns"] = axis_of(f.columns);
  d["pattern"] = f.pattern == nullptr ? "" : f.pattern;
  return d;
}

members candidate_of(const verdict& v, std::uint64_t number) {
  const auto f = described<mx_candidate>(mx_candidate_describe, v, number);
  members d;
  d["name"] = f.name, d["evidence"] = f.evidence;
  d["row"] = f.row, d["column"] = f.column;
  d["expected"] = f.expected, d["found"] = f.found;
  d["is_declared"] = f.is_declared != 0, d["is_consistent"] = f.is_consistent != 0;
  d["nan_code_only"] = f.nan_code_only != 0;
  return d;
}

members distinction_of(const verdict& v, std::uint64_t number) {
  const auto f = described<mx_distinction>(mx_distinction_describe, v, number);
  members d;
  d["model"] = f.model, d["from"] = f.from;
  d["data"] = nb::tuple(nb::cast(std::vector<std::string>(f.data, f.data + f.data_count)));
  return d;
}

members bound_of(const verdict& v) {
  const auto f = described<mx_bound>(mx_bound_describe, v);
  members d;
  d["model"] = f.model, d["elements"] = f.elements;
  d["exceeded"] = f.exceeded, d["without_bound"] = f.without_bound;
  return d;
}

members breach_of(const verdict& v, std::int32_t which) {
  const auto f = described<mx_breach>(mx_breach_describe, v, which);
  members d;
  d["row"] = f.row, d["column"] = f.column, d["times"] = f.times;
  d["exact"] = f.exact, d["error"] = f.error, d["bound"] = f.bound;
  d["found"] = f.found;
  return d;
}

}  // namespace

void add_verdict(bound_module& module) {
  module.add_class<verdict>("Finding", "mx_verdict; its members by the names of the C ABI.")
      .def("facts", &facts_of, "The members of mx_verdict_facts.")
      .def("explanation", &explanation_of, "number"_a,
           "The members of mx_explanation, and its changes: (dimension, expected, found).")
      .def("difference", &difference_of, "The members of mx_difference.")
      .def("places", &places_of, "The members of mx_places.")
      .def("candidate", &candidate_of, "number"_a, "The members of mx_candidate.")
      .def("distinction", &distinction_of, "number"_a, "The members of mx_distinction.")
      .def("bound", &bound_of, "The members of mx_bound.")
      .def("breach", &breach_of, "which"_a, "The members of mx_breach.");
}

}  // namespace python
