// SPDX-License-Identifier: Apache-2.0
// sim/study/study_file.cpp: reads a study from its TOML file.
#include "sim/study/study_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "golden/io/counted.h"
#include "sim/study/arm_reader.h"
#include "sim/study/model_file.h"
#include "sim/study/shape_fault.h"
#include "sim/study/study_difference.h"
#include "sim/study/study_key_names.h"
#include "sim/study/study_tree.h"
#include "sim/study/study_words.h"
#include "sim/study/table_reader.h"

namespace sim {
namespace {

constexpr std::size_t noisy_intervals = 9;  // ten intervals, the first of which has no noise

template <class Values>
bool has_repeats(Values values) {
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) != values.end();
}

void check_policy(const table_reader& root, const policy_shape& p) {
  if (const auto fault = fault_of(p)) {
    root.fail("policy." + fault->key, fault->expected, fault->found);
  }
}

void check_response_limit(const table_reader& root, const task_shape& t) {
  if (t.max_response_length == 0) return;
  const int least = response_length(t), most = t.sequence - prompt_length(t);
  if (t.max_response_length >= least && t.max_response_length <= most) return;
  root.fail(
      "task.max_response_length",
      fmt::format("from the {} tokens of a correct response to the {} that a prompt leaves of "
                  "sequence = {}, or 0",
                  least, most, t.sequence),
      t.max_response_length);
}

void check_task(const table_reader& root, const task_shape& t) {
  if (is_listed(t) && t.max_response_length == 0) {
    root.fail("task.max_response_length",
              "at least 1 with task.file: tokens after which a response is cut off",
              t.max_response_length);
  }
  const int tokens = prompt_length(t) + response_length(t);
  if (tokens <= t.sequence) return;
  if (t.kind == task_kind::modular_sums) {
    root.fail("task.terms",
              fmt::format("prompt and response to fit sequence = {}; take fewer terms, or a longer "
                          "sequence",
                          t.sequence),
              fmt::format("{} of {} modulo {}", golden::io::counted(tokens, "token"),
                          golden::io::counted(t.terms, "term"), t.modulus));
  }
  root.fail("task.digits", fmt::format("5 * digits + 5 tokens to fit sequence = {}", t.sequence),
            fmt::format("{}, {} tokens", golden::io::counted(t.digits, "digit"), tokens));
}

/// Keys of the other schedule are written at their defaults, and so read back; set otherwise, they
/// contradict this one.
void check_fixed_warm_up(const table_reader& root, const warm_up_constants& w) {
  const warm_up_constants standard;
  const auto check = [&](const char* key, auto value, auto expected) {
    if (value == expected) return;
    root.refuse(key,
                "has no effect under warm_up.schedule = \"fixed\"; remove it, or set that to "
                "\"until-accuracy\"");
  };
  check("warm_up.target_accuracy", w.target_accuracy, standard.target_accuracy);
  check("warm_up.gate_interval", w.gate_interval, standard.gate_interval);
  check("warm_up.decay_steps", w.decay_steps, standard.decay_steps);
}

void check_warm_up(const table_reader& root, const warm_up_constants& w) {
  if (w.schedule == rate_schedule::fixed) check_fixed_warm_up(root, w);
  if (w.schedule == rate_schedule::until_accuracy && w.steps == 0) {
    root.fail(
        "warm_up.steps",
        "at least 1, or warm_up.schedule = \"fixed\", of which 0 steps keep the initial weights",
        w.steps);
  }
  if (w.schedule == rate_schedule::until_accuracy && w.decay_steps > w.steps) {
    root.fail(
        "warm_up.decay_steps",
        fmt::format("at most warm_up.steps = {} under schedule = \"until-accuracy\"", w.steps),
        w.decay_steps);
  }
}

void check_measurement(const table_reader& root, const measurement_constants& m) {
  if (m.final_problems < m.evaluation_problems) {
    root.fail("measurement.final_problems",
              fmt::format("at least evaluation_problems = {}", m.evaluation_problems),
              m.final_problems);
  }
}

void check_grpo(const table_reader& root, const grpo_constants& g) {
  if (g.prompts % g.minibatches != 0) {
    root.fail("grpo.minibatches", fmt::format("a divisor of grpo.prompts = {}", g.prompts),
              g.minibatches);
  }
  if (g.schedule != rate_decay::constant && g.ramp_steps >= g.steps) {
    root.fail("grpo.ramp_steps",
              fmt::format("below grpo.steps = {} under grpo.schedule = \"{}\", which falls behind "
                          "the ramp",
                          g.steps, text_of(decay_words, g.schedule)),
              g.ramp_steps);
  }
}

/// A correct response is not punished.
void check_overlong(const table_reader& root, const study& s) {
  const int most = response_limit(s.task) - response_length(s.task);
  if (s.grpo.overlong_cache <= most) return;
  root.fail(
      "grpo.overlong_cache",
      fmt::format("at most {}, the tokens by which task.max_response_length exceeds the {} of "
                  "a correct response",
                  most, response_length(s.task)),
      s.grpo.overlong_cache);
}

void check_noise(const table_reader& root, const study& s) {
  const bool used =
      std::ranges::any_of(s.arms, [](const arm& a) { return a.noise != rollout_noise::none; });
  const std::size_t n = s.noise.sigmas.size();
  if (n == noisy_intervals || (n == 0 && !used)) return;
  root.fail("noise.sigmas",
            fmt::format("{} sigmas, of the ten intervals after the first", noisy_intervals),
            fmt::format("{}{}", n, used ? ", and an arm with adaptive noise" : ""));
}

void check_indices(const table_reader& root, const std::string& key,
                   const std::vector<int>& indices, int end, std::string_view of) {
  for (const int i : indices) {
    if (i >= end) root.fail(key, fmt::format("indices below {} = {}", of, end), i);
  }
  if (has_repeats(indices)) root.fail(key, "each index once", "one that is repeated");
}

void check_outliers(const table_reader& root, const study& s) {
  const outlier_constants& o = s.outliers;
  for (const int factor : o.factors) {
    if ((factor & (factor - 1)) != 0) root.fail("outliers.factors", "powers of two", factor);
  }
  if (o.factors.empty() || o.factors.front() != 1 || has_repeats(o.factors) ||
      !std::ranges::is_sorted(o.factors)) {
    root.fail("outliers.factors", "ascending factors, of which the first is 1",
              fmt::format("[{}]", fmt::join(o.factors, ", ")));
  }
  check_indices(root, "outliers.norm_channels", o.norm_channels, s.policy.width, "policy.width");
  check_indices(root, "outliers.hidden_units", o.hidden_units, s.policy.hidden, "policy.hidden");
}

/// Names are used in file names, in tables and in TOML as they are.
bool is_policy_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name.size() <= 32 && std::ranges::all_of(name, fits);
}

void check_policies(const table_reader& root, const study& s) {
  const auto check = [&](const std::string& place, const policy_outliers& p) {
    check_indices(root, place + ".massive_channels", p.massive_channels, s.policy.width,
                  "policy.width");
  };
  check("policy", s.policy.outliers);
  if (!s.policy.source.file.empty() && !s.outliers.policies.empty()) {
    root.refuse("outliers.policies",
                "are drawn, and policy.checkpoint is not; remove one of the two");
  }
  for (const auto& [name, p] : s.outliers.policies) {
    const std::string place = "outliers.policies." + name;
    if (!is_policy_name(name)) {
      root.fail("outliers.policies", "names of at most 32 small letters, digits and -",
                fmt::format("\"{}\"", name));
    }
    if (p == s.policy.outliers) {
      root.refuse(place,
                  "is the study's own policy; set weights or massive_channels, or remove it");
    }
    check(place, p);
  }
}

}  // namespace

namespace {

/// The shape of the checkpoint that the policy starts from. No value without one, and where a study
/// that knows its parameters, as that of a finished run, outlives the file.
std::optional<policy_shape> shape_of_checkpoint(const toml::table& tree) {
  const toml::table* policy = tree["policy"].as_table();
  if (policy == nullptr) return {};
  table_reader keys(*policy, "policy");
  std::string path;
  keys.file("checkpoint", path);
  if (path.empty()) return {};
  if (keys.find("sha256") != nullptr && !std::filesystem::exists(path)) return {};
  return open_model(path).shape;
}

/// Refuses keys that say something else than the checkpoint.
void expect_shape_of_checkpoint(const table_reader& root, const study& s, policy_shape shape) {
  shape.source = s.policy.source;
  if (s.policy == shape) return;
  study of_file = s;
  of_file.policy = shape;
  root.refuse("policy", fmt::format("contradicts its checkpoint {}, whose shape it has: {}; remove "
                                    "the keys of the shape",
                                    shape.source.file, differences(of_file, s).front()));
}

}  // namespace

study read_study(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  const toml::table tree = study_tree(file, overrides);
  study result;
  const std::optional<policy_shape> given = shape_of_checkpoint(tree);
  if (given) result.policy = *given;
  table_reader root(tree, "");
  visit_keys(result, root);
  root.table("run", result.run);
  read_arms(root, result);
  if (root.find("extends") != nullptr) root.refuse("extends", "is a key of study files alone");
  root.finish(study_key_names());
  if (given) expect_shape_of_checkpoint(root, result, *given);
  check_policy(root, result.policy);
  check_task(root, result.task);
  check_response_limit(root, result.task);
  check_warm_up(root, result.warm_up);
  check_grpo(root, result.grpo);
  check_overlong(root, result);
  check_noise(root, result);
  check_outliers(root, result);
  check_policies(root, result);
  check_measurement(root, result.measurement);
  return result;
}

}  // namespace sim
