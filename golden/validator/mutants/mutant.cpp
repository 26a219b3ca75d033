// SPDX-License-Identifier: Apache-2.0
// golden/validator/mutants/mutant.cpp: all mutants.
#include "mutant.h"

namespace golden::validator {

const std::vector<mutant>& all_mutants() {
  static const std::vector<mutant> all = [] {
    std::vector<mutant> joined;
    for (const std::span<const mutant> group :
         {rounding_mutants(), scale_mutants(), place_mutants(), special_mutants()}) {
      joined.insert(joined.end(), group.begin(), group.end());
    }
    return joined;
  }();
  return all;
}

}  // namespace golden::validator
