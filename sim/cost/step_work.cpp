// SPDX-License-Identifier: Apache-2.0
// sim/cost/step_work.cpp: see step_work.h.
#include "sim/cost/step_work.h"

namespace sim {

step_work work_of(const study& s, const sized_policy& p) {
  const policy_shape& shape = p.shape;
  const parameter_table table(shape);
  const double prompts = s.grpo.prompts, sequences = prompts * s.grpo.samples;
  const double prompt = prompt_length(s.task), response = response_limit(s.task);
  const double answered = sequences * response;
  // The samples of a prompt share all of its tokens but the last, which has the first distribution.
  const double drawn = prompts * (prompt - 1) + answered;
  const double trained = sequences * (prompt + response);
  const double router = shape.has_experts() ? double(shape.experts.count) * shape.width : 0;
  const double multiplied =
      static_cast<double>(table.active_linear_count()) + shape.layers * router;
  const auto head = static_cast<double>(table.embedding().count());
  const double again = s.run.kept == kept_rows::inputs ? 1 : 0;
  const double queries = table.query_width(), keys = table.key_width();
  const double span = (prompt + response + 15) / 16 * 16;
  const double row =
      shape.layers * (7.0 * shape.width + 4 * queries + 4 * keys +
                      4.0 * shape.parts_a_token() * shape.hidden + shape.heads * span);
  step_work result;
  result.at(work::rollout) = (multiplied + head) * drawn;
  result.at(work::training) = multiplied * trained * (3 + again) + head * answered * 3;
  result.at(work::rows) = row * (drawn + (3 + again) * trained);
  result.at(work::vocabulary) = shape.vocabulary * answered;
  result.at(work::head) = head * sequences;
  result.at(work::weights) = static_cast<double>(table.linear_count()) * (3 + again) + head * 3;
  result.at(work::state) = p.parameters();
  return result;
}

}  // namespace sim
