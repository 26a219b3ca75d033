// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_run.cpp: see sweep_run.h.
#include "sim/sweep/sweep_run.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

#include "sim/policy/whole_loop.h"
#include "sim/sweep/input_metrics.h"
#include "sim/sweep/swept_policy.h"

namespace sim {
namespace {

const swept_input& right_of(const loaded_sweep& s, const swept_input& left) {
  const auto found = std::ranges::find(s.inputs, s.study.product.other,
                                       [](const swept_input& in) { return in.of.name; });
  return found == s.inputs.end() ? left : *found;
}

/// Mean of the objective over the inputs that have it; worse than any number where one is not a
/// number.
double score_of(const loaded_sweep& s, const sweep_metric& metric,
                const std::vector<measured_work>& work, std::size_t first, const sweep_rows& rows) {
  double sum = 0;
  int inputs = 0;
  for (std::size_t i = first; i < first + s.inputs.size(); ++i) {
    if (!has_metric(s.study, work[i].input->of, metric)) continue;
    sum += rows.at(work[i].key).of(metric.name).value_or(std::nan(""));
    ++inputs;
  }
  const double mean = sum / inputs;
  if (std::isnan(mean)) return -HUGE_VAL;
  return metric.best == sweep_metric::better::smaller ? -mean : mean;
}

using work_list = std::vector<const measured_work*>;

/// The rows that are missing, by what prepares them: numbers first, then each policy's, share by
/// share.
std::vector<work_list> missing_groups(const std::vector<measured_work>& work,
                                      const sweep_rows& rows) {
  std::vector<work_list> groups;
  std::map<std::pair<const swept_policy*, double>, std::size_t> index;
  for (const measured_work& w : work) {
    if (rows.contains(w.key)) continue;
    const swept_policy* policy = w.input->policy.get();
    const auto [found, is_new] =
        index.emplace(std::pair(policy, policy == nullptr ? 1 : w.share), groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(&w);
  }
  return groups;
}

/// Prepares what the rows of a group share.
///   returns  whether several are measured at once
bool prepared_for_several(const work_list& group) {
  const measured_work& first = *group.front();
  if (!first.input->policy) return true;
  first.input->policy->prepare(first.share);
  const auto threads = static_cast<int>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  const int points = std::min(threads, static_cast<int>(group.size()));
  return first.input->policy->has_room_for(*first.point, points);
}

}  // namespace

namespace {

/// Why a point cannot be measured on an input; empty if it can.
std::string refusal_on(const swept_input& in, const sweep_point& p) {
  if (in.policy) return in.policy->refusal_of(p);
  const mx::recipe& r = p.recipe();
  if (r.format().rows == 1 && r.passes == mx::passes::once) return "";
  for (const swept_tensor& t : in.tensors) {
    if (t.slices == 1) continue;
    return fmt::format(
        "tiles and +double go across the rows of one matrix; '{}' of input {} has several", t.name,
        in.of.name);
  }
  return "";
}

}  // namespace

void leave_out_refused(loaded_sweep& s) {
  for (const swept_input& in : s.inputs) {
    leave_out(s.list, s.study, [&](const sweep_point& p) { return refusal_on(in, p); });
  }
}

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
  std::mutex adding;
  std::atomic<bool> failed = false;
  for (const work_list& group : missing_groups(work, rows)) {
    const auto measure_one = [&](std::ptrdiff_t i) {
      if (failed) return;
      const measured_work& w = *group[static_cast<std::size_t>(i)];
      try {
        // A thread that waits for the parts of its point begins no other, which would take memory.
        const sweep_row row = tbb::this_task_arena::isolate([&] { return figures_of(s.study, w); });
        taken(row);
        const std::lock_guard lock(adding);
        rows.emplace(row.key, row);
      } catch (...) {
        failed = true;
        throw;
      }
    };
    if (prepared_for_several(group)) {
      // An error in one row does not cut the loops of others short, whose rows would be wrong.
      whole_loop(std::ssize(group), measure_one);
    } else {
      for (std::ptrdiff_t i = 0; i < std::ssize(group); ++i) measure_one(i);
    }
  }
}

std::vector<std::size_t> halve(const loaded_sweep& s, sweep_rows& rows, const row_taken& taken) {
  const sweep_metric& metric = sweep_metrics[*metric_named(s.study.halving.objective)];
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
