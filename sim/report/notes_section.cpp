// SPDX-License-Identifier: Apache-2.0
// sim/report/notes_section.cpp: the arms and their formats, and how to read the page.
#include <fmt/format.h>

#include <algorithm>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"
#include "sim/report/used_models.h"
#include "sim/study/study_words.h"

namespace sim {
namespace {

///   word_of_other  "W", or in wgrad "X"
std::string words_of_pass(const pass_format& f, std::string_view word_of_other) {
  const std::string products = words_of_products(f);
  const std::string behind = products.empty() ? "" : " " + products;
  if (f.source == operand_source::forward) {
    return fmt::format("{} by {} of forward{}", words_of(f.data), word_of_other, behind);
  }
  if (f.data == f.other) return words_of(f.data) + behind;
  return fmt::format("{} by {}{}", words_of(f.data), words_of(f.other), behind);
}

std::string words_of_passes(const arithmetic& formats) {
  const auto groups = passes_by(formats, [&](const pass_format& f) {
    return words_of_pass(f, &f == &formats.wgrad ? "X" : "W");
  });
  if (groups.size() == 1) return groups[0].first;
  std::string result;
  for (const auto& [format, passes] : groups) {
    result += fmt::format("{}{}: {}", result.empty() ? "" : "; ", passes, format);
  }
  return result;
}

/// Passes with the same formats are grouped.
std::string words_of_arithmetic(const arithmetic& formats) {
  const std::string exempt = words_of(formats.forward.exempt);
  const std::string rules = words_of(formats.forward.rules);
  return words_of_passes(formats) + (rules.empty() ? "" : "; " + rules) +
         (exempt.empty() ? "" : "; " + exempt);
}

int macro_block_of(const study& s) {
  int result = 0;
  for (const arm& a : s.arms) {
    for (const pass p : all_passes) {
      const pass_format& f = formats_of(a.formats, p);
      for (const mx::operand& o : {f.data, f.other}) {
        result = std::max(result, o.recipe.corrections.macro_block);
      }
    }
  }
  return result;
}

std::string macro_block_note(const study& s) {
  const int macro_block = macro_block_of(s);
  if (macro_block == 0) return "";
  const auto shorter = short_contractions(s.policy, s.task, macro_block);
  if (shorter.empty()) {
    return paragraph(fmt::format(
        "No product contracts over fewer than {} elements, so every macro block is whole.",
        macro_block));
  }
  return paragraph(
      fmt::format("<b>Macro blocks are shorter than {} here</b> where a product contracts over "
                  "fewer elements: {}. There a macro block is the whole contraction, and where "
                  "that is one block of 32, the factor belongs to that block alone.",
                  macro_block, fmt::join(shorter, ", ")));
}

/// Evidence of the models of products.
std::string models_note(const study& s) {
  std::string rows;
  for (const used_model& m : models_of(s)) {
    rows += fmt::format(" <b>{}</b> ({}): evidence {}; {}.", m.model->name,
                        escaped(fmt::format("{}", fmt::join(m.arms, ", "))),
                        name_of(m.model->rests_on), escaped(m.model->source));
    if (!m.model->doubts.empty()) rows += fmt::format(" Doubts: {}.", escaped(m.model->doubts));
  }
  if (rows.empty()) return "";
  return paragraph(
      "<b>Models of products.</b> All other products are fused multiply-adds of FP32 values, with "
      "k ascending. These multiply codes and scales as a tensor core, or by a definition." +
      rows);
}

}  // namespace

namespace {

std::string words_of_correction(const study& s, const arm& a) {
  if (a.correction == mismatch::none) return "none";
  return fmt::format("{}, cap {}",
                     a.correction == mismatch::sequence_mask ? "sequence mask" : "TIS",
                     importance_cap_of(a, s.grpo));
}

std::string words_of_optimizer(const study& s, const arm& a) {
  switch (optimizer_of(a, s.grpo)) {
    case optimizer_kind::adam:
      return "Adam";
    case optimizer_kind::sgd:
      return "SGD";
    case optimizer_kind::adamw:
      break;
  }
  return fmt::format("AdamW, weight decay {}", weight_decay_of(a, s.grpo));
}

std::string words_of_update(const study& s, const arm& a) {
  if (a.training == arm_training::none) return "not trained";
  return fmt::format("{}, rate {}", words_of_optimizer(s, a), learning_rate_of(a, s.grpo));
}

}  // namespace

std::string arms_section(const run_data& run) {
  html_table table({"arm", "products of q, k, v, o, gate, up, down", "noise in the rollout",
                    "correction of the mismatch", "updates"});
  for (const arm& a : run.of.arms) {
    table.row({escaped(a.name), words_of_arithmetic(a.formats),
               a.noise == rollout_noise::adaptive ? "adaptive (AQN)" : "none",
               words_of_correction(run.of, a), words_of_update(run.of, a)});
  }
  return section("arms", "Arms", table.html());
}

std::string notes_section(const run_data& run) {
  const study& s = run.of;
  const frozen_tokens tokens = s.measurement.frozen_tokens;
  std::string body = paragraph(fmt::format(
      "<b>Two levels.</b> At frozen weights, every arm sees the same weights and the same "
      "{}, so a difference is the arithmetic's, and its standard error comes from leaving "
      "out one of the batches at a time. In training, arms drift apart after the first token that "
      "differs.",
      text_of(frozen_token_words, tokens)));
  body += paragraph(
      "<b>Training seeds.</b> How far another seed would move the curves of training is not "
      "measured "
      "here; differences of a few hundredths in reward prove nothing.");
  body += paragraph(
      "<b>Two meanings of a toggle.</b> Injection adds the chosen parts of the error to the exact "
      "value. Operation runs nested real quantizers of which only the chosen stages are on. All "
      "parts on is the real quantizer, and all off is exact, in both; in between they differ, "
      "since scale and grid errors partly cancel. Under the rule rceil, operation with the scale "
      "alone changes nothing, and without the scale both meanings are equal.");
  body += macro_block_note(s);
  body += models_note(s);
  const int sequences = tokens == frozen_tokens::demonstrations ? s.warm_up.sequences
                                                                : s.grpo.prompts * s.grpo.samples;
  body += paragraph(fmt::format(
      "<b>Frozen figures</b> use {} batches of {} {}; accuracies use {} fixed problems. KL "
      "is KL(arm \u2016 FP32), the mean over response tokens; entropy is over all {} tokens of the "
      "vocabulary on the same prefixes. AQN is measured at sigma {}.",
      s.measurement.frozen_batches, sequences, text_of(frozen_token_words, tokens),
      s.measurement.evaluation_problems, s.policy.vocabulary, s.noise.frozen_sigma));
  body += paragraph(
      "<b>Charts.</b> Charts of one figure share their axes. FP32 is the black (in dark: white) "
      "line, plain MXFP4 the orange-red one. Hover over a mark for its number.");
  return section("notes", "How to read this page", body);
}

}  // namespace sim
