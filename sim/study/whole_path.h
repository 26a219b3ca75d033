// SPDX-License-Identifier: Apache-2.0
// sim/study/whole_path.h: the path of a study's file that is good in any folder.
#pragma once
#include <filesystem>
#include <string>

namespace sim {

[[nodiscard]] inline std::string whole_path(const std::string& name) {
  return std::filesystem::absolute(name).lexically_normal().string();
}

}  // namespace sim
