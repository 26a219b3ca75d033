// SPDX-License-Identifier: Apache-2.0
// sim/train/cell.cpp: see cell.h.
#include "sim/train/cell.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "sim/study/shallow_json.h"
#include "sim/train/checked_json.h"

namespace sim {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const cell_key& key, const replicated& figure) {
  ordered_json without = ordered_json::array();
  for (const double v : figure.without) without.push_back(json_number(v));
  return {{"metric", key.metric},
          {"passes", key.passes},
          {"layer", key.layer},
          {"full", json_number(figure.full)},
          {"without", without}};
}

cell cell_of(const ordered_json& object, const std::string& arm, int factor) {
  cell c;
  for (const ordered_json& entry : object.at("figures")) {
    replicated& figure = c.figures[{entry.at("metric"), entry.at("passes"), entry.at("layer")}];
    figure.full = number_from(entry.at("full"));
    for (const ordered_json& v : entry.at("without")) figure.without.push_back(number_from(v));
  }
  for (const ordered_json& entry : object.at("energies")) {
    c.energies.push_back({"frozen", arm, std::nullopt, factor, "", entry.at("layer"),
                          entry.at("metric"), number_from(entry.at("value")), std::nullopt});
  }
  return c;
}

}  // namespace

std::string cell_text(const cell& c, const std::string& study_hash) {
  ordered_json object;
  object["study"] = study_hash;
  object["figures"] = ordered_json::array();
  for (const auto& [key, figure] : c.figures) object["figures"].push_back(json_of(key, figure));
  object["energies"] = ordered_json::array();
  for (const metric_row& e : c.energies) {
    object["energies"].push_back(
        {{"layer", e.layer}, {"metric", e.metric}, {"value", json_number(e.value)}});
  }
  return checked_text(std::move(object));
}

std::optional<cell> cell_in(std::string_view text, const std::string& arm, int factor,
                            const std::string& study_hash) {
  auto object = shallow_json<ordered_json>(text);
  if (!object.is_object()) throw json_error("is no JSON object");
  if (!object.contains(checksum_key)) return std::nullopt;
  object = without_checksum(std::move(object));
  try {
    if (object.at("study") != study_hash) return std::nullopt;
    return cell_of(object, arm, factor);
  } catch (const nlohmann::json::exception&) {
    throw json_error("lacks what a cell has, or has it in another form");
  }
}

}  // namespace sim
