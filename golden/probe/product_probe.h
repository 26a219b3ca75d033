// SPDX-License-Identifier: Apache-2.0
// golden/probe/product_probe.h: operands on which models of dot products differ: words of
// golden/vectors/packs at many exponents, and of these as few as tell all that they can.
#pragma once
#include <vector>

#include "golden/validator/product/model.h"
#include "golden/vectors/packs/wide_words.h"

namespace golden::probe {

/// What is multiplied.
///   result  of the models, and of C      k  of a word; whole blocks
struct product_request {
  validator::product_formats formats;
  mx::format result = mx::formats::binary32;
  int k = 128;
};

/// A probe of products.
///   needed  words at the beginning that tell what all of them do
///   models  that take the operands and have the result
///   groups  of models that no word tells apart, by index; alone: told from all others
struct product_probe {
  std::vector<packs::wide_word> words;
  std::size_t needed = 0;
  std::vector<validator::product_model> models;
  std::vector<std::vector<std::size_t>> groups;
};

/// Models that take the operands of a request, each arithmetic as often as it has names.
[[nodiscard]] std::vector<validator::product_model> models_for(const product_request& request);

[[nodiscard]] product_probe make_product_probe(const product_request& request);

/// What a model makes of a word.
[[nodiscard]] std::uint32_t result_of(const mx::dot_model& model, const packs::wide_word& word);

}  // namespace golden::probe
