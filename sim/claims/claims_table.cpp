// SPDX-License-Identifier: Apache-2.0
// sim/claims/claims_table.cpp: see claims_table.h.
#include "sim/claims/claims_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "golden/io/counted.h"
#include "golden/io/shown_text.h"
#include "sim/claims/claims_file.h"
#include "sim/claims/deviation_test.h"
#include "sim/report/figure_text.h"
#include "sim/report/report.h"

namespace sim {
namespace {

constexpr double confidence = 0.95, wanted_power = 0.8;

/// The level of the smallest p-value of as many claims as have a test.
double first_level(const claims_plan& plan) {
  const auto tests =
      std::ranges::count_if(plan.claims, [](const stated_claim& c) { return is_tested(c.rule); });
  return plan.level / static_cast<double>(std::max<std::ptrdiff_t>(1, tests));
}

/// The figures of a line, with the decimals that its standard error deserves.
class line_text {
 public:
  line_text(claim_rule rule, const contrast_line& line)
      : line_(line),
        is_spread_(rule == claim_rule::spread),
        decimals_(decimals_of(
            is_spread_ ? deviation_estimate(line.sample)
                       : sim::estimate{line.sample.mean, line.sample.standard_error()})) {}

  /// The figure that the claim is about, and its interval: the mean, or the deviation.
  [[nodiscard]] std::string estimate() const {
    return number_text(is_spread_ ? line_.sample.deviation : line_.sample.mean, decimals_);
  }
  [[nodiscard]] std::string interval_words() const {
    return range(is_spread_ ? line_.deviation : line_.mean);
  }
  [[nodiscard]] std::string deviation() const {
    return fmt::format("{} ({})", number_text(line_.sample.deviation), range(line_.deviation));
  }
  [[nodiscard]] std::string detectable() const { return number_text(line_.detectable, decimals_); }

 private:
  /// With the standard error of Gaussian values.
  static sim::estimate deviation_estimate(const seed_sample& s) {
    const auto freedom = static_cast<double>(s.seeds) - 1;
    return {s.deviation, s.deviation / std::sqrt(2 * freedom)};
  }
  [[nodiscard]] std::string range(const interval& i) const {
    return fmt::format("{} to {}", number_text(i.low, decimals_), number_text(i.high, decimals_));
  }

  const contrast_line& line_;
  bool is_spread_;
  int decimals_;
};

std::string contrast_words(const stated_claim& claim, const contrast_line& line) {
  const std::string text = fmt::format("{}: {}", line.metric, line.of->of.text);
  if (claim.rule == claim_rule::at_most) {
    return text + fmt::format(" (at most {})", line.of->expected);
  }
  if (claim.rule == claim_rule::spread) {
    return fmt::format("SD of {} (within {} to {})", text, claim.within.low, claim.within.high);
  }
  return line.of->expected != 0 ? text + fmt::format(" (expected {})", line.of->expected) : text;
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

/// "24 seeds, 101 to 124", of several studies each with its name.
std::string seed_words(const claims_plan& plan) {
  std::vector<std::string> texts;
  for (const planned_study& s : plan.studies) {
    const std::string name = plan.studies.size() == 1 ? "" : s.name + ": ";
    texts.push_back(fmt::format("{}{}, {} to {}", name, golden::io::counted(s.seeds.size(), "seed"),
                                s.seeds.front(), s.seeds.back()));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string hash_words(const claims_plan& plan) {
  std::string text = fmt::format("Claims file: SHA-256 `{}`.", plan.sha256);
  for (const planned_study& s : plan.studies) {
    const std::string name = plan.studies.size() == 1 ? "" : s.name + " ";
    text += fmt::format(" Study {}without its seed: SHA-256 `{}`.", name, shared_hash(s));
  }
  return text;
}

/// Whether the seeds could have missed half of the paper's effect, and whether the pilot said so.
std::string power_words(const stated_claim& claim, const claim_result& result,
                        const std::vector<contrast_line>& lines) {
  if (result.decided != outcome::inconclusive || !claim.paper_effect) return "";
  double detectable = 0;
  for (const contrast_line& line : lines) detectable = std::max(detectable, line.detectable);
  if (detectable <= *claim.paper_effect / 2) return "";
  return fmt::format(
      "the smallest detectable effect, {}, is above half of the paper's, {}; {}",
      number_text(detectable), number_text(*claim.paper_effect / 2),
      claim.pilot.empty() ? "the pilot did not say so" : "the pilot said: " + claim.pilot);
}

/// Seeds from which on sign flips can show a claim at the first step of Holm.
std::size_t fewest_flips(const claims_plan& plan, claim_rule rule) {
  std::size_t seeds = 1;
  while (least_p_by_sign_flips(rule, seeds) > first_level(plan)) ++seeds;
  return seeds;
}

/// That an open claim has too few seeds for sign flips, whatever t and the detectable effects say.
std::string flip_words(const claims_plan& plan, claim_rule rule, const claim_result& result,
                       const std::vector<contrast_line>& lines) {
  if (result.decided != outcome::inconclusive || rule == claim_rule::spread) return "";
  const std::size_t seeds = std::ranges::min(lines, {}, [](const contrast_line& line) {
                              return line.sample.seeds;
                            }).sample.seeds;
  const std::size_t needed = fewest_flips(plan, rule);
  if (seeds >= needed) return "";
  return fmt::format("sign flips of {} show no effect at the first step of Holm; those of {} can",
                     golden::io::counted(seeds, "seed"), needed);
}

double detectable_of(const claims_plan& plan, const stated_claim& claim, const seed_sample& s) {
  const double level = first_level(plan);
  return claim.rule == claim_rule::spread
             ? smallest_deviation_above(s.seeds, claim.within.low, level, wanted_power)
             : smallest_detectable(s, level, wanted_power);
}

/// A cell of a CSV file (RFC 4180, section 2): quoted where it holds a separator.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

}  // namespace

std::string heading_of(const claims_plan& plan) {
  return fmt::format("{}; family-wise level {}", seed_words(plan), plan.level);
}

std::vector<contrast_line> lines_of(const claims_plan& plan, std::size_t claim,
                                    const claim_result& result) {
  std::vector<contrast_line> lines;
  for (const measured_contrast& c : result.contrasts) {
    const claim_contrast& of = plan.claims[claim].contrasts[c.contrast];
    const seed_sample s = sample_of(c.values);
    lines.push_back({&of, plan.metrics[of.metric].name, c.meaning, s,
                     interval_of_mean(s, confidence), interval_of_deviation(s, confidence),
                     detectable_of(plan, plan.claims[claim], s)});
  }
  return lines;
}

std::string note_of(const claims_plan& plan, std::size_t claim, const claim_result& result,
                    const std::vector<contrast_line>& lines) {
  const stated_claim& stated = plan.claims[claim];
  std::string note = result.note;
  for (const std::string& words :
       {flip_words(plan, stated.rule, result, lines), power_words(stated, result, lines)}) {
    note += (note.empty() || words.empty() ? "" : "; ") + words;
  }
  return note;
}

std::string terminal_claims(const claims_plan& plan, const std::vector<claim_result>& results) {
  std::vector<std::vector<std::string>> rows{
      {"claim and contrast", "meaning", "estimate", "95 % interval", "detectable", "verdict"}};
  std::string notes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    rows.push_back(
        {golden::io::shown(plan.claims[i].name), "", "", "", "", word_of(results[i].decided)});
    const std::vector<contrast_line> lines = lines_of(plan, i, results[i]);
    for (const contrast_line& line : lines) {
      const line_text text(plan.claims[i].rule, line);
      rows.push_back({"  " + contrast_words(plan.claims[i], line), line.meaning, text.estimate(),
                      text.interval_words(), text.detectable(), ""});
    }
    const std::string note = note_of(plan, i, results[i], lines);
    if (!note.empty()) {
      notes +=
          fmt::format("{}: {}\n", golden::io::shown(plan.claims[i].name), golden::io::shown(note));
    }
  }
  return fmt::format("{}\n{}{}{}\n", heading_of(plan), aligned(rows), notes,
                     number_of_each(results));
}

std::string markdown_claims(const claims_plan& plan, const std::vector<claim_result>& results,
                            const table_origin& origin) {
  std::string text = fmt::format(
      "# Claims: {}\n\n`{}`\n\nProgram: commit {}. Machine: {}.\n\n{}; {}.\n{}\n\n"
      "Intervals of means are those of Student's t over seeds, of standard deviations those of "
      "chi-square, 95 % each. *Detectable*: the mean that as many seeds with this spread show with "
      "power 0.8 at the first step of Holm; of a standard deviation, the smallest that they show "
      "to be above the range's low end. *p for*, *p against*: adjusted by Holm over all claims "
      "with a test.\n\n"
      "| claim | verdict | contrast | meaning | estimate | 95 % interval | SD over seeds "
      "(95 % interval) | detectable | p for | p against |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n",
      plan.name, origin.command, origin.commit, origin.machine, heading_of(plan),
      number_of_each(results), hash_words(plan));
  std::string notes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const stated_claim& claim = plan.claims[i];
    const claim_result& result = results[i];
    const bool tested = is_tested(claim.rule);
    std::string name = claim.name, verdict = word_of(result.decided);
    std::string in_favour = tested ? p_text(result.pass_p) : "",
                against = tested ? p_text(result.fail_p) : "";
    const std::vector<contrast_line> lines = lines_of(plan, i, result);
    for (const contrast_line& line : lines) {
      const line_text figures(claim.rule, line);
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", cell_text(name),
                          verdict, cell_text(contrast_words(claim, line)), cell_text(line.meaning),
                          figures.estimate(), figures.interval_words(), figures.deviation(),
                          figures.detectable(), in_favour, against);
      name = verdict = in_favour = against = "";
    }
    const std::string note = note_of(plan, i, result, lines);
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
      const chosen_metric& metric = plan.metrics[of.metric];
      const std::vector<std::uint64_t>& seeds = plan.studies[metric.study].seeds;
      for (std::size_t s = 0; s < c.values.size(); ++s) {
        text +=
            fmt::format("{},{},{},{},{},{},{}\n", csv_cell(plan.claims[i].name),
                        csv_cell(metric.name), csv_cell(of.of.text), csv_cell(c.meaning), seeds[s],
                        c.values[s], c.margins.empty() ? "" : fmt::format("{}", c.margins[s]));
      }
    }
  }
  return text;
}

}  // namespace sim
