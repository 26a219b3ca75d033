// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/tensor_kinds.cpp: tensors of a model by kind.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "golden/io/file.h"
#include "sim/cli/decompose/decomposed_tensor.h"

namespace sim::cli {
namespace {

bool is_number(std::string_view part) {
  return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

std::string kind_name(std::string_view name) {
  std::string kind;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (begin > 0) kind += '.';
    kind += is_number(part) ? "*" : part;
    begin = end + 1;
  }
  return kind;
}

void add(tensor_kind& kind, const decomposed_tensor& t) {
  kind.energy += t.energy;
  ++kind.tensors;
}

std::string row_of(const tensor_kind& kind) {
  const mx::energy_sums& s = kind.energy.sums;
  return fmt::format("  {:<48}{:>8}", golden::io::printable(kind.name), kind.tensors) +
         shown_figure(kind.sqnr_db(), 10, 2) + shown_figure(kind.ratio(s.scale), 9, 3) +
         shown_figure(kind.ratio(s.deadzone), 10, 3) + shown_figure(kind.ratio(s.grid), 8, 3) +
         shown_figure(kind.ratio(s.clip), 8, 3) +
         shown_figure(kind.cosine(s.scale_grid, s.scale, s.grid), 18, 3) + "\n";
}

}  // namespace

std::vector<tensor_kind> kinds_of(const std::vector<decomposed_tensor>& tensors) {
  std::vector<tensor_kind> kinds;
  std::map<std::string, std::size_t> places;
  for (const decomposed_tensor& t : tensors) {
    std::string name = kind_name(t.name);
    const auto [place, is_new] = places.try_emplace(name, kinds.size());
    if (is_new) kinds.push_back({{}, std::move(name)});
    add(kinds[place->second], t);
  }
  return kinds;
}

tensor_kind whole_of(const std::vector<decomposed_tensor>& tensors) {
  tensor_kind whole{{}, "all"};
  for (const decomposed_tensor& t : tensors) add(whole, t);
  return whole;
}

std::string text_of(const std::vector<tensor_kind>& kinds, const tensor_kind& whole) {
  std::string text = fmt::format("{:<50}{:>8}{:>10}{:>9}{:>10}{:>8}{:>8}{:>18}\n",
                                 "kinds: a number in a name is *", "tensors", "SQNR, dB", "scale",
                                 "deadzone", "grid", "clip", "cos(scale, grid)");
  for (const tensor_kind& kind : kinds) text += row_of(kind);
  return text + row_of(whole);
}

}  // namespace sim::cli
