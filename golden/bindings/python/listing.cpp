// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/listing.cpp: all names that the library accepts, from the tables of the
// core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "golden/bindings/python/module.h"
#include "mx/block/names.h"
#include "mx/dot/mixed_models.h"
#include "mx/dot/plan_names.h"
#include "mx/presets/variants.h"
#include "mx/recipe_words.h"
#include "mx/spelling.h"
#include "mx/tensor/layout.h"

namespace python {
namespace {

nb::str text(std::string_view words) { return nb::str(words.data(), words.size()); }

/// Every entry as a dictionary; `add` adds what is special to the table.
template <class Table, class Add>
nb::list entries(const Table& table, const Add& add) {
  nb::list all;
  for (const auto& entry : table) {
    nb::dict d;
    add(entry, d);
    all.append(d);
  }
  return all;
}

template <class Table>
nb::list meanings(const Table& table) {
  return entries(table, [](const auto& entry, nb::dict& d) {
    d["name"] = text(entry.name);
    d["meaning"] = text(entry.sentence);
  });
}

nb::list layouts() {
  return entries(mx::scale_layout_table, [](const auto& entry, nb::dict& d) {
    d["name"] = text(entry.name);
    d["meaning"] = text(entry.sentence);
    d["source"] = text(entry.source);
  });
}

nb::list variants() {
  return entries(mx::variant_table, [](const mx::variant_entry& entry, nb::dict& d) {
    nb::list taken;
    for (const mx::block_format& f : entry.about.formats) taken.append(mx::spelling_of(f));
    d["name"] = text(entry.about.name);
    d["formats"] = nb::tuple(taken);
    d["evidence"] = text(name_of(entry.about.rests_on));
    d["source"] = text(entry.about.source);
    d["doubts"] = text(entry.about.doubts);
  });
}

void add_model_facts(const mx::named_model& entry, nb::dict& d) {
  const mx::dot_model& m = entry.model;
  const bool any = entry.operands == mx::operands::any;
  d["name"] = text(entry.name);
  d["a"] = any ? "any" : mx::number_format_name(m.a);
  d["b"] = any ? "any" : mx::number_format_name(m.b);
  d["result"] = mx::number_format_name(m.sum.result);
  d["evidence"] = text(mx::name_of(entry.rests_on));
  d["source"] = text(entry.source);
  d["doubts"] = text(entry.doubts);
}

nb::list models() {
  nb::list all = entries(mx::model_table, add_model_facts);
  all.extend(entries(mx::mixed_model_table, add_model_facts));
  all.extend(entries(mx::first_step_model_table, add_model_facts));
  return all;
}

nb::dict names() {
  nb::dict all;
  all["formats"] = meanings(mx::block_format_table);
  all["elements"] = meanings(mx::element_format_table);
  all["scales"] = meanings(mx::scale_format_table);
  all["scale_rules"] = meanings(mx::scale_rule_table);
  all["roundings"] = meanings(mx::rounding_table);
  all["byte_maps"] = meanings(mx::byte_map_table);
  all["packings"] = meanings(mx::code_order_table);
  all["layouts"] = layouts();
  all["variants"] = variants();
  all["models"] = models();
  all["split_orders"] = meanings(mx::split_order_table);
  all["c_entries"] = meanings(mx::c_entry_table);
  all["outputs"] = meanings(mx::output_table);
  all["output_roundings"] = meanings(mx::output_rounding_table);
  return all;
}

}  // namespace

void add_listing(bound_module& module) {
  module.def(
      "most_parts", [] { return mx::gemm_plan::most_parts; }, "The largest split_k of a product.");
  module.def("names", &names, nb::sig("def names() -> dict[str, list[dict[str, typing.Any]]]"),
             "The entries of every table of names.");
}

}  // namespace python
