// SPDX-License-Identifier: Apache-2.0
// golden/vectors/vector_pack.h: the models that have committed words, and what is known of each.
#pragma once
#include <string>
#include <vector>

#include "golden/reference/device_models.h"

namespace golden {

/// The words of one name.
///   name      as a user types it
///   evidence  what the bits of the model rest on: "recorded hardware" (words of the device are
///             reproduced), "two models agree" or "one model" (published ones of others),
///             "specification only" (a text, no device)
///   models    one for each choice of formats: a device's own, or several of a rule that takes any
struct vector_pack {
  std::string name;
  std::string evidence;
  std::vector<device_model> models;
};

/// One for every model that has a name.
[[nodiscard]] std::vector<vector_pack> vector_packs();

}  // namespace golden
