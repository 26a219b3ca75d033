// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_run.h: measures the points of a sweep on its inputs, what is missing of it.
#pragma once
#include <functional>

#include "sim/sweep/point_figures.h"
#include "sim/sweep/point_list.h"
#include "sim/sweep/row_store.h"

namespace sim {

/// A sweep with its points and its inputs.
struct loaded_sweep {
  sweep_study study;
  point_list list;
  std::vector<swept_input> inputs;
};

/// Leaves out the points that a policy among the inputs cannot take, so that all inputs have the
/// same.
///   errors  those of leave_out
void leave_out_refused(loaded_sweep& s);

/// Every point on every input, whole: point after point. In a search by halving only that of the
/// points that reached the last round.
///   points  indices of the points
[[nodiscard]] std::vector<measured_work> work_of(const loaded_sweep& s,
                                                 const std::vector<std::size_t>& points,
                                                 double share = 1);
/// The same of all points.
[[nodiscard]] std::vector<measured_work> work_of(const loaded_sweep& s);

/// Receives each row as soon as it is measured, from several threads at once.
using row_taken = std::function<void(const sweep_row& row)>;

/// Measures what `rows` lacks of the work, several points at a time where the memory is enough; the
/// rows then have it. Policies are prepared if a row of theirs is missing. Threads are TBB's and
/// change no bit.
void measure(const loaded_sweep& s, const std::vector<measured_work>& work, sweep_rows& rows,
             const row_taken& taken);

/// Successive halving: measures all points on a part of each input, keeps the best of the means
/// over the inputs that have the objective, and goes on with a larger part.
///   returns  the points that were measured on whole inputs
[[nodiscard]] std::vector<std::size_t> halve(const loaded_sweep& s, sweep_rows& rows,
                                             const row_taken& taken);

}  // namespace sim
