// SPDX-License-Identifier: Apache-2.0
// golden/probe/product_probe.h: operands on which models of dot products differ: words of
// golden/vectors/packs at many exponents, reduced to as few as distinguish the same models.
#pragma once
#include <vector>

#include "golden/validator/product/model.h"
#include "golden/vectors/packs/wide_words.h"

namespace golden::probe {

/// Operands of a product.
///   result  of the models, and of C      k  of a word; whole blocks
struct product_request {
  validator::product_formats formats;
  mx::format result = mx::formats::binary32;
  int k = 128;
};

/// A probe of products.
///   needed  count of leading words that distinguish as much as all words
///   models  that accept the operands and have the result format
///   groups  of models that no word distinguishes, by index; alone: distinct from all others
struct product_probe {
  std::vector<packs::wide_word> words;
  std::size_t needed = 0;
  std::vector<validator::product_model> models;
  std::vector<std::vector<std::size_t>> groups;
};

/// Models that accept the operands of a request; an arithmetic with several names appears as often.
[[nodiscard]] std::vector<validator::product_model> models_for(const product_request& request);

[[nodiscard]] product_probe make_product_probe(const product_request& request);

/// Result of a model for a word.
[[nodiscard]] std::uint32_t result_of(const mx::dot_model& model, const packs::wide_word& word);

}  // namespace golden::probe
