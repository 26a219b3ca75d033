// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/recipe_words.h: recipes from their words.
#pragma once
#include <nanobind/nanobind.h>

#include <string>

#include "golden/bindings/python/sentence.h"
#include "mx/recipe_words.h"

namespace python {

/// The recipe of words.
///   errors  ValueError with the word at fault
[[nodiscard]] inline mx::recipe recipe_of(const mx::recipe_words& words) {
  try {
    return mx::recipe_spelled(words);
  } catch (const mx::recipe_error& wrong) {
    const bool named = wrong.why() == mx::recipe_error::reason::unknown || wrong.word().empty();
    const std::string sentence = (named ? "" : wrong.word() + ": ") + wrong.what();
    throw nanobind::value_error(in_package_names(sentence).c_str());
  }
}

}  // namespace python
