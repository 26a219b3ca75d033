// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/recipe_words.h: recipes from their words.
#pragma once
#include <nanobind/nanobind.h>

#include <string>

#include "mx/recipe_words.h"

namespace python {

/// The recipe of words.
///   errors  ValueError with the word at fault
[[nodiscard]] inline mx::recipe recipe_of(const mx::recipe_words& words) {
  try {
    return mx::recipe_spelled(words);
  } catch (const mx::recipe_error& wrong) {
    throw nanobind::value_error(wrong.what());
  }
}

}  // namespace python
