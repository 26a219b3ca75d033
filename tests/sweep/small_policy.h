// SPDX-License-Identifier: Apache-2.0
// tests/sweep/small_policy.h: a study of a policy that is warmed up in a fraction of a second, as a
// file, and sweeps on it.
#pragma once
#include <string>

#include "sim/sweep/swept_policy.h"
#include "tests/scratch_folder.h"
#include "tests/sweep/sweep_text.h"

namespace test {

inline const std::string small_study = R"(name = "small"
[policy]
width = 32
layers = 1
heads = 2
kv_heads = 1
head_width = 32
hidden = 64
[task]
digits = 1
[warm_up]
schedule = "fixed"
steps = 96
sequences = 16
ramp_steps = 6
learning_rate = 1e-2
gate_problems = 32
[grpo]
steps = 3
prompts = 4
samples = 4
ramp_steps = 2
learning_rate = 1e-3
[outliers]
factors = [1]
[measurement]
frozen_batches = 2
evaluation_problems = 8
evaluation_interval = 2
final_problems = 64
additivity_steps = []
[[arm]]
name = "fp32"
)";

/// The same with one line in place of another.
inline std::string with(std::string text, const std::string& line, const std::string& other) {
  return text.replace(text.find(line), line.size(), other);
}

/// A folder with study.toml and texts.jsonl, in which sweeps keep warmed-up policies.
struct policy_folder {
  scratch_folder path;

  explicit policy_folder(const std::string& study = small_study) {
    put_contents(path / "study.toml", study);
    put_contents(path / "texts.jsonl", texts(5));
  }

  static std::string texts(int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      all += "{\"tokens\": [1";
      for (int t = 0; t < 4 + 3 * i; ++t)
        all += ", " + std::to_string((5 * t * t + 3 * t + i) % 30);
      all += "]}\n";
    }
    return all;
  }

  ///   keys   of the sweep; policy  of its input, beside its study
  [[nodiscard]] sim::sweep_study study(const std::string& axes, const std::string& keys = "",
                                       const std::string& policy = "") const {
    return sim::sweep_in(
        keys + "[[input]]\nname = \"p\"\npolicy = \"study.toml\"\n" + policy + "[[grid]]\n" + axes,
        (path / "s.toml").string());
  }
  [[nodiscard]] sim::loaded_sweep sweep(const std::string& axes, const std::string& keys = "",
                                        const std::string& policy = "") const {
    return loaded_with_policies(study(axes, keys, policy));
  }
  [[nodiscard]] sim::loaded_sweep loaded_with_policies(sim::sweep_study of) const {
    sim::loaded_sweep s{std::move(of), {}, {}};
    s.list = sim::points_of(s.study);
    for (const sim::sweep_input& in : s.study.inputs) {
      s.inputs.push_back(in.policy ? sim::policy_input(s.study, in, path / "kept")
                                   : sim::drawn_input(in));
    }
    sim::leave_out_refused(s);
    return s;
  }
};

/// All rows of a sweep, in its order.
inline std::vector<sim::sweep_row> measured_rows(const sim::loaded_sweep& s) {
  sim::sweep_rows rows;
  const auto work = sim::work_of(s);
  sim::measure(s, work, rows, [](const sim::sweep_row&) {});
  std::vector<sim::sweep_row> ordered;
  for (const auto& w : work) ordered.push_back(rows.at(w.key));
  return ordered;
}

}  // namespace test
