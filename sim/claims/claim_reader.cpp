// SPDX-License-Identifier: Apache-2.0
// sim/claims/claim_reader.cpp: see claim_reader.h.
#include "sim/claims/claim_reader.h"

#include <fmt/format.h>

#include "sim/claims/claims_reading.h"
#include "sim/claims/contrast_text.h"

namespace sim {
namespace {

constexpr std::array rule_words{
    word{claim_rule::positive, "positive"}, word{claim_rule::equivalent, "equivalent"},
    word{claim_rule::at_most, "at most"},   word{claim_rule::spread, "spread"},
    word{claim_rule::zero, "zero"},         word{claim_rule::estimate, "estimate"}};
constexpr std::array phase_words{
    word{std::string_view("frozen"), "frozen"}, word{std::string_view("additivity"), "additivity"},
    word{std::string_view("train"), "train"}, word{std::string_view("warm-up"), "warm-up"}};
constexpr const char* contrast_grammar =
    "a contrast such as \"mbs - mxfp4\" or \"0.2 fp32 - 0.2 mxfp4\", with blanks around + and -";

/// Refuses a key that another key's value makes meaningless.
void refuse_without_effect(table_reader& at, std::string_view key, std::string_view other,
                           std::string_view value) {
  if (at.find(key) == nullptr) return;
  at.refuse(key, fmt::format("has no effect with {} = \"{}\"; remove {}, or change {}", other,
                             value, key, other));
}

void read_step(table_reader& at, const study& s, chosen_metric& m) {
  if (m.phase == "frozen") return refuse_without_effect(at, "step", "phase", m.phase);
  if (at.find("step") == nullptr) return;
  const std::vector<int>& replayed = s.measurement.additivity_steps;
  if (m.phase == "additivity") {
    at.value("step", m.step.emplace(), whole{1, s.grpo.steps});
    if (std::find(replayed.begin(), replayed.end(), *m.step) != replayed.end()) return;
    at.fail("step", fmt::format("a step that the study replays, [{}]", fmt::join(replayed, ", ")),
            *m.step);
  }
  const int last = m.phase == "train" ? s.grpo.steps : s.warm_up.steps;
  at.value("step", m.step.emplace(), whole{0, last});
}

void read_outliers(table_reader& at, const study& s, chosen_metric& m) {
  if (m.phase != "frozen") return refuse_without_effect(at, "outliers", "phase", m.phase);
  at.value("outliers", m.outliers, whole{1, 65536});
  const std::vector<int>& factors = s.outliers.factors;
  if (std::find(factors.begin(), factors.end(), m.outliers) == factors.end()) {
    at.fail("outliers", fmt::format("a factor of the study, [{}]", fmt::join(factors, ", ")),
            m.outliers);
  }
}

void read_diverged(table_reader& at, chosen_metric& m) {
  if (m.phase != "train") return refuse_without_effect(at, "diverged", "phase", m.phase);
  if (at.find("diverged") != nullptr) at.value("diverged", m.diverged.emplace(), finite);
}

void read_study_name(table_reader& at, const claims_plan& plan, chosen_metric& m) {
  std::string name = plan.studies.front().name;
  at.value("study", name);
  std::vector<std::string_view> names;
  for (const planned_study& s : plan.studies) names.push_back(s.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) at.fail("study", one_of(names), name);
  m.study = static_cast<std::size_t>(found - names.begin());
}

chosen_metric read_metric(table_reader& at, std::string_view name, const claims_plan& plan) {
  chosen_metric m;
  m.name = name;
  read_study_name(at, plan, m);
  static_cast<void>(required(at, "phase", "frozen, train, additivity or warm-up"));
  std::string_view phase;
  at.word("phase", phase, phase_words);
  m.phase = phase;
  static_cast<void>(required(at, "metric", "a metric as in metrics.csv"));
  at.value("metric", m.metric);
  at.value("passes", m.passes);
  at.value("layer", m.layer);
  const study& s = plan.studies[m.study].base;
  read_step(at, s, m);
  read_outliers(at, s, m);
  read_diverged(at, m);
  at.value("factor", m.factor, finite);
  at.finish();
  return m;
}

bool names_shapley(const linear_contrast& c) {
  return std::ranges::any_of(c.terms,
                             [](const contrast_term& t) { return t.of.starts_with("shapley."); });
}

/// Reads one [[claim]].
class claim_reader {
 public:
  claim_reader(table_reader& at, claims_plan& plan) : at_(at), plan_(plan) {}

  stated_claim read() {
    stated_claim c;
    static_cast<void>(required(at_, "name", "a name"));
    at_.value("name", c.name);
    at_.value("says", c.says);
    static_cast<void>(required(at_, "rule", "a rule"));
    at_.word("rule", c.rule, rule_words);
    rule_ = c.rule;
    if (at_.find("metric") != nullptr) metric_ = metric_at(at_, "metric");
    read_within(c);
    read_paper_effect(c);
    read_contrasts(c);
    at_.finish();
    return c;
  }

 private:
  void refuse(table_reader& at, std::string_view key) const {
    refuse_without_effect(at, key, "rule", text_of(rule_words, rule_));
  }

  void read_within(stated_claim& c) {
    if (c.rule != claim_rule::spread) return refuse(at_, "within");
    std::vector<double> ends;
    static_cast<void>(required(at_, "within", range_words));
    at_.value("within", ends, positive);
    if (ends.size() != 2 || ends[0] >= ends[1]) {
      at_.fail("within", range_words, fmt::format("[{}]", fmt::join(ends, ", ")));
    }
    c.within = {ends[0], ends[1]};
  }

  void read_paper_effect(stated_claim& c) {
    at_.value("pilot", c.pilot);
    if (!has_mean()) return refuse(at_, "paper_effect");
    if (at_.find("paper_effect") != nullptr) {
      at_.value("paper_effect", c.paper_effect.emplace(), positive);
    }
  }

  /// Whether the rule compares means with numbers.
  [[nodiscard]] bool has_mean() const { return is_tested(rule_) && rule_ != claim_rule::spread; }

  std::size_t metric_at(table_reader& at, std::string_view key) const {
    const std::string& name = at.text(key, required(at, key, "a metric"));
    const auto found = std::find_if(plan_.metrics.begin(), plan_.metrics.end(),
                                    [&](const chosen_metric& m) { return m.name == name; });
    if (found == plan_.metrics.end()) at.fail(key, "a name that [metrics] defines", name);
    return static_cast<std::size_t>(found - plan_.metrics.begin());
  }

  void read_contrasts(stated_claim& c) {
    const toml::node& node = required(at_, "contrasts", contrast_grammar);
    for (const toml::node& element : at_.array("contrasts", node, "contrasts")) {
      c.contrasts.push_back(element.is_table() ? contrast_with_keys(element)
                                               : plain_contrast(element));
    }
    if (c.contrasts.empty()) at_.fail("contrasts", node, "at least one contrast");
    for (const claim_contrast& contrast : c.contrasts) {
      if (c.rule != claim_rule::equivalent || contrast.margin) continue;
      at_.fail("margin", "what counts as equal", "nothing");
    }
  }

  /// Of a contrast's own table, or else of the claim.
  double expected_at(table_reader& inner) const {
    double expected = 0;
    for (table_reader* at : {&at_, &inner}) {
      if (!has_mean()) refuse(*at, "expected");
      at->value("expected", expected, finite);
    }
    const bool given = at_.find("expected") != nullptr || inner.find("expected") != nullptr;
    if (rule_ == claim_rule::at_most && !given) {
      inner.fail("expected", "the number that the contrasts are at most", "nothing");
    }
    return expected;
  }

  claim_contrast plain_contrast(const toml::node& node) {
    if (!metric_) at_.fail("metric", "a metric of the contrasts", "nothing");
    return {contrast_at(at_, "contrasts", node, *metric_), *metric_, expected_at(at_),
            margin_at(at_, *metric_)};
  }

  claim_contrast contrast_with_keys(const toml::node& node) {
    table_reader inner = at_.open("contrasts", node);
    claim_contrast c;
    const bool own_metric = inner.find("metric") != nullptr || !metric_;
    c.metric = own_metric ? metric_at(inner, "metric") : *metric_;
    if (inner.find("row") != nullptr) c.metric = with_row(inner, c.metric);
    c.of = contrast_at(inner, "of", required(inner, "of", contrast_grammar), c.metric);
    c.expected = expected_at(inner);
    c.margin =
        inner.find("margin") != nullptr ? margin_at(inner, c.metric) : margin_at(at_, c.metric);
    inner.finish();
    return c;
  }

  /// A metric like that one, from rows of another name; with its step, if it has one, so that the
  /// same row at several steps reads as several metrics.
  std::size_t with_row(table_reader& at, std::size_t metric) {
    chosen_metric other = plan_.metrics[metric];
    at.value("row", other.metric);
    other.name =
        other.step ? fmt::format("{} at step {}", other.metric, *other.step) : other.metric;
    plan_.metrics.push_back(std::move(other));
    return plan_.metrics.size() - 1;
  }

  linear_contrast contrast_at(const table_reader& at, std::string_view key, const toml::node& node,
                              std::size_t metric) const {
    const auto contrast = contrast_in(at.text(key, node));
    if (!contrast) at.fail(key, node, contrast_grammar);
    for (const contrast_term& t : contrast->terms) check_term(at, key, t.of, metric);
    return *contrast;
  }

  void check_term(const table_reader& at, std::string_view key, const std::string& of,
                  std::size_t metric) const {
    const chosen_metric& m = plan_.metrics[metric];
    if (of.starts_with("shapley.")) {
      if (of != "shapley.S" && of != "shapley.D" && of != "shapley.G") {
        at.fail(key, "shapley.S, shapley.D or shapley.G", of);
      }
      if (plan_.meanings.empty()) at.fail(key, "[meanings] for Shapley values", "none");
      for (const toggle_meaning& meaning : plan_.meanings) {
        for (const std::string& cell : meaning.arms) check_arm(at, key, cell, m);
      }
      return;
    }
    check_arm(at, key, of, m);
  }

  void check_arm(const table_reader& at, std::string_view key, const std::string& name,
                 const chosen_metric& m) const {
    const study& s = plan_.studies[m.study].base;
    expect_arm(at, key, s, name);
    if (m.phase != "train" || arm_named(s, name)->training == arm_training::grpo) return;
    at.fail(key, "arms that `trained` lists, for a metric of phase train", name);
  }

  std::optional<equality_margin> margin_at(table_reader& at, std::size_t metric) const {
    const toml::node* node = at.find("margin");
    if (node == nullptr) return {};
    if (rule_ != claim_rule::positive && rule_ != claim_rule::equivalent) refuse(at, "margin");
    equality_margin margin;
    if (node->is_string()) {
      margin.contrast = contrast_at(at, "margin", *node, metric);
    } else if (!read_number(*node, positive, margin.number)) {
      at.fail("margin", *node, fmt::format("a number above 0, or {}", contrast_grammar));
    }
    return margin;
  }

  static constexpr const char* range_words = "two numbers above 0, the smaller one first";

  table_reader& at_;
  claims_plan& plan_;
  claim_rule rule_ = claim_rule::positive;
  std::optional<std::size_t> metric_;
};

}  // namespace

bool needs_meaning(const stated_claim& c) {
  return std::ranges::any_of(c.contrasts, [](const claim_contrast& contrast) {
    const bool by_margin = contrast.margin && contrast.margin->contrast;
    return names_shapley(contrast.of) || (by_margin && names_shapley(*contrast.margin->contrast));
  });
}

void read_chosen_metrics(table_reader& root, claims_plan& plan) {
  const toml::node& node = required(root, "metrics", "[metrics.NAME] tables");
  const table_reader at = root.open("metrics", node);
  for (auto&& [key, value] : at.table()) {
    table_reader inner = at.open(key.str(), value);
    plan.metrics.push_back(read_metric(inner, key.str(), plan));
  }
}

void read_stated_claims(table_reader& root, claims_plan& plan) {
  const toml::node& node = required(root, "claim", "at least one [[claim]]");
  for (const toml::node& element : root.array("claim", node, "[[claim]] tables")) {
    table_reader at = root.open("claim", element);
    stated_claim c = claim_reader(at, plan).read();
    const bool known = std::any_of(plan.claims.begin(), plan.claims.end(),
                                   [&](const stated_claim& other) { return other.name == c.name; });
    if (known) at.fail("name", "a name that no other claim has", c.name);
    plan.claims.push_back(std::move(c));
  }
  if (plan.claims.empty()) root.fail("claim", node, "at least one [[claim]]");
}

}  // namespace sim
