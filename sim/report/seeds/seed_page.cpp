// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/seed_page.cpp: the page around the sections over seeds.
#include "sim/report/seeds/seed_page.h"

#include <fmt/format.h>

#include "golden/io/counted.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/page_frame.h"
#include "sim/report/seeds/over_seeds.h"
#include "sim/report/seeds/seed_sections.h"

namespace sim {

std::string page_of(const seed_runs& seeds, const std::string& title, const std::string& claims,
                    const table_origin& origin) {
  std::vector<named_section> sections;
  if (!claims.empty()) sections.push_back({"claims", "Claims", claims});
  sections.push_back({"cells", "Four cells", cells_over_seeds(seeds)});
  sections.push_back({"training", "Learning curves", curves_over_seeds(seeds)});
  sections.push_back({"components", "Parts of the error", frozen_over_seeds(seeds)});
  sections.push_back({"outliers", "Outliers", outliers_over_seeds(seeds)});
  sections.push_back({"weights", "Importance weights", mismatch_over_seeds(seeds)});
  sections.push_back({"cost", "Cost", cost_section(seeds.runs.front())});
  sections.push_back({"arms", "Arms", arms_section(seeds.runs.front())});
  sections.push_back({"run", "How it was run", how_it_was_run(seeds, origin)});
  const study& s = seeds.of();
  const std::string head =
      fmt::format("<h1>{}</h1>\n<ul class=\"facts\">\n{}{}{}{}{}</ul>\n", escaped(title),
                  fact("runs", seeds_text(seeds)), fact("study", escaped(name_of(s))),
                  fact("training steps", fmt::format("{}", s.grpo.steps)),
                  fact("rollouts a step",
                       fmt::format("{} \u00D7 {}", golden::io::counted(s.grpo.prompts, "prompt"),
                                   s.grpo.samples)),
                  policy_facts(s));
  return framed_page(title, head, sections);
}

}  // namespace sim
