// SPDX-License-Identifier: Apache-2.0
// golden/probe/fitting_values.h: the values of dimensions that fit an output, collected as recipes
// that explain it are added.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "golden/probe/output_fit.h"
#include "golden/probe/recipe_lists.h"
#include "golden/probe/recipe_set.h"

namespace golden::probe {

/// Whether an explaining recipe counts in a dimension.
using counting = std::function<bool(const validator::hypothesis&, validator::dimension)>;

class fitting_values {
 public:
  /// The arguments outlive this object.
  fitting_values(output_fit& fit, const recipe_lists& lists,
                 const std::vector<validator::dimension>& dimensions);

  /// Adds the words of a recipe that explains the output, then those of its explaining single
  /// changes.
  void add(const validator::hypothesis& r, const counting& counts);
  /// For each dimension, the first recipe with each word.
  [[nodiscard]] std::vector<recipe_list> found() const;

 private:
  struct of_dimension {
    std::set<std::string> words;
    recipe_list recipes;
  };
  [[nodiscard]] of_dimension* asked(const validator::hypothesis& r, validator::dimension d,
                                    const counting& counts);
  [[nodiscard]] bool repeats_another(const validator::hypothesis& r);
  [[nodiscard]] bool concerns_no_block(const validator::hypothesis& r,
                                       const validator::hypothesis& other,
                                       validator::dimension d) const;

  output_fit& fit_;
  const recipe_lists& lists_;
  std::vector<validator::dimension> dimensions_;
  std::map<validator::dimension, of_dimension> found_;
  std::map<std::size_t, recipe_set> added_;  ///< by the reading of their storage
};

}  // namespace golden::probe
