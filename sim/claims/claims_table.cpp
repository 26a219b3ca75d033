// SPDX-License-Identifier: Apache-2.0
// sim/claims/claims_table.cpp: see claims_table.h.
#include "sim/claims/claims_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "golden/io/shown_text.h"
#include "sim/claims/claims_file.h"
#include "sim/report/figure_text.h"
#include "sim/report/report.h"

namespace sim {
namespace {

constexpr double confidence = 0.95, wanted_power = 0.8;

/// The level of the smallest p-value of as many claims as have a test.
double first_level(const claims_plan& plan) {
  const auto tests = std::ranges::count_if(plan.claims, [](const stated_claim& c) {
    return c.rule == claim_rule::positive || c.rule == claim_rule::equivalent;
  });
  return plan.level / static_cast<double>(std::max<std::ptrdiff_t>(1, tests));
}

/// The figures of a line, with the decimals that its standard error deserves.
class line_text {
 public:
  explicit line_text(const contrast_line& line)
      : line_(line), decimals_(decimals_of({line.sample.mean, line.sample.standard_error()})) {}

  [[nodiscard]] std::string estimate() const { return number_text(line_.sample.mean, decimals_); }
  [[nodiscard]] std::string mean() const { return range(line_.mean); }
  [[nodiscard]] std::string deviation() const {
    return fmt::format("{} ({})", number_text(line_.sample.deviation), range(line_.deviation));
  }
  [[nodiscard]] std::string detectable() const { return number_text(line_.detectable, decimals_); }

 private:
  [[nodiscard]] std::string range(const interval& i) const {
    return fmt::format("{} to {}", number_text(i.low, decimals_), number_text(i.high, decimals_));
  }

  const contrast_line& line_;
  int decimals_;
};

std::string contrast_words(const contrast_line& line) {
  std::string text = fmt::format("{}: {}", line.metric, line.of->of.text);
  if (line.of->expected != 0) text += fmt::format(" (expected {})", line.of->expected);
  return text;
}

std::string p_text(double p) { return p < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", p); }

std::string number_of_each(const std::vector<claim_result>& results) {
  std::vector<std::string> counts;
  for (const outcome o : {outcome::pass, outcome::fail, outcome::inconclusive}) {
    counts.push_back(
        fmt::format("{} {}", std::ranges::count(results, o, &claim_result::decided), word_of(o)));
  }
  return fmt::format("{}", fmt::join(counts, ", "));
}

/// In a cell of a Markdown table.
std::string cell_text(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\\');
  }
  return text;
}

std::string heading(const claims_plan& plan) {
  return fmt::format("{} seeds, {} to {}; family-wise level {}", plan.seeds.size(),
                     plan.seeds.front(), plan.seeds.back(), plan.level);
}

}  // namespace

std::vector<contrast_line> lines_of(const claims_plan& plan, std::size_t claim,
                                    const claim_result& result) {
  std::vector<contrast_line> lines;
  for (const measured_contrast& c : result.contrasts) {
    const claim_contrast& of = plan.claims[claim].contrasts[c.contrast];
    const seed_sample s = sample_of(c.values);
    lines.push_back({&of, plan.metrics[of.metric].name, c.meaning, s,
                     interval_of_mean(s, confidence), interval_of_deviation(s, confidence),
                     smallest_detectable(s, first_level(plan), wanted_power)});
  }
  return lines;
}

std::string terminal_claims(const claims_plan& plan, const std::vector<claim_result>& results) {
  std::vector<std::vector<std::string>> rows{
      {"claim and contrast", "meaning", "estimate", "95 % interval", "detectable", "verdict"}};
  std::string notes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    rows.push_back(
        {golden::io::shown(plan.claims[i].name), "", "", "", "", word_of(results[i].decided)});
    for (const contrast_line& line : lines_of(plan, i, results[i])) {
      const line_text text(line);
      rows.push_back({"  " + contrast_words(line), line.meaning, text.estimate(), text.mean(),
                      text.detectable(), ""});
    }
    if (!results[i].note.empty()) {
      notes += fmt::format("{}: {}\n", golden::io::shown(plan.claims[i].name), results[i].note);
    }
  }
  return fmt::format("{}\n{}{}{}\n", heading(plan), aligned(rows), notes, number_of_each(results));
}

std::string markdown_claims(const claims_plan& plan, const std::vector<claim_result>& results,
                            const std::string& command) {
  std::string text = fmt::format(
      "# Claims: {}\n\n`{}`\n\n{}; {}.\nClaims file: SHA-256 `{}`. Study without its seed: SHA-256 "
      "`{}`.\n\nIntervals are those of Student's t over seeds, 95 % each. *Detectable*: the mean "
      "that as many seeds with this spread show with power 0.8 at the first step of Holm. *p for*, "
      "*p against*: adjusted by Holm over all claims with a test.\n\n"
      "| claim | verdict | contrast | meaning | estimate | 95 % interval | SD over seeds "
      "(95 % interval) | detectable | p for | p against |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n",
      plan.name, command, heading(plan), number_of_each(results), plan.sha256, shared_hash(plan));
  std::string notes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const stated_claim& claim = plan.claims[i];
    const claim_result& result = results[i];
    const bool tested = claim.rule == claim_rule::positive || claim.rule == claim_rule::equivalent;
    std::string name = claim.name, verdict = word_of(result.decided);
    std::string in_favour = tested ? p_text(result.pass_p) : "",
                against = tested ? p_text(result.fail_p) : "";
    for (const contrast_line& line : lines_of(plan, i, result)) {
      const line_text figures(line);
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", cell_text(name),
                          verdict, cell_text(contrast_words(line)), cell_text(line.meaning),
                          figures.estimate(), figures.mean(), figures.deviation(),
                          figures.detectable(), in_favour, against);
      name = verdict = in_favour = against = "";
    }
    const std::string& note = result.note;
    notes += fmt::format("- **{}**: {}{}{}\n", claim.name, claim.says,
                         note.empty()         ? ""
                         : claim.says.empty() ? ""
                                              : " — ",
                         note);
  }
  return text + "\n" + notes;
}

std::string csv_claims(const claims_plan& plan, const std::vector<claim_result>& results) {
  std::string text = "claim,metric,contrast,meaning,seed,value,margin\n";
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const measured_contrast& c : results[i].contrasts) {
      const claim_contrast& of = plan.claims[i].contrasts[c.contrast];
      for (std::size_t s = 0; s < c.values.size(); ++s) {
        text += fmt::format("{},{},{},{},{},{},{}\n", plan.claims[i].name,
                            plan.metrics[of.metric].name, of.of.text, c.meaning, plan.seeds[s],
                            c.values[s], c.margins.empty() ? "" : fmt::format("{}", c.margins[s]));
      }
    }
  }
  return text;
}

}  // namespace sim
