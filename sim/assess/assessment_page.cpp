// SPDX-License-Identifier: Apache-2.0
// sim/assess/assessment_page.cpp: see assessment_page.h.
#include "sim/assess/assessment_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/io/counted.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/page_frame.h"
#include "sim/report/run_data.h"
#include "sim/study/study_file.h"

namespace sim {
namespace {

std::string what_was_assessed(const assessment_plan& plan) {
  long long tokens = 0, predicted = 0;
  for (const sequence& s : plan.texts.texts) tokens += s.length(), predicted += s.response();
  const policy_source& source = plan.of.policy.source;
  std::string facts =
      fact("checkpoint", code(std::filesystem::path(source.file).filename().string()));
  facts += shape_fact(plan.of.policy);
  facts += fact("parameters, SHA-256", code(source.sha256));
  facts +=
      fact("texts", fmt::format("{} with {} tokens, of which {} are predicted, in batches of {}",
                                plan.texts.texts.size(), grouped_text(tokens),
                                grouped_text(predicted), plan.batch));
  facts += fact("texts, SHA-256", code(plan.texts.sha256));
  facts += fact("study hash", code(study_hash(plan.of)));
  return fmt::format(
      "<h1>A checkpoint under {} of arithmetic</h1>\n<ul class=\"facts\">\n{}</ul>\n",
      golden::io::counted(plan.of.arms.size(), "arm"), facts);
}

/// What adaptive noise changes; empty where no arm has it.
std::string noise_note(const study& s) {
  const bool noisy =
      std::ranges::any_of(s.arms, [](const arm& a) { return a.noise == rollout_noise::adaptive; });
  if (!noisy) return "";
  return paragraph(fmt::format(
      "Arms with adaptive noise (AQN) have it at sigma {} on the weights of norms, new for every "
      "batch, in all figures but those of gradients: it is the rollout's.",
      s.noise.frozen_sigma));
}

std::string figures_section(const run_data& run) {
  struct column {
    const char *title, *metric, *passes, *layer;
  };
  constexpr std::array columns{
      column{"cross entropy, nats a token", "cross_entropy", "", ""},
      column{"KL to FP32, nats a token", "kl", "", ""},
      column{"entropy, nats a token", "entropy", "", ""},
      column{"greedy agreement", "greedy_agreement", "", ""},
      column{"gradient cosine", "gradient_cosine", "all", "all"},
      column{"... of the backward passes alone", "gradient_cosine", "backward", "all"}};
  std::vector<std::string> head{"arm"};
  for (const column& c : columns) head.emplace_back(c.title);
  html_table table(head, narrow_screen::cards);
  for (const arm& a : run.of.arms) {
    std::vector<std::string> row{escaped(a.name)};
    for (const column& c : columns) {
      row.push_back(cell_or_dash(run.figures.frozen(a.name, c.metric, {1, c.passes, c.layer})));
    }
    table.row(row);
  }
  return section(
      "figures", "Figures",
      paragraph(
          "Frozen weights: no arm trains. The cross entropy is that of the texts' own tokens, "
          "KL and entropy are of the distributions behind the same tokens, and greedy agreement "
          "is the share of tokens whose likeliest successor is FP32's. Each with one standard "
          "error, from leaving out one batch of texts at a time.") +
          noise_note(run.of) + table.html());
}

std::string reading_section() {
  return section(
      "reading", "How to read",
      paragraph("A cosine is that of batches: the inner products of both gradients of a batch are "
                "added up over the batches, a layer at a time. Its gradient is that of the mean "
                "cross entropy of the batch. The parts of the error are those of the operands of "
                "FP32's first batch.") +
          paragraph(
              "Weights that were stored in few bits before, such as a quantized GGUF file, lie on "
              "the grid of that format: there figures of weights say little, and those of "
              "activations and gradients are the evidence."));
}

/// The arms as they are assessed: none trains, and so none corrects its updates.
study assessed(study s) {
  for (arm& a : s.arms) {
    a.training = arm_training::none;
    a.correction = mismatch::none;
  }
  return s;
}

}  // namespace

std::string assessment_page(const assessment_plan& plan, const metrics& figures) {
  const run_data run{assessed(plan.of), study_hash(plan.of), figures};
  return framed_page("A checkpoint under several arithmetics", what_was_assessed(plan),
                     {{"figures", "Figures", figures_section(run)},
                      {"gradient", "Gradient", gradient_section_on(run, "texts")},
                      {"components", "Parts of the error", components_section(run)},
                      {"arms", "Arms", arms_section(run)},
                      {"reading", "How to read", reading_section()}});
}

}  // namespace sim
