// SPDX-License-Identifier: Apache-2.0
// sim/claims/claims_file.h: reads a claims file: TOML that fixes, before any run, what is claimed,
// measured and decided. Its keys, with their meaning: sim/studies/claims.toml.
#pragma once
#include <filesystem>

#include "sim/claims/stated_claim.h"
#include "sim/study/study_file.h"

namespace sim {

/// The plan of a file, with its study read from a path relative to the file's folder.
///   errors  study_error: file and line, key, what was expected; golden::io::file_error
[[nodiscard]] claims_plan read_claims(const std::filesystem::path& file);

/// The study of one seed, and the hash of what all seeds share.
[[nodiscard]] study study_of(const claims_plan& plan, std::uint64_t seed);
[[nodiscard]] std::string shared_hash(const claims_plan& plan);

}  // namespace sim
