// SPDX-License-Identifier: Apache-2.0
// sim/train/factorial_rows.cpp: the factorial of scale, deadzone and grid in both meanings of a
// toggle.
#include <fmt/format.h>

#include "sim/study/toggle_cells.h"
#include "sim/train/frozen.h"

namespace sim {
namespace {

struct factorial_figure {
  const char* name;
  cell_key key;
};

void append_terms(const std::string& prefix, int factor, const std::string& passes,
                  const factorial<estimate>& f, std::vector<metric_row>& rows) {
  const auto row = [&](const std::string& term, const estimate& e) {
    rows.push_back({"frozen", "factorial", std::nullopt, factor, passes, "", prefix + term, e.value,
                    e.standard_error});
  };
  for (std::size_t i = 1; i < cells; ++i)
    row(fmt::format("moebius.{}", cell_names[i]), f.moebius[i]);
  for (std::size_t i = 0; i < 3; ++i) {
    row(fmt::format("shapley.{}", cell_names[std::size_t{1} << i]), f.shapley[i]);
  }
  row("total", f.total);
  row("non_additivity", f.non_additivity);
}

}  // namespace

std::vector<metric_row> factorial_rows(const study& s,
                                       const std::map<std::string, cell_figures>& by_arm,
                                       int factor) {
  const std::array<factorial_figure, 7> wanted{
      {{"kl", {"kl", "", ""}},
       {"entropy", {"entropy", "", ""}},
       {"accuracy_sampled", {"accuracy_sampled", "", ""}},
       {"accuracy_greedy", {"accuracy_greedy", "", ""}},
       {"gradient_cosine", {"gradient_cosine", "all", "all"}},
       {"gradient_projection", {"gradient_projection", "all", "all"}},
       {"gradient_cosine_backward", {"gradient_cosine", "backward", "all"}}}};
  std::vector<metric_row> rows;
  for (const factorial_figure& figure : wanted) {
    for (const toggle_cells& meaning : both_meanings) {
      std::array<replicated, cells> values;
      std::size_t found = 0;
      for (std::size_t i = 0; i < cells; ++i) {
        const arm* a = cell_arm(s, meaning, i);
        const auto cell = a == nullptr ? by_arm.end() : by_arm.find(a->name);
        if (cell == by_arm.end()) break;
        const auto value = cell->second.find(figure.key);
        if (value == cell->second.end()) break;
        values[i] = value->second;
        ++found;
      }
      if (found < cells) continue;
      append_terms(fmt::format("{}.{}.", figure.name, meaning.meaning), factor,
                   figure.key.passes == "backward" ? "backward" : "all", factorial_of(values),
                   rows);
    }
  }
  return rows;
}

}  // namespace sim
