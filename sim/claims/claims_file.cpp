// SPDX-License-Identifier: Apache-2.0
// sim/claims/claims_file.cpp: see claims_file.h.
#include "sim/claims/claims_file.h"

#include <fmt/format.h>

#include "sim/claims/claim_reader.h"
#include "sim/claims/claims_reading.h"
#include "sim/claims/sign_flip.h"
#include "sim/study/sha256.h"
#include "sim/study/toml_text.h"

namespace sim {
namespace {

constexpr real family_level{"a number from 0.001 to 0.5",
                            [](double v) { return v >= 0.001 && v <= 0.5; }};

/// Keeps training of the named arms alone.
void read_trained(table_reader& at, study& s) {
  if (at.find("trained") == nullptr) return;
  const std::vector<std::string> names = texts_in(at, "trained");
  for (const std::string& name : names) expect_arm(at, "trained", s, name);
  for (arm& a : s.arms) {
    const bool trained = std::find(names.begin(), names.end(), a.name) != names.end();
    a.training = trained ? arm_training::grpo : arm_training::none;
  }
}

std::vector<std::uint64_t> read_seeds(table_reader& at) {
  int count = 0;
  static_cast<void>(required(at, "seeds", "the number of seeds"));
  at.value("seeds", count, whole{2, static_cast<std::int64_t>(most_flipped)});
  std::uint64_t first = 0;
  static_cast<void>(required(at, "first_seed", "the first of the seeds"));
  at.value("first_seed", first);
  constexpr std::uint64_t largest = (std::uint64_t{1} << 63) - 1;  // of TOML
  if (first > largest - static_cast<std::uint64_t>(count - 1)) {
    at.fail("first_seed", fmt::format("{} seeds of at most 2^63 - 1", count), first);
  }
  std::vector<std::uint64_t> seeds;
  for (int i = 0; i < count; ++i) seeds.push_back(first + static_cast<std::uint64_t>(i));
  return seeds;
}

/// Overrides of a study, whose seeds are other keys'.
std::vector<std::string> read_overrides(table_reader& at) {
  std::vector<std::string> overrides = texts_in(at, "overrides");
  for (const std::string& text : overrides) {
    if (text.substr(0, text.find_first_of(" =")) != "seed") continue;
    at.refuse("overrides",
              fmt::format("'{}' and first_seed both set the seed; remove the override", text));
  }
  return overrides;
}

/// The keys of a study: at the root of the file for the main one, else in [studies.NAME].
planned_study read_planned(table_reader& at, std::string_view name, const study_source& studies) {
  planned_study s;
  s.name = name;
  std::string file;
  static_cast<void>(required(at, "study", "a study file, relative to this file's folder"));
  at.value("study", file);
  const std::vector<std::string> overrides = read_overrides(at);
  try {
    s.base = studies(file, overrides);
  } catch (const study_error& wrong) {
    // Such an error names the override alone, as on the command line.
    if (is_override(wrong.what())) at.refuse("overrides", wrong.what());
    throw;
  }
  read_trained(at, s.base);
  s.seeds = read_seeds(at);
  return s;
}

/// A name is a folder's: it neither leaves the output nor looks like a seed of the main study.
bool is_study_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), allowed) &&
         name != "main" && name.substr(0, 5) != "seed-";
}

void read_other_studies(table_reader& root, const study_source& studies, claims_plan& plan) {
  const toml::node* node = root.find("studies");
  if (node == nullptr) return;
  const table_reader at = root.open("studies", *node);
  for (auto&& [key, value] : at.table()) {
    if (!is_study_name(key.str())) {
      at.fail(key.str(), "a name of a-z, 0-9, - and _, not main nor seed-...", key.str());
    }
    table_reader inner = at.open(key.str(), value);
    plan.studies.push_back(read_planned(inner, key.str(), studies));
    inner.finish();
  }
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
      expect_arm(at, key.str(), plan.studies.front().base, names[c]);
      meaning.arms[c] = names[c];
    }
  }
}

}  // namespace

claims_plan claims_in(const std::string& text, const std::string& name,
                      const study_source& studies) {
  const toml::table tree = toml_in(text, name);
  table_reader root(tree, "");
  claims_plan plan;
  plan.sha256 = sha256_of(text);
  root.value("name", plan.name);
  plan.studies.push_back(read_planned(root, "main", studies));
  read_other_studies(root, studies, plan);
  root.value("level", plan.level, family_level);
  read_meanings(root, plan);
  read_chosen_metrics(root, plan);
  read_stated_claims(root, plan);
  root.finish();
  return plan;
}

std::vector<planned_run> runs_of(const claims_plan& plan) {
  std::vector<planned_run> runs;
  for (std::size_t s = 0; s < plan.studies.size(); ++s) {
    for (const std::uint64_t seed : plan.studies[s].seeds) runs.push_back({s, seed});
  }
  return runs;
}

study study_of(const claims_plan& plan, const planned_run& run) {
  study s = plan.studies[run.study].base;
  s.seed = run.seed;
  return s;
}

std::string shared_hash(const planned_study& s) {
  study shared = s.base;
  shared.seed = 0;
  return study_hash(shared);
}

std::string name_of(const claims_plan& plan, const planned_run& run) {
  return run.study == 0 ? fmt::format("{}", run.seed)
                        : fmt::format("{}/{}", plan.studies[run.study].name, run.seed);
}

}  // namespace sim
