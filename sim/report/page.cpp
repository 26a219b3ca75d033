// SPDX-License-Identifier: Apache-2.0
// sim/report/page.cpp: the page of one run: what was run, and its sections.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "golden/io/counted.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/model_section.h"
#include "sim/report/page_frame.h"
#include "sim/report/report.h"

namespace sim {
namespace {

std::string count_text(std::size_t done, std::size_t planned) {
  return done == planned ? fmt::format("{}", planned) : fmt::format("{} of {}", done, planned);
}

/// Number of completed training steps, and of the study's steps.
std::string steps_text(const run_data& run) {
  return count_text(run.figures.along("train", "fp32", "reward").values.size(),
                    static_cast<std::size_t>(run.of.grpo.steps));
}

std::size_t arms_measured(const run_data& run) {
  return std::max(arms_of(run, "frozen").size(), arms_of(run, "train").size());
}

std::string warm_up_text(const run_data& run) {
  const auto along = [&](const char* metric) {
    return run.figures.along("warm-up", "fp32", metric).values;
  };
  const std::vector<double> loss = along("loss"), accuracy = along("accuracy_sampled");
  if (loss.empty()) return "not run";
  std::string result =
      fmt::format("{}, loss {} \u2192 {}", golden::io::counted(loss.size(), "step"),
                  number_text(loss.front()), number_text(loss.back()));
  if (!accuracy.empty()) {
    result += fmt::format(", sampled accuracy {} under FP32", number_text(accuracy.back()));
  }
  if (warm_up_reached(run).value_or(true)) return result;
  return result + fmt::format("; {}", strong(fmt::format("it did not reach {}",
                                                         run.of.warm_up.target_accuracy)));
}

std::string what_was_run(const run_data& run) {
  const study& s = run.of;
  std::string facts;
  facts += fact("seed", fmt::format("{}", s.seed));
  facts += fact("arms", count_text(arms_measured(run), s.arms.size()));
  facts += fact("training steps", steps_text(run));
  facts += fact(
      "rollouts a step",
      fmt::format("{} \u00D7 {}", golden::io::counted(s.grpo.prompts, "prompt"), s.grpo.samples));
  facts += policy_facts(s);
  facts += fact("warm-up", warm_up_text(run));
  facts += fact("study hash", code(run.hash));
  return fmt::format(
      "<h1>MXFP4 error components in RL training: study {}</h1>\n<ul class=\"facts\">\n{}</ul>\n",
      escaped(name_of(s)), facts);
}

/// A section, its id and its name in the navigation.
struct page_section {
  const char *id, *name;
  std::string (*html)(const run_data&);
};

constexpr std::array all_sections{
    page_section{"cells", "Four cells", cells_section},
    page_section{"summary", "Findings", summary_section},
    page_section{"training", "Learning curves", training_section},
    page_section{"entropy", "Entropy", entropy_section},
    page_section{"gradient", "Gradient", gradient_section},
    page_section{"components", "Parts of the error", components_section},
    page_section{"outliers", "Outliers", outlier_section},
    page_section{"factorial", "Factorial", factorial_section},
    page_section{"additivity", "Additivity", additivity_section},
    page_section{"weights", "Importance weights", mismatch_section},
    page_section{"models", "Models", model_section},
    page_section{"cost", "Cost", cost_section},
    page_section{"arms", "Arms", arms_section},
    page_section{"notes", "How to read", notes_section}};

}  // namespace

std::string page_of(const run_data& run) {
  std::vector<named_section> written;
  for (const page_section& s : all_sections) {
    std::string html = s.html(run);
    if (!html.empty()) written.push_back({s.id, s.name, std::move(html)});
  }
  return framed_page(run.of.name.empty() ? "MXFP4 study" : run.of.name + ": MXFP4 study",
                     what_was_run(run), written);
}

}  // namespace sim
