// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_json.cpp: a diagnosis as one JSON object.
#include <fmt/format.h>

#include "sim/cli/verify/verify_report.h"

namespace sim::cli {
namespace {

namespace gv = golden::validator;

ordered_json changes_json(const gv::explanation& h) {
  return json_array(h.changes, [&h](const gv::change& c) {
    ordered_json change = change_json(c);
    if (!h.where.empty()) change["where"] = h.where;
    return change;
  });
}

ordered_json probe_json(const std::optional<gv::telling_probe>& probe) {
  if (!probe) return nullptr;
  const auto bits = [](float x) { return fmt::format("0x{:08x}", mx::bits_of(x)); };
  return {{"what", probe->input.what}, {"block", json_array(probe->block, bits)}};
}

ordered_json ambiguous_json(const gv::diagnosis& d) {
  ordered_json list = ordered_json::array();
  for (const gv::rival& rival : d.ambiguous) {
    const std::size_t telling = gv::telling_change(rival.what.changes, d.explanation->changes);
    ordered_json entry = change_json(rival.what.changes[telling]);
    entry["changes"] = changes_json(rival.what);
    entry["probe"] = probe_json(rival.probe);
    list.push_back(std::move(entry));
  }
  return list;
}

std::string bits_text(mx::number_type type, std::uint32_t bits) {
  return fmt::format("0x{:0{}x}", bits, type == mx::number_type::fp32 ? 8 : 4);
}

ordered_json first_json(const gv::diagnosis& all) {
  const gv::tensor_result& r = all.tensors[all.first_differing()];
  ordered_json first{{"tensor", r.name},
                     {"text", gv::first_text(all)},
                     {"what", gv::name_of(gv::what_differs(r))}};
  if (!r.fits || !r.found.first) {
    if (r.found.tensor_scale) first.update(tensor_scale_json(*r.found.tensor_scale));
    return first;
  }
  const gv::difference& d = *r.found.first;
  first["block"] = d.block;
  first["position"] = d.position;
  first["element"] = nullptr;
  if (d.element) {
    first["element"] = *d.element;
    first["index"] = d.index;
    first["input_bits"] = bits_text(r.type, d.value_bits);
  }
  first["expected"] = d.of_code ? d.expected_code : d.expected_scale;
  first["found"] = d.of_code ? d.found_code : d.found_scale;
  first["expected_code"] = d.expected_code;
  first["found_code"] = d.found_code;
  first["expected_scale"] = d.expected_scale;
  first["found_scale"] = d.found_scale;
  first["block_bits"] =
      json_array(d.block_bits, [&r](std::uint32_t bits) { return bits_text(r.type, bits); });
  return first;
}

ordered_json tensors_json(const gv::diagnosis& d) {
  ordered_json list = ordered_json::array();
  for (const gv::tensor_result& r : d.tensors) {
    list.push_back({{"name", r.name},
                    {"mismatches", r.mismatches()},
                    {"elements", r.elements},
                    {"codes", r.found.codes},
                    {"scales", r.found.scales},
                    {"tensor_scales_agree", r.found.tensor_scales_agree}});
    if (r.found.nan != gv::nan_alone::no) list.back()["differs_alone"] = gv::word_of(r.found.nan);
    if (!r.found.tensor_scale) continue;
    const char* name =
        r.found.tensor_scale->is_unusable() ? "unusable_tensor_scale" : "tensor_scale";
    list.back()[name] = tensor_scale_json(*r.found.tensor_scale);
  }
  return list;
}

}  // namespace

ordered_json change_json(const gv::change& c) {
  return {{"dimension", c.dimension}, {"expected", c.expected}, {"found", c.found}};
}

ordered_json tensor_scale_json(const gv::tensor_scale_pair& u) {
  const auto number = [](std::uint32_t bits) {
    return json_number(static_cast<double>(mx::float_of(bits)));
  };
  return {{"row", u.row},
          {"expected", number(u.expected_bits)},
          {"found", number(u.found_bits)},
          {"expected_bits", fmt::format("0x{:08x}", u.expected_bits)},
          {"found_bits", fmt::format("0x{:08x}", u.found_bits)}};
}

ordered_json report_json(const gv::diagnosis& d) {
  ordered_json report{{"verdict", name_of(d.verdict)},
                      {"mismatches", d.mismatches()},
                      {"elements", d.elements()},
                      {"explanation", ordered_json::array()},
                      {"ambiguous", ordered_json::array()},
                      {"first", nullptr},
                      {"where", nullptr}};
  if (d.explanation) {
    report["explanation"] = changes_json(*d.explanation);
    report["ambiguous"] = ambiguous_json(d);
  }
  if (d.verdict != gv::verdict::exact) {
    report["first"] = first_json(d);
    report["where"] = where_json(d.tensors[d.first_differing()]);
  }
  if (d.nan() != gv::nan_alone::no) report["differs_alone"] = gv::word_of(d.nan());
  report["tensors"] = tensors_json(d);
  for (const gv::tensor_result& r : d.tensors) {
    if (!r.found.where.empty()) report["places"].push_back(places_json(r));
  }
  return report;
}

}  // namespace sim::cli
