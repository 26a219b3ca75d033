// SPDX-License-Identifier: Apache-2.0
// sim/train/run_context.cpp: see run_context.h.
#include "sim/train/run_context.h"

#include <algorithm>

#include "sim/ranks/agreement_of_ranks.h"
#include "sim/train/equal_ranks.h"

namespace sim {
namespace {

int last_step_of(const run_request& r) {
  return r.last_step > 0 ? std::min(r.last_step, r.study.grpo.steps) : r.study.grpo.steps;
}

/// The ranks, if they can compute a run together.
const rank_group& checked(const rank_group& ranks, const study& s, int last_step) {
  expect_equal_ranks(ranks, s, last_step);
  return ranks;
}

}  // namespace

run_context::run_context(const run_request& r)
    : request(r),
      all(r.study, *r.products, *r.ranks),
      own(r.study, *r.products),
      last_step(last_step_of(r)),
      folder(checked(*r.ranks, r.study, last_step), r.folder, r.study, r.existing, last_step) {}

bool run_context::asked_here() const {
  return request.stop != nullptr && request.stop->load() != 0;
}

bool run_context::asked_to_stop() const { return any_rank(all.ranks, asked_here()); }

void run_context::tell(const progress& p) {
  const std::scoped_lock lock(telling_);
  if (request.report) request.report(p);
}

void run_context::tell_unless_checked(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return;
  tell({progress::kind::note, file.string() + ": has no checksum of this study, as files of "
                                              "earlier versions; it is computed again"});
}

void run_context::log_new(const std::string& run, const std::vector<metric_row>& rows,
                          std::size_t& logged) {
  const std::scoped_lock lock(telling_);
  if (request.log) request.log(run, std::span(rows).subspan(logged));
  logged = rows.size();
}

std::optional<checkpoint> run_context::held_checkpoint(const std::string& name) {
  auto held = folder.load_checkpoint(name, all.table);
  if (!held) tell_unless_checked(folder.checkpoint_file(name));
  return held;
}

void run_context::save(const std::string& name, const checkpoint& c) const {
  folder.save_checkpoint(name, all.table, c, constants().run.keep_checkpoints);
}

metric_row training_row(const std::string& phase, const std::string& arm, int step,
                        const figure& f) {
  return {phase, arm, step, std::nullopt, "", "", f.name, f.value, std::nullopt};
}

double value_of(const std::vector<figure>& figures, const std::string& name) {
  return std::ranges::find(figures, name, &figure::name)->value;
}

}  // namespace sim
