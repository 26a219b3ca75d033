// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_difference.cpp: tries the candidates of the validator, then the FP32 probe.
#include "golden/probe/recipe_difference.h"

#include <algorithm>

#include "golden/probe/block_pool.h"
#include "golden/probe/recipe_lists.h"
#include "golden/validator/tensor/probe_block.h"

namespace golden::probe {
namespace {

std::string name_of(mx::number_type type) {
  constexpr const char* names[] = {"FP32", "FP16", "BF16"};
  return names[static_cast<int>(type)];
}

}  // namespace

const probe& recipe_differences::usual_probe(const mx::block_format& f) {
  for (const auto& [format, usual] : usual_) {
    if (format == f) return usual;
  }
  return usual_.emplace_back(f, make_probe({f})).second;
}

/// Whether the default probe of the format distinguishes them.
bool recipe_differences::differ_on_usual_probe(const validator::hypothesis& a,
                                               const validator::hypothesis& b) {
  if (a.format().tensor == mx::tensor_scaling::per_row) return false;
  const std::vector<known_recipe> both{{"a", a, decided_by::places}, {"b", b, decided_by::places}};
  return groups_on(usual_probe(a.format()).tensors, mx::number_type::fp32, both).size() == 2;
}

std::string recipe_differences::between(const validator::hypothesis& a,
                                        const validator::hypothesis& b) {
  // Whether they differ only in the positions of codes and scales.
  const bool places = stored_as(a, b) == b;
  const bool all = judged_ == judged_blocks::of_input;
  if (const auto probe = places ? std::nullopt : telling(a, b, type_)) {
    return "told apart by " + probe->input.what +
           (all ? ", which this input lacks" : ", which the remaining blocks lack");
  }
  if (const auto probe = places ? std::nullopt : telling(a, b, mx::number_type::fp32)) {
    return "told apart by " + probe->input.what + ", in FP32: " + name_of(type_) +
           " cannot hold it";
  }
  if (!differ_on_usual_probe(a, b)) return "";
  if (places)
    return "the same bytes in tensors of this shape, not in those that `probe make` chooses";
  return std::string("told apart by `probe make` in F32 without --shape, not by ") +
         (all ? "this input" : "the remaining blocks");
}

}  // namespace golden::probe
