// SPDX-License-Identifier: Apache-2.0
// tests/claims/claims_text.h: a claims file and its study, for tests of files.
#pragma once
#include <string>

#include "sim/claims/claims_file.h"
#include "tests/scratch_folder.h"

namespace test {

inline constexpr const char* study_text = R"(
name = "tiny"
[formats.mxfp4]
numbers = "mxfp4"
[[arm]]
name = "fp32"
[[arm]]
name = "mxfp4"
format = "mxfp4"
[[arm]]
name = "rollout"
rollout = "mxfp4"
)";

inline constexpr const char* claims_text = R"(name = "tiny"
study = "study.toml"
overrides = ["grpo.steps=2", "grpo.prompts=4"]
trained = ["fp32", "mxfp4"]
first_seed = 101
seeds = 3
[meanings]
injection = ["fp32", "fp32", "fp32", "fp32", "rollout", "rollout", "rollout", "mxfp4"]
[metrics.loss]
phase = "train"
metric = "accuracy_sampled"
step = 2
factor = -1.0
diverged = 0.0
[metrics.kl]
phase = "frozen"
metric = "kl"
outliers = 4
[[claim]]
name = "gap"
says = "MXFP4 loses accuracy"
rule = "positive"
metric = "loss"
contrasts = ["mxfp4 - fp32"]
margin = "0.2 mxfp4 - 0.2 fp32"
[[claim]]
name = "grid"
rule = "equivalent"
metric = "kl"
contrasts = ["shapley.G - shapley.S", { of = "mxfp4", metric = "loss", expected = -0.5, margin = 0.25 }, { of = "fp32", row = "entropy" }]
margin = 0.01
)";

/// A second study, of other widths and seeds, whose standard deviation is claimed.
inline const std::string two_studies = std::string(claims_text) + R"(
[[claim]]
name = "depth"
rule = "spread"
within = [0.5, 2]
metric = "deep_kl"
contrasts = ["mxfp4 - rollout", { of = "rollout", metric = "kl" }]
[studies.deep]
study = "study.toml"
overrides = ["policy.layers=3", "grpo.steps=2"]
trained = []
first_seed = 1
seeds = 2
[metrics.deep_kl]
study = "deep"
phase = "frozen"
metric = "kl"
)";

/// A text with one part of it replaced.
inline std::string changed(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

struct claims_folder {
  scratch_folder folder;

  claims_folder() { put_contents(folder / "study.toml", study_text); }
  [[nodiscard]] sim::claims_plan plan(const std::string& text = claims_text) const {
    put_contents(folder / "claims.toml", text);
    return sim::read_claims(folder / "claims.toml");
  }
};

}  // namespace test
