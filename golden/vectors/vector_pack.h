// SPDX-License-Identifier: Apache-2.0
// golden/vectors/vector_pack.h: the models with committed words, and their evidence.
#pragma once
#include <string>
#include <vector>

#include "golden/reference/device_models.h"

namespace golden {

/// The words of one name.
///   name      as a user types it
///   evidence  of the bits of the model: "recorded hardware" (words of the device are
///             reproduced), "two models agree" or "one model" (published by others),
///             "specification only" (a text, no device)
///   models    one for each choice of formats: a device's own, or several of a rule for any formats
struct vector_pack {
  std::string name;
  std::string evidence;
  std::vector<device_model> models;
};

/// One pack for every named model.
[[nodiscard]] std::vector<vector_pack> vector_packs();

}  // namespace golden
