// SPDX-License-Identifier: Apache-2.0
// sim/claims/claims_file.h: reads a claims file: TOML that fixes, before any run, what is claimed,
// measured and decided. Its keys, with their meaning: sim/studies/claims.toml.
#pragma once
#include <filesystem>
#include <functional>

#include "sim/claims/stated_claim.h"
#include "sim/study/study_file.h"

namespace sim {

/// The plan of a file, with its studies read from paths relative to the file's folder.
///   errors  study_error: file and line, key, what was expected; golden::io::file_error
[[nodiscard]] claims_plan read_claims(const std::filesystem::path& file);

/// Reads a study by the name that the claims file has for it.
using study_source =
    std::function<study(const std::string& file, const std::vector<std::string>& overrides)>;

/// The plan of a text.
///   name    of the file, in errors
///   errors  study_error
[[nodiscard]] claims_plan claims_in(const std::string& text, const std::string& name,
                                    const study_source& studies);

/// Every seed of every study, in the plan's order.
[[nodiscard]] std::vector<planned_run> runs_of(const claims_plan& plan);

/// The study of one run, and the hash of what all seeds of a study share.
[[nodiscard]] study study_of(const claims_plan& plan, const planned_run& run);
[[nodiscard]] std::string shared_hash(const planned_study& s);

/// "101" of the main study, "depth24/101" of another one.
[[nodiscard]] std::string name_of(const claims_plan& plan, const planned_run& run);

}  // namespace sim
