// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/how_it_was_run.cpp: the command, the seeds, and the hashes of what they gave.
#include <fmt/format.h>

#include "sim/report/divergences.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/seeds/over_seeds.h"
#include "sim/report/seeds/seed_sections.h"

namespace sim {
namespace {

std::string steps_of(const run_data& run) {
  const std::size_t done =
      run.figures.along("train", run.of.arms.front().name, "reward").values.size();
  const auto planned = static_cast<std::size_t>(run.of.grpo.steps);
  return done == planned ? fmt::format("{}", planned) : fmt::format("{} of {}", done, planned);
}

std::string diverged_in(const run_data& run) {
  std::string words;
  for (const metric_row& mark : divergences_in(run.figures)) {
    words +=
        fmt::format("{}{} at step {}", words.empty() ? "" : ", ", escaped(mark.arm), *mark.step);
  }
  return words.empty() ? "none" : words;
}

std::string warm_up_of(const run_data& run) {
  const std::size_t steps = run.figures.along("warm-up", "fp32", "loss").values.size();
  return fmt::format("{}{}", steps,
                     warm_up_reached(run).value_or(true) ? "" : ", target not reached");
}

}  // namespace

std::string how_it_was_run(const seed_runs& seeds, const table_origin& origin) {
  html_table table({"seed", "warm-up steps", "training steps", "diverged arms", "study, SHA-256",
                    "hashes.csv, SHA-256"},
                   narrow_screen::cards);
  for (std::size_t i = 0; i < seeds.runs.size(); ++i) {
    const run_data& run = seeds.runs[i];
    table.row({fmt::format("{}", run.of.seed), warm_up_of(run), steps_of(run), diverged_in(run),
               code(run.hash), seeds.digests[i].empty() ? "\u2013" : code(seeds.digests[i])});
  }
  const std::string body =
      paragraph(fmt::format("{} Program: commit {}. Machine: {}.", code(origin.command),
                            escaped(origin.commit), escaped(origin.machine))) +
      paragraph(
          "A seed's hashes.csv has a hash of every step of every arm. The same study and seed "
          "give the same bytes on any machine, for any number of threads.");
  return section("run", "How it was run", body + table.html());
}

}  // namespace sim
