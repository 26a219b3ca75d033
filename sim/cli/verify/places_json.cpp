// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/places_json.cpp: the places of differences as JSON.
#include "golden/validator/places/places_words.h"
#include "sim/cli/verify/verify_report.h"

namespace sim::cli {
namespace {

namespace gv = golden::validator;

/// The pattern's bounds, and its words.
ordered_json axis_json(const gv::axis_places& a, const std::string& text) {
  ordered_json places{{"extent", a.extent}, {"touched", a.touched}};
  if (a.touched == 0) return places;
  places["first"] = a.regular.first;
  places["last"] = a.regular.last;
  if (a.regular.period > 0) {
    places["period"] = a.regular.period;
    places["length"] = a.regular.length;
  }
  if (!a.listed.empty()) places["listed"] = a.listed;
  places["text"] = text;
  return places;
}

ordered_json matrix_json(const gv::matrix_places& m, const std::string& rows,
                         const std::string& columns) {
  if (m.count == 0) return {{"count", 0}};
  return {{"count", m.count},
          {"rows", axis_json(m.rows, rows)},
          {"columns", axis_json(m.columns, columns)}};
}

ordered_json ends_of(const gv::axis_places& a) {
  return ordered_json::array({a.first, a.regular.last});
}
/// Null where there is none.
ordered_json ends_of(std::uint64_t extent) {
  return extent == 0 ? ordered_json() : ordered_json::array({0, extent - 1});
}

}  // namespace

ordered_json where_json(const gv::tensor_result& r) {
  const gv::places& p = r.found.where;
  const bool anywhere = p.empty();
  const std::uint64_t rows = r.elements == 0 ? 0 : r.elements / r.columns;
  return {{"tensor", r.name},
          {"codes", r.found.codes},
          {"scales", r.found.scales},
          {"tensor_scales", r.found.tensor_scales},
          {"rows", anywhere ? ends_of(rows) : ends_of(p.elements.rows)},
          {"columns", anywhere ? ends_of(r.columns) : ends_of(p.elements.columns)},
          {"pattern", anywhere ? "all" : gv::pattern_text(p)}};
}

ordered_json places_json(const gv::tensor_result& r) {
  const gv::places& p = r.found.where;
  const gv::grid_nouns nouns = gv::nouns_of_scales(p);
  ordered_json where{{"tensor", r.name}, {"text", gv::where_text(r)}, {"blocks", p.blocks}};
  where["codes"] = matrix_json(p.codes, gv::axis_text(p.codes.rows, "row"),
                               gv::column_text(p, p.codes.columns.regular));
  where["codes"]["padding"] = p.padding;
  if (p.codes.count > 0) {
    where["codes"]["positions"] = axis_json(p.positions, gv::position_text(p));
  }
  where["scales"] = matrix_json(p.scales, gv::axis_text(p.scales.rows, nouns.row),
                                gv::axis_text(p.scales.columns, nouns.column));
  return where;
}

}  // namespace sim::cli
