// SPDX-License-Identifier: Apache-2.0
// sim/claims/claims_and_studies.cpp: a file of claims with the studies, problems and weights that
// it names.
#include "golden/io/file.h"
#include "sim/claims/claims_file.h"
#include "sim/pretrained/starting_policy.h"
#include "sim/task/problem_file.h"

namespace sim {

claims_plan read_claims(const std::filesystem::path& file) {
  return claims_in(golden::io::read_text(file.string()), file.string(),
                   [&](const std::string& name, const std::vector<std::string>& overrides) {
                     study s = read_study(file.parent_path() / name, overrides);
                     load_problems(s);
                     load_policy(s);
                     return s;
                   });
}

}  // namespace sim
