// SPDX-License-Identifier: Apache-2.0
// sim/report/used_models.cpp: see used_models.h.
#include "sim/report/used_models.h"

#include <fmt/format.h>

#include <algorithm>

#include "mx/spelling.h"
#include "sim/study/study_words.h"

namespace sim {
namespace {

bool has_default_model(const pass_format& f) { return f.model == pass_format{}.model; }

}  // namespace

std::vector<used_model> models_of(const study& s) {
  std::vector<used_model> result;
  for (const arm& a : s.arms) {
    for (const pass p : all_passes) {
      const pass_format& f = formats_of(a.formats, p);
      if (has_default_model(f)) continue;
      auto known = std::ranges::find(result, f.model, &used_model::model);
      if (known == result.end()) known = result.insert(known, {f.model, {}});
      if (known->arms.empty() || known->arms.back() != a.name) known->arms.push_back(a.name);
    }
  }
  return result;
}

std::string words_of_products(const pass_format& f) {
  std::vector<std::string> words;
  if (!has_default_model(f)) words.push_back(fmt::format("under {}", f.model->name));
  if (f.rotation.size != 0) {
    words.push_back(fmt::format("rotated by {}", mx::spelling_of(f.rotation)));
  }
  if (f.sequences != 1) words.push_back(fmt::format("{} sequences a product", f.sequences));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace sim
