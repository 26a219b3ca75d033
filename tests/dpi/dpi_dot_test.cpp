// SPDX-License-Identifier: Apache-2.0
// tests/dpi/dpi_dot_test.cpp: dot products and tiles through the DPI package against the core.
#include "catch.h"
#include "models.h"

namespace {

TEST_CASE("every_model_gives_the_bits_of_the_core_and_looks_at_no_bits_above_its_own") {
  const dpi::context context = dpi::made();
  for (const dpi::choice& choice : dpi::choices()) {
    REQUIRE(choice.select(context) == mx_dpi_ok);
    int wrong = 0;
    for (const cross::dot_word& word : choice.words(20)) {
      for (const std::uint32_t above : {0U, ~0U}) {
        svBitVecVal d = 0;
        const int status = choice.operands_of(word, above).multiply(context, d);
        wrong += status != mx_dpi_ok || d != choice.expected(word) ? 1 : 0;
      }
    }
    INFO(choice.model << ' ' << choice.format_a << ' ' << choice.format_scale);
    CHECK(wrong == 0);
  }
  CHECK(dpi::errors_of(context) == 0);
}

TEST_CASE("a_new_context_is_mxfp4_under_blackwell_mxf4") {
  const dpi::context context = dpi::made();
  const dpi::choice first = dpi::choices().front();
  for (const cross::dot_word& word : first.words(3)) {
    svBitVecVal d = 0;
    CHECK(first.operands_of(word).multiply(context, d) == mx_dpi_ok);
    CHECK(d == first.expected(word));
  }
}

/// A tile whose lines are those of words, one after another.
struct tile {
  std::vector<svBitVecVal> a, b, scale_a, scale_b, c;

  tile(const dpi::choice& choice, const std::vector<cross::dot_word>& words) {
    const auto append = [](std::vector<svBitVecVal>& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    for (std::size_t i = 0; i < mx_dpi_rows; ++i) {
      append(a, choice.operands_of(words[i]).a);
      append(scale_a, choice.operands_of(words[i]).scale_a);
    }
    for (std::size_t j = 0; j < mx_dpi_columns; ++j) {
      append(b, choice.operands_of(words[j]).b);
      append(scale_b, choice.operands_of(words[j]).scale_b);
    }
    for (std::size_t i = 0; i < mx_dpi_rows * mx_dpi_columns; ++i) {
      c.push_back(words[i % words.size()].c);
    }
  }
};

TEST_CASE("a_tile_is_the_dot_products_of_its_rows_and_columns") {
  const dpi::context context = dpi::made();
  for (const dpi::choice& choice : dpi::choices()) {
    REQUIRE(choice.select(context) == mx_dpi_ok);
    const std::vector<cross::dot_word> words = choice.words(2);
    const tile in(choice, words);
    std::vector<svBitVecVal> d(in.c.size());
    CHECK(mx_dpi_tile(context.get(), in.a.data(), in.b.data(), in.scale_a.data(), in.scale_b.data(),
                      in.c.data(), d.data()) == mx_dpi_ok);
    int wrong = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      cross::dot_word word = words[i / mx_dpi_columns];
      word.b = words[i % mx_dpi_columns].b;
      word.scale_b = words[i % mx_dpi_columns].scale_b;
      word.c = in.c[i];
      wrong += d[i] != choice.expected(word) ? 1 : 0;
    }
    INFO(choice.model);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a_sum_accumulates_in_place") {
  const dpi::context context = dpi::made();
  const dpi::choice choice = dpi::choices().front();
  const std::vector<cross::dot_word> words = choice.words(2);
  for (const cross::dot_word& word : words) {
    dpi::operands in = choice.operands_of(word);
    CHECK(in.multiply(context, in.c) == mx_dpi_ok);
    CHECK(in.c == choice.expected(word));
  }
  const tile in(choice, words);
  std::vector<svBitVecVal> apart(in.c.size()), in_place = in.c;
  const auto multiply = [&](const svBitVecVal* c, svBitVecVal* d) {
    return mx_dpi_tile(context.get(), in.a.data(), in.b.data(), in.scale_a.data(),
                       in.scale_b.data(), c, d);
  };
  CHECK(multiply(in.c.data(), apart.data()) == mx_dpi_ok);
  CHECK(multiply(in_place.data(), in_place.data()) == mx_dpi_ok);
  CHECK(in_place == apart);
}

}  // namespace
