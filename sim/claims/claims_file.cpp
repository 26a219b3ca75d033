// SPDX-License-Identifier: Apache-2.0
// sim/claims/claims_file.cpp: see claims_file.h.
#include "sim/claims/claims_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "golden/io/file.h"
#include "sim/claims/contrast_text.h"
#include "sim/claims/sign_flip.h"
#include "sim/study/sha256.h"
#include "sim/study/table_reader.h"
#include "sim/study/toml_text.h"

namespace sim {
namespace {

constexpr real finite{"a finite number", [](double v) { return std::isfinite(v); }};
constexpr real family_level{"a number from 0.001 to 0.5",
                            [](double v) { return v >= 0.001 && v <= 0.5; }};
constexpr std::array rule_words{
    word{claim_rule::positive, "positive"}, word{claim_rule::equivalent, "equivalent"},
    word{claim_rule::zero, "zero"}, word{claim_rule::estimate, "estimate"}};
constexpr std::array phase_words{
    word{std::string_view("frozen"), "frozen"}, word{std::string_view("additivity"), "additivity"},
    word{std::string_view("train"), "train"}, word{std::string_view("warm-up"), "warm-up"}};
constexpr const char* contrast_grammar =
    "a contrast such as \"mbs - mxfp4\" or \"0.2 fp32 - 0.2 mxfp4\", with blanks around + and -";

const toml::node& required(table_reader& at, std::string_view key, const char* what) {
  const toml::node* node = at.find(key);
  if (node == nullptr) at.fail(key, what, "nothing");
  return *node;
}

std::vector<std::string> texts_in(table_reader& at, std::string_view key) {
  std::vector<std::string> result;
  const toml::node* node = at.find(key);
  if (node == nullptr) return result;
  for (const toml::node& element : at.array(key, *node, "strings")) {
    result.push_back(at.text(key, element));
  }
  return result;
}

const arm* arm_named(const study& s, const std::string& name) {
  const auto found = std::ranges::find(s.arms, name, &arm::name);
  return found == s.arms.end() ? nullptr : &*found;
}

std::string arm_names(const study& s) {
  std::vector<std::string_view> names;
  for (const arm& a : s.arms) names.push_back(a.name);
  return one_of(names);
}

/// Keeps training of the named arms alone.
void read_trained(table_reader& root, study& s) {
  if (root.find("trained") == nullptr) return;
  const std::vector<std::string> names = texts_in(root, "trained");
  for (const std::string& name : names) {
    if (arm_named(s, name) == nullptr)
      root.fail("trained", "arms of the study: " + arm_names(s), name);
  }
  for (arm& a : s.arms) {
    const bool trained = std::ranges::find(names, a.name) != names.end();
    a.training = trained ? arm_training::grpo : arm_training::none;
  }
}

void read_seeds(table_reader& root, claims_plan& plan) {
  int count = 0;
  static_cast<void>(required(root, "seeds", "the number of seeds"));
  root.value("seeds", count, whole{2, static_cast<std::int64_t>(most_flipped)});
  std::uint64_t first = 0;
  static_cast<void>(required(root, "first_seed", "the first of the seeds"));
  root.value("first_seed", first);
  for (int i = 0; i < count; ++i) plan.seeds.push_back(first + static_cast<std::uint64_t>(i));
}

void read_meanings(table_reader& root, claims_plan& plan) {
  const toml::node* node = root.find("meanings");
  if (node == nullptr) return;
  table_reader at = root.open("meanings", *node);
  for (auto&& [key, value] : at.table()) {
    const std::vector<std::string> names = texts_in(at, key.str());
    if (names.size() != cells) at.fail(key.str(), value, "arms of none, S, D, SD, G, SG, DG, SDG");
    toggle_meaning& meaning = plan.meanings.emplace_back();
    meaning.name = key.str();
    for (std::size_t c = 0; c < cells; ++c) {
      if (arm_named(plan.base, names[c]) == nullptr) {
        at.fail(key.str(), "arms of the study: " + arm_names(plan.base), names[c]);
      }
      meaning.arms[c] = names[c];
    }
  }
}

chosen_metric read_metric(table_reader& at, std::string_view name) {
  chosen_metric m;
  m.name = name;
  static_cast<void>(required(at, "phase", "frozen, train, additivity or warm-up"));
  std::string_view phase;
  at.word("phase", phase, phase_words);
  m.phase = phase;
  static_cast<void>(required(at, "metric", "a metric as in metrics.csv"));
  at.value("metric", m.metric);
  at.value("passes", m.passes);
  at.value("layer", m.layer);
  if (at.find("step") != nullptr) at.value("step", m.step.emplace(), whole{0, 1'000'000});
  at.value("outliers", m.outliers, whole{1, 65536});
  at.value("factor", m.factor, finite);
  if (at.find("diverged") != nullptr) at.value("diverged", m.diverged.emplace(), finite);
  at.finish();
  return m;
}

void read_metrics_table(table_reader& root, claims_plan& plan) {
  const toml::node& node = required(root, "metrics", "[metrics.NAME] tables");
  const table_reader at = root.open("metrics", node);
  for (auto&& [key, value] : at.table()) {
    table_reader inner = at.open(key.str(), value);
    plan.metrics.push_back(read_metric(inner, key.str()));
  }
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
    if (at_.find("metric") != nullptr) metric_ = metric_at(at_, "metric");
    read_contrasts(c);
    at_.finish();
    return c;
  }

 private:
  std::size_t metric_at(table_reader& at, std::string_view key) const {
    const std::string& name = at.text(key, required(at, key, "a metric"));
    const auto found = std::ranges::find(plan_.metrics, name, &chosen_metric::name);
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
    if (needs_meaning(c) && plan_.meanings.empty()) {
      at_.fail("contrasts", "[meanings] for Shapley values", "none");
    }
    for (const claim_contrast& contrast : c.contrasts) {
      if (c.rule != claim_rule::equivalent || contrast.margin) continue;
      at_.fail("margin", "what counts as equal", "nothing");
    }
  }

  claim_contrast plain_contrast(const toml::node& node) {
    if (!metric_) at_.fail("metric", "a metric of the contrasts", "nothing");
    return {contrast_at(at_, "contrasts", node, *metric_), *metric_, 0, margin_at(at_, *metric_)};
  }

  claim_contrast contrast_with_keys(const toml::node& node) {
    table_reader inner = at_.open("contrasts", node);
    claim_contrast c;
    const bool own_metric = inner.find("metric") != nullptr || !metric_;
    c.metric = own_metric ? metric_at(inner, "metric") : *metric_;
    if (inner.find("row") != nullptr) c.metric = with_row(inner, c.metric);
    c.of = contrast_at(inner, "of", required(inner, "of", contrast_grammar), c.metric);
    inner.value("expected", c.expected, finite);
    c.margin =
        inner.find("margin") != nullptr ? margin_at(inner, c.metric) : margin_at(at_, c.metric);
    inner.finish();
    return c;
  }

  /// A metric like that one, from rows of another name.
  std::size_t with_row(table_reader& at, std::size_t metric) {
    chosen_metric other = plan_.metrics[metric];
    at.value("row", other.metric);
    other.name = other.metric;
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
    const bool in_training = plan_.metrics[metric].phase == "train";
    if (of.starts_with("shapley.")) {
      if (of != "shapley.S" && of != "shapley.D" && of != "shapley.G") {
        at.fail(key, "shapley.S, shapley.D or shapley.G", of);
      }
      for (const toggle_meaning& m : plan_.meanings) {
        for (const std::string& cell : m.arms) check_trained(at, key, cell, in_training);
      }
      return;
    }
    if (arm_named(plan_.base, of) == nullptr) {
      at.fail(key, "arms of the study: " + arm_names(plan_.base), of);
    }
    check_trained(at, key, of, in_training);
  }

  void check_trained(const table_reader& at, std::string_view key, const std::string& name,
                     bool in_training) const {
    if (!in_training || arm_named(plan_.base, name)->training == arm_training::grpo) return;
    at.fail(key, "arms that `trained` lists, for a metric of phase train", name);
  }

  std::optional<equality_margin> margin_at(table_reader& at, std::size_t metric) const {
    const toml::node* node = at.find("margin");
    if (node == nullptr) return {};
    equality_margin margin;
    if (node->is_string()) {
      margin.contrast = contrast_at(at, "margin", *node, metric);
    } else if (!read_number(*node, positive, margin.number)) {
      at.fail("margin", *node, fmt::format("a number above 0, or {}", contrast_grammar));
    }
    return margin;
  }

  table_reader& at_;
  claims_plan& plan_;
  std::optional<std::size_t> metric_;
};

void read_all_claims(table_reader& root, claims_plan& plan) {
  const toml::node& node = required(root, "claim", "at least one [[claim]]");
  for (const toml::node& element : root.array("claim", node, "[[claim]] tables")) {
    table_reader at = root.open("claim", element);
    stated_claim c = claim_reader(at, plan).read();
    if (std::ranges::find(plan.claims, c.name, &stated_claim::name) != plan.claims.end()) {
      at.fail("name", "a name that no other claim has", c.name);
    }
    plan.claims.push_back(std::move(c));
  }
  if (plan.claims.empty()) root.fail("claim", node, "at least one [[claim]]");
}

}  // namespace

claims_plan read_claims(const std::filesystem::path& file) {
  const std::string text = golden::io::read_text(file.string());
  const toml::table tree = toml_in(text, file.string());
  table_reader root(tree, "");
  claims_plan plan;
  plan.sha256 = sha256_of(text);
  root.value("name", plan.name);
  std::string study_name;
  static_cast<void>(required(root, "study", "a study file, relative to this file's folder"));
  root.value("study", study_name);
  plan.base = read_study(file.parent_path() / study_name, texts_in(root, "overrides"));
  read_trained(root, plan.base);
  read_seeds(root, plan);
  root.value("level", plan.level, family_level);
  read_meanings(root, plan);
  read_metrics_table(root, plan);
  read_all_claims(root, plan);
  root.finish();
  return plan;
}

study study_of(const claims_plan& plan, std::uint64_t seed) {
  study s = plan.base;
  s.seed = seed;
  return s;
}

std::string shared_hash(const claims_plan& plan) { return study_hash(study_of(plan, 0)); }

}  // namespace sim
