// SPDX-License-Identifier: Apache-2.0
// emulator/src/model_spelling.cpp: the model of a dot product that a name stands for.
#include "mx/mixed_models.h"
#include "mx/names.h"
#include "mx/spelling.h"

namespace mx {

const named_model& model_spelled(std::string_view name) {
  const named_model* model = any_model_named(name);
  if (model == nullptr) throw_unknown("model", name, names_of_table(model_table));
  return *model;
}

}  // namespace mx
