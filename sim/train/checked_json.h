// SPDX-License-Identifier: Apache-2.0
// sim/train/checked_json.h: JSON objects whose last member is the SHA-256 of the others.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "sim/study/sha256.h"
#include "sim/study/shallow_json.h"

namespace sim {

inline constexpr const char* checksum_key = "sha256";

/// One line: the object, and its checksum.
[[nodiscard]] inline std::string checked_text(nlohmann::ordered_json object) {
  object[checksum_key] = sha256_of(object.dump());
  return object.dump();
}

/// The object without its checksum.
///   errors  json_error where it does not match, nlohmann::json::exception where there is none
[[nodiscard]] inline nlohmann::ordered_json without_checksum(nlohmann::ordered_json object) {
  const nlohmann::ordered_json sum = object.at(checksum_key);
  object.erase(checksum_key);
  if (sum != sha256_of(object.dump())) throw json_error("does not match its checksum");
  return object;
}

}  // namespace sim
