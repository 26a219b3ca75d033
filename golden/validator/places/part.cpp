// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/part.cpp: parts of a tensor around its differences.
#include "part.h"

namespace golden::validator {

std::vector<part> parts_around(const matrix_places& differing) {
  std::vector<part> list;
  for (const pattern& rows : simpler_than(differing.rows.regular, differing.rows.extent)) {
    for (const pattern& columns :
         simpler_than(differing.columns.regular, differing.columns.extent)) {
      list.push_back({rows, columns});
    }
  }
  return list;
}

}  // namespace golden::validator
