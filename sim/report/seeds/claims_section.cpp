// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/claims_section.cpp: see claims_section.h.
#include "sim/report/seeds/claims_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/claims/claims_table.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/interval_chart.h"
#include "sim/report/seeds/over_seeds.h"

namespace sim {
namespace {

/// More rows than these open on a click.
constexpr std::size_t most_rows = 6;

const char* colour_of(outcome o) {
  switch (o) {
    case outcome::pass:
      return "yes";
    case outcome::fail:
      return "against";
    default:
      return "no";
  }
}

std::string chip_of(outcome o) {
  return fmt::format("<span class=\"chip {}\">{}</span>", colour_of(o),
                     o == outcome::none ? "estimate" : word_of(o));
}

std::string name_of(const contrast_line& line) {
  return line.meaning.empty() ? line.of->of.text
                              : fmt::format("{}, {}", line.of->of.text, line.meaning);
}

double centre(const value_range& r) { return (r.low + r.high) / 2; }
double half_width(const value_range& r) { return (r.high - r.low) / 2; }

std::optional<double> mean_margin(const measured_contrast& c) {
  return c.margins.empty() ? std::nullopt : std::optional{mean_of(c.margins)};
}

/// A standard deviation with its interval.
std::string deviation_cell(const contrast_line& line) {
  const auto text = [](double v) { return number_text(v); };
  return fmt::format("{} <small class=\"range\">[{}, {}]</small>", text(line.sample.deviation),
                     text(line.deviation.low), text(line.deviation.high));
}

/// Beside the figures of an undecided claim; nothing where a contrast has no spread.
std::string detectable_cell(const stated_claim& claim, const contrast_line& line) {
  if (line.sample.deviation == 0) return "";
  const int decimals = decimals_of({line.sample.mean, line.sample.standard_error()});
  return fmt::format(" <small class=\"range\">detectable {}</small>",
                     claim.rule == claim_rule::spread ? number_text(line.detectable)
                                                      : number_text(line.detectable, decimals));
}

/// Of a spread, the standard deviation over seeds and the range in which it is claimed to be.
interval_row row_of(const stated_claim& claim, const contrast_line& line,
                    const measured_contrast& c) {
  if (claim.rule == claim_rule::spread) {
    return {name_of(line),      deviation_cell(line), line.sample.deviation,
            line.deviation.low, line.deviation.high,  half_width(claim.within)};
  }
  const seed_estimate e{line.sample, line.mean};
  return {name_of(line), signed_interval_cell(e), line.sample.mean,
          line.mean.low, line.mean.high,          mean_margin(c)};
}

/// What a contrast is compared with.
double reference_of(const stated_claim& claim, const contrast_line& line) {
  return claim.rule == claim_rule::spread ? centre(claim.within) : line.of->expected;
}

std::string chart_title(const stated_claim& claim, const contrast_line& line) {
  if (claim.rule == claim_rule::spread) {
    return fmt::format("standard deviation over seeds of {}, range {} to {}", line.metric,
                       claim.within.low, claim.within.high);
  }
  if (line.of->expected == 0) return line.metric;
  return fmt::format("{}, {} {}", line.metric,
                     claim.rule == claim_rule::at_most ? "at most" : "expected", line.of->expected);
}

/// Contrasts of one metric that are compared with the same number share an axis.
std::string charts_of(const stated_claim& claim, const std::vector<contrast_line>& lines,
                      const claim_result& result) {
  std::vector<interval_chart> charts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const contrast_line& line = lines[i];
    const std::string title = chart_title(claim, line);
    auto chart = std::ranges::find(charts, title, &interval_chart::title);
    if (chart == charts.end()) {
      chart = charts.insert(chart, {title, reference_of(claim, line), {}});
    }
    interval_row row = row_of(claim, line, result.contrasts[i]);
    if (result.decided == outcome::inconclusive) row.text += detectable_cell(claim, line);
    chart->rows.push_back(std::move(row));
  }
  std::string body;
  for (const interval_chart& chart : charts) body += draw(chart);
  return lines.size() <= most_rows ? body : fold(fmt::format("{} contrasts", lines.size()), body);
}

std::string p_text(double p) { return p < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", p); }

/// Values of a claim that all must be 0.
std::string count_of_values(const claim_result& result) {
  std::size_t count = 0;
  for (const measured_contrast& c : result.contrasts) count += c.values.size();
  return paragraph(fmt::format("All {} values are exactly 0.", count));
}

std::string card_of(const claims_plan& plan, std::size_t index, const claim_result& result) {
  const stated_claim& claim = plan.claims[index];
  const std::vector<contrast_line> lines = lines_of(plan, index, result);
  std::string body = fmt::format("<h3>{} {}</h3>\n", escaped(claim.name), chip_of(result.decided));
  if (!claim.says.empty()) body += paragraph(escaped(claim.says) + ".");
  const std::string beside = note_of(plan, index, result, lines);
  if (!beside.empty()) body += note(escaped(beside) + ".");
  const bool all_zero = claim.rule == claim_rule::zero && result.decided == outcome::pass;
  body += all_zero ? count_of_values(result) : charts_of(claim, lines, result);
  if (is_tested(claim.rule)) {
    body += fmt::format("<p class=\"caption\">p-value for it {}, against it {}.</p>\n",
                        escaped(p_text(result.pass_p)), escaped(p_text(result.fail_p)));
  }
  return fmt::format("<div class=\"card\">\n{}</div>\n", body);
}

/// Links to the pages of the studies beside the main one.
std::string other_pages(const claims_plan& plan) {
  std::string links;
  for (std::size_t i = 1; i < plan.studies.size(); ++i) {
    const planned_study& s = plan.studies[i];
    if (s.seeds.size() < 2) continue;
    links += fmt::format("{}<a href=\"{}/report.html\">{}</a>", links.empty() ? "" : ", ",
                         escaped(s.name), escaped(s.name));
  }
  return links.empty() ? "" : paragraph("Below is the main study; the others: " + links + ".");
}

std::string counts_of(const std::vector<claim_result>& results) {
  std::string words;
  for (const outcome o : {outcome::pass, outcome::fail, outcome::inconclusive}) {
    words +=
        fmt::format("{} {} ", std::ranges::count(results, o, &claim_result::decided), chip_of(o));
  }
  return words;
}

/// What the cards of spreads show instead; empty without one.
std::string legend_of_spreads(const claims_plan& plan) {
  if (std::ranges::count(plan.claims, claim_rule::spread, &stated_claim::rule) == 0) return "";
  return " Of a claim on a spread the dot is the standard deviation over seeds of that difference, "
         "its whisker the 95 % interval of chi-square, and the shade the range in which it is "
         "claimed to be.";
}

}  // namespace

std::string claims_section(const claims_plan& plan, const std::vector<claim_result>& results) {
  std::string body =
      paragraph(fmt::format("{} over {}.", counts_of(results), escaped(heading_of(plan)))) +
      other_pages(plan);
  body += note(
      "A dot is the mean over seeds of a difference within each, its whisker the 95 % interval of "
      "Student's t; the upright line is what it is compared with, and the shade the margin within "
      "which it counts as equal (the mean over seeds of a margin that each seed has of its own). "
      "<b>PASS</b>: every contrast shows it. <b>FAIL</b>: one shows the reverse, or that there is "
      "no effect of the size of the margin. <b>INCONCLUSIVE</b>: neither, which is no evidence for "
      "either; beside it stands the smallest effect that as many seeds with this spread would show "
      "with power 0.8. The p-values for and against are adjusted by Holm over all claims." +
      legend_of_spreads(plan));
  std::string cards;
  for (std::size_t i = 0; i < results.size(); ++i) cards += card_of(plan, i, results[i]);
  return section("claims", "Claims", body + "<div class=\"cards\">\n" + cards + "</div>\n");
}

}  // namespace sim
