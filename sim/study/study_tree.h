// SPDX-License-Identifier: Apache-2.0
// sim/study/study_tree.h: the keys of a study file, of the studies that it extends, and of
// overrides.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/study/toml.h"

namespace sim {

/// All keys as one tree, each with its own file and line, unchecked but for `extends`.
///   extends    a file, relative to the folder of the one that names it: its keys apply too. Tables
///              of both are joined key by key; of any other key, arrays such as [[arm]] included,
///              the extending file's value replaces the other
///   overrides  join the tree in the same way, in order; `arm.NAME.key=value` is of the [[arm]] of
///              that name
///   errors     study_error: also where a file extends itself, through others or at once, and where
///              two overrides set one key
[[nodiscard]] toml::table study_tree(const std::filesystem::path& file,
                                     const std::vector<std::string>& overrides);

}  // namespace sim
