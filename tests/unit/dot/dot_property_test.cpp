// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/dot_property_test.cpp: mx/dot/dot.h: properties for any operands: order within a
// step, negation, shifts of scales, chains of instructions, ends of K.
#include <algorithm>
#include <random>
#include <vector>

#include "catch.h"
#include "dot_random.h"
#include "dot_run.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"

namespace {

using tests::is_device;
using tests::model_of;
using tests::random_word;
using tests::run;
using tests::words;

/// Range in which products of a step may be permuted: within all of it, a group, or a parity.
TEST_CASE("products_of_a_step_may_change_places") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    if (!is_device(entry) || m.sum.addend == mx::addend::after_span) continue;
    const auto size = static_cast<std::size_t>(m.sum.group > 1 ? m.sum.group : m.sum.fused);
    const std::size_t stride = m.sum.parity == mx::parity::even_and_odd ? 2 : 1;
    words source(m);
    CAPTURE(entry.name);
    for (int i = 0; i < 100; ++i) {
      random_word w = source.next(64);
      const std::uint32_t before = run(m, w);
      const std::size_t last = size - stride;
      std::swap(w.a[0], w.a[last]);
      std::swap(w.b[0], w.b[last]);
      REQUIRE(run(m, w) == before);
    }
  }
}

TEST_CASE("products_of_different_steps_may_not") {
  const mx::dot_model& m = model_of("ampere.mma.f16.f32");
  words source(m);
  int different = 0;
  for (int i = 0; i < 200; ++i) {
    random_word w = source.next(16);
    const std::uint32_t before = run(m, w);
    std::rotate(w.a.begin(), w.a.begin() + 8, w.a.end());
    std::rotate(w.b.begin(), w.b.begin() + 8, w.b.end());
    different += run(m, w) != before ? 1 : 0;
  }
  CHECK(different > 0);
}

int words_that_break_negation(const mx::dot_model& m) {
  words source(m);
  int broken = 0;
  for (int i = 0; i < 300; ++i) {
    random_word w = source.next(64);
    const std::uint32_t before = run(m, w), sign = m.sum.result.sign_mask();
    for (std::uint32_t& code : w.a) {
      if ((code & (m.a.magnitude_mask() << m.unread_bits)) != 0)
        code ^= m.a.sign_mask() << m.unread_bits;
    }
    w.c ^= sign;
    const bool zero = (before & ~sign) == 0;
    broken += !zero && run(m, w) != (before ^ sign) ? 1 : 0;
  }
  return broken;
}

TEST_CASE("negating_every_term_negates_the_sum_but_not_on_cdna3") {
  for (const mx::named_model& entry : mx::model_table) {
    CAPTURE(entry.name);
    const bool cuts_downward = entry.name.substr(0, 5) == "cdna3";
    CHECK((words_that_break_negation(entry.model) > 0) == cuts_downward);
  }
}

TEST_CASE("a_factor_may_move_from_one_scale_to_the_other") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    if (m.block == 0 || !(m.scale == mx::formats::e8m0)) continue;
    words source(m);
    CAPTURE(entry.name);
    for (int i = 0; i < 50; ++i) {
      random_word w = source.next(64);
      const std::uint32_t before = run(m, w);
      for (std::uint32_t& s : w.scale_a) s += 5;
      for (std::uint32_t& s : w.scale_b) s -= 5;
      REQUIRE(run(m, w) == before);
    }
  }
}

TEST_CASE("scaling_every_term_moves_only_the_exponent_of_the_sum") {
  for (const std::string_view name : {"blackwell.mxf4", "blackwell.mxf8f6f4.e4m3.e5m2", "exact.rne",
                                      "fp32.sequential", "fp32.pairwise", "vortex.tfr"}) {
    const mx::dot_model& m = model_of(name);
    words source(m);
    CAPTURE(name);
    for (int i = 0; i < 100; ++i) {
      random_word w = source.next(64);
      const std::uint32_t before = run(m, w);
      for (std::uint32_t& s : w.scale_a) s += 7;
      w.c += 7U << 23;
      REQUIRE(run(m, w) == ((before & 0x7FFFFFFF) == 0 ? before : before + (7U << 23)));
    }
  }
}

TEST_CASE("a_long_k_is_a_chain_of_instructions") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    if (m.sum.fused == mx::accumulation::all_of_k || entry.name == "fp32.pairwise") continue;
    words source(m);
    const random_word w = source.next(128);
    const auto blocks = static_cast<std::size_t>(m.block > 0 ? 64 / m.block : 0);
    const std::uint32_t half =
        mx::dot(m, w.a.data(), w.b.data(), 64, w.c, w.scale_a.data(), w.scale_b.data());
    CAPTURE(entry.name);
    CHECK(run(m, w) == mx::dot(m, w.a.data() + 64, w.b.data() + 64, 64, half,
                               w.scale_a.data() + blocks, w.scale_b.data() + blocks));
  }
}

TEST_CASE("what_k_lacks_of_a_step_is_zeros") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    words source(m);
    random_word w = source.next(64);
    for (int k = 1; k < 64; ++k) {
      random_word padded = w;
      std::fill(padded.a.begin() + k, padded.a.end(), 0);
      std::fill(padded.b.begin() + k, padded.b.end(), 0);
      CAPTURE(entry.name, k);
      REQUIRE(mx::dot(m, w.a.data(), w.b.data(), k, w.c, w.scale_a.data(), w.scale_b.data()) ==
              run(m, padded));
    }
    CHECK(mx::dot(m, w.a.data(), w.b.data(), 0, w.c) == w.c);
  }
}

}  // namespace
