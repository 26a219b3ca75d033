// SPDX-License-Identifier: Apache-2.0
// golden/vectors/word_list.h: the words of one model, by kind, each at a decision point of its
// rule.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "golden/vectors/word_writer.h"

namespace golden {

/// Whether a model has a word of some kind: its formats may lack the codes or the range.
enum class word_exists : unsigned char { no, yes };

struct named_place {
  term_place place;
  std::string name;
};

class word_list {
 public:
  explicit word_list(const device_model& model);

  [[nodiscard]] const device_model& model() const { return *model_; }
  /// The places of the terms by which the rule decides, with their names.
  [[nodiscard]] std::vector<named_place> places() const;

  /// Adds a word. Make is a function of a word_writer that returns a word_exists. Draws are seeded
  /// by the label.
  template <class Make>
  void add(const std::string& label, Make make, term_place place = term_place::product) {
    word_writer writer(*model_, place, seed_ + label);
    if (make(writer) == word_exists::no) return;
    writer.word.label = label;
    words_.push_back(std::move(writer.word));
  }

  [[nodiscard]] const std::vector<vector_word>& words() const { return words_; }

 private:
  const device_model* model_;
  std::string seed_;
  std::vector<vector_word> words_;
};

/// Random numbers, pairs that cancel, lengths that are no multiple of a step.
void add_ordinary_words(word_list& list);
/// Terms at the distances of truncation, ties, sums around the exponent of zeros.
void add_alignment_words(word_list& list);
/// Zeros and their signs, subnormals, overflow, NaN, Inf.
void add_special_words(word_list& list);
/// Extreme scales; no words without scales.
void add_scale_words(word_list& list);

/// All words of a model.
[[nodiscard]] std::vector<vector_word> words_of(const device_model& model);

}  // namespace golden
