// SPDX-License-Identifier: Apache-2.0
// sim/claims/decision.cpp: see decision.h.
#include "sim/claims/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "golden/io/counted.h"
#include "sim/claims/deviation_test.h"
#include "sim/claims/holm.h"
#include "sim/claims/sign_flip.h"

namespace sim {
namespace {

/// The test that decides, and the one that must agree: Student's t and sign flips of a mean,
/// chi-square under Gaussian and under heavy tails of a standard deviation.
enum class test_kind : std::uint8_t { first, check };

double p_above_zero(std::span<const double> values, test_kind by) {
  return by == test_kind::first ? t_above_zero(sample_of(values)) : sign_flip_above_zero(values);
}

double two_sided(double p) { return std::min(1.0, 2 * p); }

/// sign * (values - expected) + weight * margins, seed by seed.
std::vector<double> shifted(const measured_contrast& c, double sign, double weight) {
  std::vector<double> result;
  for (std::size_t i = 0; i < c.values.size(); ++i) {
    const double margin = weight == 0 ? 0 : weight * c.margins[i];
    result.push_back(sign * (c.values[i] - c.expected) + margin);
  }
  return result;
}

/// p-values of what a claim needs of one contrast, and of what refutes it.
struct evidence {
  double in_favour = 1, against = 1;
};

class contrast_tests {
 public:
  contrast_tests(const measured_contrast& c, test_kind by) : c_(c), by_(by) {}

  [[nodiscard]] evidence positive() const {
    return {two_sided(p(1, 0)), std::min(two_sided(p(-1, 0)), equal())};
  }
  [[nodiscard]] evidence equivalent() const {
    return {equal(), std::max(margin(), two_sided(std::min(p(1, -1), p(-1, -1))))};
  }
  [[nodiscard]] evidence at_most() const { return {two_sided(p(-1, 0)), two_sided(p(1, 0))}; }
  [[nodiscard]] evidence spread(const value_range& within) const {
    const deviation_evidence low = deviation(within.low), high = deviation(within.high);
    return {two_sided(std::max(low.above, high.below)), two_sided(low.below)};
  }
  /// Of a margin above 0: without that there is nothing to be equal within.
  [[nodiscard]] double margin() const { return p(0, 1); }

 private:
  [[nodiscard]] deviation_evidence deviation(double bound) const {
    return by_chi_square(sample_of(c_.values), bound,
                         by_ == test_kind::first ? tails::gaussian : tails::heavy);
  }
  /// Two one-sided tests.
  [[nodiscard]] double equal() const {
    return c_.margins.empty() ? 1 : std::max({p(1, 1), p(-1, 1), margin()});
  }
  [[nodiscard]] double p(double sign, double weight) const {
    return p_above_zero(shifted(c_, sign, weight), by_);
  }

  const measured_contrast& c_;
  test_kind by_;
};

evidence evidence_of(const stated_claim& claim, const measured_contrast& c, test_kind by) {
  const contrast_tests tests(c, by);
  switch (claim.rule) {
    case claim_rule::positive:
      return tests.positive();
    case claim_rule::equivalent:
      return tests.equivalent();
    case claim_rule::at_most:
      return tests.at_most();
    case claim_rule::spread:
      return tests.spread(claim.within);
    default:
      return {};
  }
}

/// All contrasts must show, so the largest p counts; against the claim one is enough, so the
/// smallest is multiplied by their number.
evidence evidence_of(const stated_claim& claim, const std::vector<measured_contrast>& all,
                     test_kind by) {
  evidence whole{0, 1};
  for (const measured_contrast& c : all) {
    const evidence e = evidence_of(claim, c, by);
    whole.in_favour = std::max(whole.in_favour, e.in_favour);
    whole.against = std::min(whole.against, e.against);
  }
  whole.against = std::min(1.0, static_cast<double>(all.size()) * whole.against);
  return whole;
}

using all_values = std::vector<std::vector<measured_contrast>>;

/// Evidence of every claim by one kind of test, in the plan's order.
class family_evidence {
 public:
  family_evidence(const claims_plan& plan, const all_values& values, test_kind by)
      : plan_(plan), by_(by) {
    for (std::size_t i = 0; i < plan.claims.size(); ++i) {
      raw_.push_back(evidence_of(plan.claims[i], values[i], by));
    }
  }

  /// Adjusted over the claims with a test; none for the others.
  [[nodiscard]] std::vector<evidence> adjusted() const { return adjusted(raw_); }

  /// Of a claim with a test, as if it were about these of its contrasts alone.
  [[nodiscard]] evidence adjusted(std::size_t claim,
                                  const std::vector<measured_contrast>& some) const {
    std::vector<evidence> raw = raw_;
    raw[claim] = evidence_of(plan_.claims[claim], some, by_);
    return adjusted(raw)[claim];
  }

 private:
  [[nodiscard]] std::vector<evidence> adjusted(const std::vector<evidence>& raw) const {
    std::vector<double> in_favour, against;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (!is_tested(plan_.claims[i].rule)) continue;
      in_favour.push_back(raw[i].in_favour);
      against.push_back(raw[i].against);
    }
    in_favour = holm_adjusted(in_favour);
    against = holm_adjusted(against);
    std::vector<evidence> result;
    for (std::size_t i = 0, k = 0; i < raw.size(); ++i) {
      const bool tested = is_tested(plan_.claims[i].rule);
      result.push_back(tested ? evidence{in_favour[k], against[k]} : evidence{});
      k += tested ? 1 : 0;
    }
    return result;
  }

  const claims_plan& plan_;
  test_kind by_;
  std::vector<evidence> raw_;
};

outcome outcome_of(const evidence& e, double level) {
  if (e.against <= level) return outcome::fail;
  return e.in_favour <= level ? outcome::pass : outcome::inconclusive;
}

/// The meanings under which a refuted claim would pass, each in the place of the whole claim.
std::string disagreement(std::size_t claim, const std::vector<measured_contrast>& all,
                         const family_evidence& first, const family_evidence& check, double level) {
  std::string text;
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find_if(
        begin, all.end(), [&](const measured_contrast& c) { return c.meaning != begin->meaning; });
    const std::vector<measured_contrast> of_meaning(begin, end);
    const auto passes = [&](const family_evidence& by) {
      return outcome_of(by.adjusted(claim, of_meaning), level) == outcome::pass;
    };
    if (!begin->meaning.empty() && passes(first) && passes(check)) {
      text += fmt::format("the meanings disagree: it holds under {}", begin->meaning);
    }
    begin = end;
  }
  return text;
}

bool has_void_margin(const stated_claim& claim, const std::vector<measured_contrast>& all,
                     double level) {
  return claim.rule == claim_rule::equivalent &&
         std::ranges::any_of(all, [&](const measured_contrast& c) {
           return contrast_tests(c, test_kind::first).margin() > level;
         });
}

/// "t: PASS, sign flips: INCONCLUSIVE"
std::string both_outcomes(claim_rule rule, outcome first, outcome check) {
  const bool spread = rule == claim_rule::spread;
  return fmt::format("{}: {}, {}: {}", spread ? "chi-square" : "t", word_of(first),
                     spread ? "under heavy tails" : "sign flips", word_of(check));
}

void decide_tested(const stated_claim& claim, const evidence& first, const evidence& check,
                   double level, claim_result& result) {
  const outcome by_first = outcome_of(first, level), by_check = outcome_of(check, level);
  result.decided = by_first == by_check ? by_first : outcome::inconclusive;
  result.pass_p = first.in_favour;
  result.fail_p = first.against;
  if (by_first != by_check) {
    result.note = both_outcomes(claim.rule, by_first, by_check);
  } else if (by_first != outcome::fail && has_void_margin(claim, result.contrasts, level)) {
    result.note = "void: the margin is not above 0";
  }
}

void decide_zero(claim_result& result) {
  std::size_t others = 0;
  for (const measured_contrast& c : result.contrasts) {
    others += c.values.size() - static_cast<std::size_t>(std::ranges::count(c.values, 0.0));
  }
  result.decided = others == 0 ? outcome::pass : outcome::fail;
  if (others == 0) return;
  result.note = fmt::format("{} other than 0", golden::io::counted(others, "value"));
}

}  // namespace

const char* word_of(outcome o) {
  constexpr std::array words{"PASS", "FAIL", "INCONCLUSIVE", "-"};
  return words[static_cast<std::size_t>(o)];
}

std::vector<claim_result> decide(const claims_plan& plan, all_values values) {
  const family_evidence by_first(plan, values, test_kind::first),
      by_check(plan, values, test_kind::check);
  const std::vector<evidence> first = by_first.adjusted(), check = by_check.adjusted();
  std::vector<claim_result> results;
  for (std::size_t i = 0; i < plan.claims.size(); ++i) {
    claim_result& result = results.emplace_back();
    result.contrasts = std::move(values[i]);
    const stated_claim& claim = plan.claims[i];
    if (is_tested(claim.rule)) {
      decide_tested(claim, first[i], check[i], plan.level, result);
      if (result.decided == outcome::fail) {
        result.note = disagreement(i, result.contrasts, by_first, by_check, plan.level);
      }
    }
    if (claim.rule == claim_rule::zero) decide_zero(result);
  }
  return results;
}

double least_p_by_sign_flips(claim_rule rule, std::size_t seeds) {
  const double one_sided = std::ldexp(1.0, -static_cast<int>(seeds));
  return rule == claim_rule::equivalent ? one_sided : two_sided(one_sided);
}

}  // namespace sim
