// SPDX-License-Identifier: Apache-2.0
// tests/policy/row_accuracy_test.cpp: sim/policy/row_functions.h: the distance of exp, log and
// functions of them from the exact values, and that every row function has the same bits
// everywhere.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "instruction_sets.h"
#include "sim/policy/attention_rows.h"
#include "sim/policy/element_functions.h"
#include "sim/policy/row_functions.h"

namespace {

using floats = std::vector<float>;
using function = void (*)(std::ptrdiff_t, const float*, float*);

/// Distance in units of the last place that the exact value has in binary32.
double ulps(float found, long double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent - 24, -149));
  return static_cast<double>(std::fabs(found - exact) / unit);
}

/// All arguments between two bit patterns of one sign, `step` apart.
floats arguments(std::uint32_t first, std::uint32_t last, std::uint32_t step) {
  floats x;
  for (std::uint64_t b = first; b <= last; b += step) {
    x.push_back(mx::float_of(static_cast<std::uint32_t>(b)));
  }
  x.resize((x.size() + 15) / 16 * 16, x.back());
  return x;
}

template <class Exact>
double worst_ulps(function f, const floats& x, const Exact& exact) {
  floats y(x.size());
  f(static_cast<std::ptrdiff_t>(x.size()), x.data(), y.data());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, ulps(y[i], exact(static_cast<long double>(x[i]))));
  }
  return worst;
}

long double exact_exp(long double x) { return std::exp(x); }
long double exact_log(long double x) { return std::log(x); }

TEST_CASE("exp_is_within_1_ulp_where_its_result_is_normal") {
  CHECK(worst_ulps(sim::exponential, arguments(0x00000000, 0x42B17217, 1009), exact_exp) < 1.0);
  CHECK(worst_ulps(sim::exponential, arguments(0x80000000, 0xC2AEAC4F, 1009), exact_exp) < 1.0);
}

TEST_CASE("exp_is_within_1_unit_of_the_smallest_subnormal_below") {
  CHECK(worst_ulps(sim::exponential, arguments(0xC2AEAC50, 0xC2D20000, 101), exact_exp) < 1.0);
}

TEST_CASE("exp_reaches_zero_and_infinity_and_keeps_nan") {
  const float inf = mx::float_of(0x7F800000);
  CHECK(sim::exponential(0.0F) == 1.0F);
  CHECK(sim::exponential(-0.0F) == 1.0F);
  CHECK(mx::bits_of(sim::exponential(-inf)) == 0U);
  CHECK(mx::bits_of(sim::exponential(-120.0F)) == 0U);
  CHECK(sim::exponential(89.0F) == inf);
  CHECK(sim::exponential(inf) == inf);
  CHECK(std::isnan(sim::exponential(mx::float_of(0x7FC00000))));
}

TEST_CASE("log_is_within_1_ulp_on_all_normal_numbers") {
  CHECK(worst_ulps(sim::logarithm, arguments(0x00800000, 0x7F7FFFFF, 2003), exact_log) < 1.0);
  CHECK(worst_ulps(sim::logarithm, arguments(0x3F000000, 0x40000000, 31), exact_log) < 1.0);
  float one[16];
  std::fill_n(one, 16, 1.0F);
  sim::logarithm(16, one, one);
  CHECK(mx::bits_of(one[0]) == 0U);
}

TEST_CASE("gumbel_numbers_are_within_2_to_the_minus_22_of_1_or_of_their_size") {
  double worst = 0;
  floats u, g;
  for (std::uint32_t top = 0; top < 1U << 23; top += 13) {
    u.push_back((static_cast<float>(top) + 0.5F) * 0x1p-23F);
  }
  u.push_back(0x1.fffffep-1F);
  u.resize((u.size() + 15) / 16 * 16, 0.5F);
  g.resize(u.size());
  sim::gumbel(static_cast<std::ptrdiff_t>(u.size()), u.data(), g.data());
  for (std::size_t i = 0; i < u.size(); ++i) {
    const long double exact = -std::log(-std::log(static_cast<long double>(u[i])));
    const long double size = std::max(1.0L, std::fabs(exact));
    worst = std::max(worst, static_cast<double>(std::fabs(g[i] - exact) / size));
  }
  CHECK(worst < 0x1p-22);
}

TEST_CASE("normal_numbers_are_within_4_ulps_of_box_and_muller") {
  std::mt19937 random(1);
  constexpr std::size_t pairs = 1 << 18;
  floats u(2 * pairs), n(2 * pairs);
  for (float& x : u) x = (static_cast<float>(random() >> 9) + 0.5F) * 0x1p-23F;
  sim::normal_pairs(pairs, u.data(), n.data());
  const long double turn = 8 * std::atan(1.0L);
  double worst = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const long double radius = std::sqrt(-2 * std::log(static_cast<long double>(u[i])));
    const long double angle = turn * u[pairs + i];
    worst = std::max({worst, ulps(n[i], radius * std::cos(angle)),
                      ulps(n[pairs + i], radius * std::sin(angle))});
  }
  for (const float x : n) sum += double{x}, squares += double{x} * double{x};
  CHECK(worst < 4.0);
  CHECK(std::fabs(sum / static_cast<double>(n.size())) < 0.007);  // 5 standard errors
  CHECK(std::fabs(squares / static_cast<double>(n.size()) - 1) < 0.01);
}

TEST_CASE("log_softmax_is_normalized_and_its_entropy_is_that_of_its_probabilities") {
  std::mt19937 random(2);
  for (int repeat = 0; repeat < 200; ++repeat) {
    float logits[32], log_p[32], p[32];
    for (float& x : logits) {
      x = (static_cast<float>(random() % 2001) - 1000) / (repeat % 2 == 0 ? 100.0F : 20.0F);
    }
    const float entropy = sim::log_softmax(32, logits, log_p, p);
    double sum = 0, exact_entropy = 0;
    for (const float x : logits) sum += std::exp(double{x});
    for (int i = 0; i < 32; ++i) {
      const double exact = double{logits[i]} - std::log(sum);
      exact_entropy -= std::exp(exact) * exact;
      REQUIRE(std::fabs(double{log_p[i]} - exact) < 4e-7 * std::max(1.0, -exact));
      REQUIRE(p[i] == sim::exponential(log_p[i]));
    }
    REQUIRE(std::fabs(double{entropy} - exact_entropy) < 2e-6);
    float same[32];
    REQUIRE(sim::log_softmax(32, logits, same, nullptr) == entropy);
    REQUIRE(test::bits({same, same + 32}) == test::bits({log_p, log_p + 32}));
    REQUIRE(sim::relative_entropy(32, p, log_p, log_p) == 0.0F);
  }
}

TEST_CASE("relative_entropy_is_that_of_the_two_distributions") {
  std::mt19937 random(3);
  float logits[2][32], log_p[2][32], p[32];
  for (auto& row : logits) {
    for (float& x : row) x = static_cast<float>(random() % 1000) / 200;
  }
  sim::log_softmax(32, logits[0], log_p[0], p);
  sim::log_softmax(32, logits[1], log_p[1], nullptr);
  double exact = 0;
  for (int i = 0; i < 32; ++i) {
    exact += std::exp(double{log_p[0][i]}) * (double{log_p[0][i]} - double{log_p[1][i]});
  }
  CHECK(exact > 0.1);
  CHECK(std::fabs(double{sim::relative_entropy(32, p, log_p[0], log_p[1])} - exact) < 1e-5);
}

// ---- bits --------------------------------------------------------------------------------------

floats random_floats(std::size_t count, unsigned seed, float size = 1) {
  std::mt19937 random(seed);
  floats x(count);
  for (float& v : x) v = size * (static_cast<float>(random() >> 8) * 0x1p-23F - 1);
  return x;
}

floats uniform_floats(std::size_t count) {
  std::mt19937 random(9);
  floats u(count);
  for (float& x : u) x = (static_cast<float>(random() >> 9) + 0.5F) * 0x1p-23F;
  return u;
}

TEST_CASE("elementwise_functions_have_the_same_bits_on_every_instruction_set") {
  const floats wide = random_floats(4096, 1, 100), u = uniform_floats(4096);
  const floats any = arguments(0x00800000, 0x7F7FFFFF, 500009);
  test::require_same_bits_on_every_instruction_set([&] {
    floats out(any.size());
    sim::logarithm(static_cast<std::ptrdiff_t>(any.size()), any.data(), out.data());
    return out;
  });
  for (const function f : {function{sim::exponential}, function{sim::gumbel}}) {
    const floats& x = f == sim::gumbel ? u : wide;
    test::require_same_bits_on_every_instruction_set([&] {
      floats out(x.size());
      f(4096, x.data(), out.data());
      return out;
    });
  }
  test::require_same_bits_on_every_instruction_set([&] {
    floats out(u.size());
    sim::normal_pairs(2048, u.data(), out.data());
    return out;
  });
  test::require_same_bits_on_every_instruction_set([&] {
    floats x = wide;
    sim::add(4096, u.data(), x.data());
    sim::scale(4096, 0.3F, x.data());
    return x;
  });
  test::require_same_bits_on_every_instruction_set([&] {
    floats hidden(4096), dgate(4096), dup(4096);
    sim::gated(4096, wide.data(), u.data(), hidden.data());
    sim::gated_backward(4096, wide.data(), u.data(), hidden.data(), dgate.data(), dup.data());
    for (const auto* more : {&dgate, &dup}) hidden.insert(hidden.end(), more->begin(), more->end());
    return hidden;
  });
  test::require_same_bits_on_every_instruction_set([&] {
    floats m = random_floats(64, 3), v = uniform_floats(64), w = random_floats(64, 4);
    sim::adam({0.9F, 0.99F, 1e-8F, 1e-3F, 0.1F, 0.01F}, 64, wide.data(), m.data(), v.data(),
              w.data());
    for (const auto* more : {&m, &v}) w.insert(w.end(), more->begin(), more->end());
    return w;
  });
}

TEST_CASE("row_functions_have_the_same_bits_on_every_instruction_set") {
  const floats x = random_floats(5 * 48, 5), weight = random_floats(48, 6),
               dy = random_floats(5 * 48, 7);
  test::require_same_bits_on_every_instruction_set([&] {
    floats out(5 * 48), rms(5), dx(5 * 48), dweight(48);
    const sim::normed_rows of{{x.data(), 48}, rms.data()};
    sim::rms_norm(5, 48, of.x, weight.data(), 1e-6F, {out.data(), 48}, rms.data());
    sim::rms_norm_backward(5, 48, of, weight.data(), {dy.data(), 48}, {dx.data(), 48});
    sim::rms_norm_weight_gradient(5, 48, of, {dy.data(), 48}, dweight.data());
    for (const auto* more : {&rms, &dx, &dweight})
      out.insert(out.end(), more->begin(), more->end());
    return out;
  });
  const floats logits = random_floats(32, 8, 9);
  test::require_same_bits_on_every_instruction_set([&] {
    floats log_p(32), p(32);
    const float entropy = sim::log_softmax(32, logits.data(), log_p.data(), p.data());
    log_p.push_back(entropy);
    log_p.push_back(sim::relative_entropy(32, p.data(), log_p.data(), logits.data()));
    log_p.insert(log_p.end(), p.begin(), p.end());
    return log_p;
  });
  for (const int width : {16, 32, 48}) {  // half of it is a multiple of 8
    test::require_same_bits_on_every_instruction_set([&] {
      floats head = random_floats(width, 9);
      const floats cosine = random_floats(width / 2, 10), sine = random_floats(width / 2, 11);
      sim::rotate(width, head.data(), cosine.data(), sine.data());
      sim::rotate_back(width, head.data(), sine.data(), cosine.data());
      return head;
    });
  }
}

TEST_CASE("attention_has_the_same_bits_on_every_instruction_set_and_ignores_later_keys") {
  constexpr int width = 32, span = 32;
  const floats query = random_floats(width, 12, 4), values = random_floats(width * span, 14),
               keys = random_floats(width * span, 13, 2), dout = random_floats(width, 15);
  const auto attend = [&](int count, const floats& transposed) {
    floats out(width), probability(span, -1.0F), dquery(width), dkeys(width * span),
        dvalues(width * span);
    const sim::attention_shape shape{
        .width = width, .keys = count, .span = span, .score_scale = 0.2F};
    sim::attend(shape,
                {.query = query.data(),
                 .keys_transposed = transposed.data(),
                 .values = {values.data(), width}},
                {.probability = probability.data(), .out = out.data()});
    sim::attend_backward(shape,
                         {.query = query.data(),
                          .keys = {keys.data(), width},
                          .values_transposed = values.data(),
                          .probability = probability.data(),
                          .dout = dout.data()},
                         {.dquery = dquery.data(),
                          .dkeys = {dkeys.data(), width},
                          .dvalues = {dvalues.data(), width}});
    for (const auto* more : {&probability, &dquery, &dkeys, &dvalues}) {
      out.insert(out.end(), more->begin(), more->end());
    }
    return out;
  };
  for (const int count : {1, 2, 15, 16, 17, 31, 32}) {
    test::require_same_bits_on_every_instruction_set([&] { return attend(count, keys); });
    floats later = keys;
    for (int c = 0; c < width; ++c) {
      for (int j = count; j < span; ++j) later[static_cast<std::size_t>(c * span + j)] = 1e30F;
    }
    const bool same = test::bits(attend(count, later)) == test::bits(attend(count, keys));
    CHECK(same);
    const floats out = attend(count, keys);
    for (int j = count; j < span; ++j) {
      CHECK(mx::bits_of(out[static_cast<std::size_t>(width + j)]) == 0U);
    }
  }
}

}  // namespace
