// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/claims_fuzz.cpp: any text as a claims file, of which every study is the same small
// one. What an accepted plan names exists.
#include "memory_path.h"
#include "sim/claims/claims_file.h"

namespace {

using sim::claims_plan;
using sim::study;

constexpr const char* name = "claims.toml";
constexpr const char* study_text = R"(
[outliers]
factors = [1, 4]
[formats.mxfp4]
numbers = "mxfp4"
[[arm]]
name = "fp32"
[[arm]]
name = "mxfp4"
format = "mxfp4"
)";

study small_study(const std::string&, const std::vector<std::string>& overrides) {
  const std::string text = study_text;
  const fuzz::memory_path file(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return sim::read_study(file.name(), overrides);
}

bool has_arm(const study& s, const std::string& wanted) {
  for (const sim::arm& a : s.arms) {
    if (a.name == wanted) return true;
  }
  return wanted == "shapley.S" || wanted == "shapley.D" || wanted == "shapley.G";
}

void check_contrast(const claims_plan& plan, const sim::linear_contrast& c, std::size_t metric) {
  fuzz::require(metric < plan.metrics.size(), "a contrast has a metric");
  const std::size_t index = plan.metrics[metric].study;
  fuzz::require(index < plan.studies.size(), "a metric has a study");
  fuzz::require(!c.terms.empty(), "a contrast has terms");
  for (const sim::contrast_term& t : c.terms) {
    fuzz::require(has_arm(plan.studies[index].base, t.of), "a term is an arm of its study");
  }
}

void check_plan(const claims_plan& plan) {
  for (const sim::planned_study& s : plan.studies) {
    fuzz::require(s.seeds.size() >= 2 && s.seeds.size() <= 40, "a study has 2 to 40 seeds");
    fuzz::require(s.seeds.back() - s.seeds.front() == s.seeds.size() - 1 &&
                      s.seeds.back() < std::uint64_t{1} << 63,
                  "seeds are consecutive, and a study file can name them");
    fuzz::require(s.name.find('/') == std::string::npos, "a study is a folder in the output");
  }
  for (const sim::stated_claim& claim : plan.claims) {
    fuzz::require(!claim.contrasts.empty(), "a claim has contrasts");
    for (const sim::claim_contrast& c : claim.contrasts) {
      check_contrast(plan, c.of, c.metric);
      if (c.margin && c.margin->contrast) check_contrast(plan, *c.margin->contrast, c.metric);
    }
  }
}

bool begins_with_a_source(const std::string& message) {
  return message.rfind(std::string(name) + ":", 0) == 0 || message.rfind("override '", 0) == 0 ||
         message.rfind("/proc/self/fd/", 0) == 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check_plan(
        sim::claims_in(std::string(reinterpret_cast<const char*>(data), size), name, small_study));
  } catch (const sim::study_error& error) {
    fuzz::require(begins_with_a_source(error.what()), "a refusal begins with its source");
  }
  return 0;
}
