// SPDX-License-Identifier: Apache-2.0
// sim/report/page.cpp: the page around the sections: its head, the run, the links.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/report.h"
#include "sim/report/style_sheet.h"

namespace sim {
namespace {

std::string fact(std::string_view name, const std::string& value) {
  return fmt::format("<li><b>{}</b> {}</li>\n", name, value);
}

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
  const curve loss = run.figures.along("warm-up", "fp32", "loss");
  std::string result = fmt::format("{} steps", run.of.warm_up.steps);
  if (!loss.values.empty()) {
    result += fmt::format(", loss {} \u2192 {}", number_text(loss.values.front()),
                          number_text(loss.values.back()));
  }
  for (const char* arm : {"fp32", "mxfp4"}) {
    const curve accuracy = run.figures.along("warm-up", arm, "accuracy_sampled");
    if (accuracy.values.empty()) continue;
    result += fmt::format(", sampled accuracy {} under {}", number_text(accuracy.values.back()),
                          arm == std::string_view("fp32") ? "FP32" : "MXFP4");
  }
  return result;
}

std::string what_was_run(const run_data& run) {
  const study& s = run.of;
  const std::string name = s.name.empty() ? "unnamed" : s.name;
  std::string facts;
  facts += fact("seed", fmt::format("{}", s.seed));
  facts += fact("arms", count_text(arms_measured(run), s.arms.size()));
  facts += fact("training steps", steps_text(run));
  facts +=
      fact("rollouts a step", fmt::format("{} prompts \u00D7 {}", s.grpo.prompts, s.grpo.samples));
  facts += fact("policy", fmt::format("{} parameters (width {}, {} layers, {} heads, {} key-value "
                                      "heads of {}, hidden {}, vocabulary {})",
                                      grouped_text(parameters_of(s.policy)), s.policy.width,
                                      s.policy.layers, s.policy.heads, s.policy.kv_heads,
                                      s.policy.head_width, s.policy.hidden, s.policy.vocabulary));
  facts += fact("task", fmt::format("chained addition, {} digits", s.task.digits));
  facts += fact("warm-up", warm_up_text(run));
  facts += fact("study hash", code(run.hash));
  return fmt::format(
      "<h1>MXFP4 error components in RL training: study {}</h1>\n<ul "
      "class=\"facts\">\n{}</ul>\n",
      escaped(name), facts);
}

/// The sections, by id and by their names in the navigation.
constexpr std::array<std::pair<const char*, const char*>, 10> links{
    {{"summary", "Summary"},
     {"training", "Learning curves"},
     {"entropy", "Entropy"},
     {"gradient", "Gradient"},
     {"components", "Parts of the error"},
     {"outliers", "Outliers"},
     {"factorial", "Factorial"},
     {"weights", "Importance weights"},
     {"arms", "Arms"},
     {"notes", "How to read"}}};

std::string navigation() {
  std::string result;
  for (const auto& [id, name] : links) result += fmt::format("<a href=\"#{}\">{}</a>\n", id, name);
  return "<nav>" + result + "</nav>\n";
}

}  // namespace

std::string page_of(const run_data& run) {
  std::string body = what_was_run(run) + navigation();
  body += summary_section(run) + training_section(run) + entropy_section(run);
  body += gradient_section(run) + components_section(run) + outlier_section(run);
  body += factorial_section(run) + mismatch_section(run) + arms_section(run) + notes_section(run);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</"
      "html>\n",
      escaped(run.of.name.empty() ? "MXFP4 study" : run.of.name + ": MXFP4 study"), style_sheet(),
      body);
}

}  // namespace sim
