// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_run.cpp: see sweep_run.h.
#include "sim/sweep/sweep_run.h"

#include <tbb/parallel_for_each.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sim {
namespace {

const swept_input& right_of(const loaded_sweep& s, const swept_input& left) {
  const auto found = std::ranges::find(s.inputs, s.study.product.other,
                                       [](const swept_input& in) { return in.of.name; });
  return found == s.inputs.end() ? left : *found;
}

/// Mean of the objective over the inputs; worse than any number where one is not a number.
double score_of(const loaded_sweep& s, std::size_t metric, const std::vector<measured_work>& work,
                std::size_t first, const sweep_rows& rows) {
  double sum = 0;
  for (std::size_t i = first; i < first + s.inputs.size(); ++i) {
    sum += rows.at(work[i].key).values[metric].value_or(std::nan(""));
  }
  const bool smaller = sweep_metrics[metric].best == sweep_metric::better::smaller;
  const double mean = sum / static_cast<double>(s.inputs.size());
  return std::isnan(mean) ? -HUGE_VAL : (smaller ? -mean : mean);
}

}  // namespace

std::vector<measured_work> work_of(const loaded_sweep& s, const std::vector<std::size_t>& points,
                                   double share) {
  std::vector<measured_work> work;
  for (const std::size_t point : points) {
    for (const swept_input& in : s.inputs) {
      measured_work& w =
          work.emplace_back(measured_work{&s.list.points[point], &in, &right_of(s, in), share, ""});
      w.key = key_of(s.study, w);
    }
  }
  return work;
}

std::vector<measured_work> work_of(const loaded_sweep& s) {
  std::vector<std::size_t> all(s.list.points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return work_of(s, all);
}

void measure(const loaded_sweep& s, const std::vector<measured_work>& work, sweep_rows& rows,
             const row_taken& taken) {
  std::vector<const measured_work*> missing;
  for (const measured_work& w : work) {
    if (!rows.contains(w.key)) missing.push_back(&w);
  }
  std::mutex adding;
  tbb::parallel_for_each(missing.begin(), missing.end(), [&](const measured_work* w) {
    // A thread that waits for the parts of its point begins no other one, which would take memory.
    const sweep_row row = tbb::this_task_arena::isolate([&] { return figures_of(s.study, *w); });
    taken(row);
    const std::lock_guard lock(adding);
    rows.emplace(row.key, row);
  });
}

std::vector<std::size_t> halve(const loaded_sweep& s, sweep_rows& rows, const row_taken& taken) {
  const std::size_t metric = *metric_named(s.study.halving.objective);
  std::vector<std::size_t> points(s.list.points.size());
  std::iota(points.begin(), points.end(), std::size_t{0});
  for (int round = s.study.halving.rounds; round >= 0; --round) {
    const double share = std::pow(s.study.halving.keep, round);
    const std::vector<measured_work> work = work_of(s, points, share);
    measure(s, work, rows, taken);
    if (round == 0) break;
    std::vector<std::pair<double, std::size_t>> scores;
    for (std::size_t i = 0; i < points.size(); ++i) {
      scores.emplace_back(-score_of(s, metric, work, i * s.inputs.size(), rows), points[i]);
    }
    std::ranges::sort(scores);
    scores.resize(static_cast<std::size_t>(
        std::ceil(static_cast<double>(points.size()) * s.study.halving.keep)));
    points.clear();
    for (const auto& [score, point] : scores) points.push_back(point);
    std::ranges::sort(points);
  }
  return points;
}

}  // namespace sim
