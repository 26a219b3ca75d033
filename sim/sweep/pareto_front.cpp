// SPDX-License-Identifier: Apache-2.0
// sim/sweep/pareto_front.cpp: see pareto_front.h.
#include "sim/sweep/pareto_front.h"

#include <algorithm>
#include <cmath>

#include "sim/sweep/input_metrics.h"

namespace sim {

double cost_of(const sweep_study& s, const sweep_point& p) {
  return p.cost(s.page_cost).value_or(std::nan(""));
}

double quality_of(const sweep_results& r, const measured_work& w) {
  const sweep_metric& metric = shown_metric(r.of.study, w.input->of);
  return r.row_of(w).of(metric.name).value_or(std::nan(""));
}

std::vector<std::size_t> front_of(const sweep_results& r, const swept_input& in) {
  struct candidate {
    double cost, loss;
    std::size_t index;
    auto operator<=>(const candidate&) const = default;
  };
  const sweep_metric& metric = shown_metric(r.of.study, in.of);
  const double sign = metric.best == sweep_metric::better::larger ? -1 : 1;
  std::vector<candidate> all;
  for (std::size_t i = 0; i < r.work.size(); ++i) {
    const measured_work& w = r.work[i];
    if (w.input != &in) continue;
    const candidate c{cost_of(r.of.study, *w.point), sign * quality_of(r, w), i};
    if (!std::isnan(c.cost) && !std::isnan(c.loss)) all.push_back(c);
  }
  std::ranges::sort(all, [](const candidate& a, const candidate& b) { return (a <=> b) < 0; });
  std::vector<std::size_t> front;
  double best = HUGE_VAL;
  for (const candidate& c : all) {
    if (c.loss >= best) continue;
    best = c.loss;
    front.push_back(c.index);
  }
  return front;
}

}  // namespace sim
