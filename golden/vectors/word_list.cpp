// SPDX-License-Identifier: Apache-2.0
// golden/vectors/word_list.cpp: the words of one model, by kind.
#include "golden/vectors/word_list.h"

namespace golden {

word_list::word_list(const device_model& model) : model_(&model), seed_(model.name + " ") {
  const word_formats& formats = model.formats;
  for (const number_format* each : {formats.a, formats.b, formats.scale}) {
    if (each != nullptr) seed_ += each->name() + " ";
  }
}

std::vector<named_place> word_list::places() const {
  const deciding by = measure_of(*model_).by;
  std::vector<named_place> all;
  if (by != deciding::blocks) all.push_back({term_place::product, "product"});
  const bool by_blocks = by != deciding::products && model_->formats.scale != nullptr;
  if (by_blocks) all.push_back({term_place::block, "block"});
  return all;
}

std::vector<vector_word> words_of(const device_model& model) {
  word_list list(model);
  add_ordinary_words(list);
  add_alignment_words(list);
  add_special_words(list);
  add_scale_words(list);
  return list.words();
}

}  // namespace golden
