// SPDX-License-Identifier: Apache-2.0
// golden/vectors/word_writer.cpp: places terms of chosen exponents in one word of a model.
#include "golden/vectors/word_writer.h"

#include <algorithm>

namespace golden {
namespace {

// Places for terms in words that one term decides.
constexpr std::size_t few = 4;

}  // namespace

word_writer::word_writer(const device_model& model, term_place place, std::string_view seed)
    : from(seed),
      a(*model.formats.a),
      b(*model.formats.b),
      c(*model.formats.c),
      scale(model.formats.scale == nullptr ? *model.formats.c : *model.formats.scale),
      model_(&model),
      measure_(measure_of(model)),
      place_(place) {
  resize(usual_length());
}

std::size_t word_writer::place_size() const {
  return place_ == term_place::block ? model_->block_size.value() : 1;
}

std::size_t word_writer::places() const { return word.a.size() / place_size(); }

std::size_t word_writer::usual_length() const { return std::max(measure_.step, 2 * place_size()); }

void word_writer::resize_to_few() {
  if (place_ == term_place::product) resize(few);
}

void word_writer::resize(std::size_t elements) {
  word.a.assign(elements, a.zero(false));
  word.b.assign(elements, b.zero(false));
  if (!has_scales()) return;
  const std::size_t block = model_->block_size.value();
  word.scale_a.assign((elements + block - 1) / block, scale.power(0, false));
  word.scale_b = word.scale_a;
}

bool word_writer::reaches(int highest, int lowest) {
  if (place_ == term_place::block) {
    return lowest >= 2 * scale.lowest() && highest <= 2 * scale.highest();
  }
  base_ = 0;
  if (has_scales() && (highest > highest_product() || lowest < lowest_product())) {
    base_ = highest - highest_product();
  }
  if (base_ < 2 * scale.lowest() || base_ > 2 * scale.highest()) return false;
  if (has_scales()) {
    const int half = part_of(base_, scale, scale);
    set_scales(scale.power(half, false), scale.power(base_ - half, false));
  }
  return lowest - base_ >= lowest_product() && highest - base_ <= highest_product();
}

int word_writer::usual_highest() const {
  const bool by_scales = has_scales();
  const int reachable = by_scales ? 2 * scale.highest() : highest_product();
  return std::min({reachable, measure_.output.emax - 6, 40});
}

int word_writer::part_of(int exponent, const code_picker& one, const code_picker& other) {
  const int low = std::max(one.lowest(), exponent - other.highest());
  const int high = std::min(one.highest(), exponent - other.lowest());
  return from.between(std::max(low, std::min(exponent / 2 - 2, high)),
                      std::min(high, std::max(exponent / 2 + 2, low)));
}

void word_writer::set_block(std::size_t block, int exponent) {
  const int half = part_of(exponent, scale, scale);
  word.scale_a[block] = scale.power(half, false);
  word.scale_b[block] = scale.power(exponent - half, false);
}

void word_writer::set_rich_block(std::size_t block, int exponent) {
  const int half = part_of(exponent, scale, scale);
  word.scale_a[block] = scale.in_binade(half, false, from);
  word.scale_b[block] = scale.in_binade(exponent - half, false, from);
}

void word_writer::put_product(std::size_t k, int exponent, bool negative) {
  const int of_a = part_of(exponent, a, b);
  const bool in_a = from.one_in(2);
  word.a[k] = a.in_binade(of_a, negative == in_a, from);
  word.b[k] = b.in_binade(exponent - of_a, !in_a, from);
}

void word_writer::put_power(std::size_t at, int exponent, bool negative) {
  const std::size_t first = at * place_size();
  if (place_ == term_place::block) {
    set_block(at, exponent);
    exponent = 0;
  }
  const int of_a = part_of(exponent - base_, a, b);
  word.a[first] = a.power(of_a, negative);
  word.b[first] = b.power(exponent - base_ - of_a, false);
}

void word_writer::put_rich(std::size_t at, int exponent, bool negative) {
  if (place_ == term_place::product) return put_product(at, exponent - base_, negative);
  set_rich_block(at, exponent);
  const std::size_t first = at * place_size();
  for (std::size_t k = first; k < first + place_size(); ++k) {
    put_product(k, std::min(from.between(-1, 1), highest_product()), negative);
  }
}

void word_writer::put_opposite(std::size_t at, std::size_t of) {
  const std::size_t size = place_size();
  for (std::size_t i = 0; i < size; ++i) {
    word.a[at * size + i] = a.negated(word.a[of * size + i]);
    word.b[at * size + i] = word.b[of * size + i];
  }
  if (place_ != term_place::block) return;
  word.scale_a[at] = word.scale_a[of];
  word.scale_b[at] = word.scale_b[of];
}

void word_writer::shuffle() {
  const std::size_t size = place_size();
  const auto exchange = [](std::vector<std::uint32_t>& list, std::size_t x, std::size_t y) {
    std::swap(list[x], list[y]);
  };
  for (std::size_t at = places(); at-- > 1;) {
    const std::size_t other = from.between(0U, static_cast<std::uint32_t>(at));
    for (std::size_t i = 0; i < size; ++i) {
      exchange(word.a, at * size + i, other * size + i);
      exchange(word.b, at * size + i, other * size + i);
    }
    if (place_ != term_place::block) continue;
    exchange(word.scale_a, at, other);
    exchange(word.scale_b, at, other);
  }
}

void word_writer::fill_near(int spread) {
  const auto near = [&](const code_picker& in, int widest) {
    const int low = std::max(-widest, in.lowest());
    const int high = std::max(low, std::min(widest, in.highest()));
    const int exponent = from.between(low, high);
    const bool negative = from.one_in(2);
    return in.in_binade(exponent, negative, from);
  };
  for (std::size_t k = 0; k < word.a.size(); ++k) {
    word.a[k] = near(a, spread);
    word.b[k] = near(b, spread);
  }
  for (auto* list : {&word.scale_a, &word.scale_b}) {
    for (std::uint32_t& code : *list) code = near(scale, 2);
  }
}

void word_writer::set_scales(std::uint32_t code_a, std::uint32_t code_b) {
  std::fill(word.scale_a.begin(), word.scale_a.end(), code_a);
  std::fill(word.scale_b.begin(), word.scale_b.end(), code_b);
}

std::uint32_t word_writer::result() const { return dot(*model_, word.codes()); }

}  // namespace golden
