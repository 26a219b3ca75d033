// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/bulk_gemm_exact_test.cpp: mx/dot/bulk_gemm.h. Elements without rounding or
// truncation, beside others with exactly that: against mx::gemm_element, bit for bit, for every
// model.
#include <random>
#include <string>

#include "catch.h"
#include "mx/dot/bulk_gemm.h"
#include "mx/dot/mixed_models.h"

namespace {

using words = std::vector<std::uint32_t>;

/// Lines whose numbers are small odd integers times powers of two.
///   lowest, spread  exponents of a line begin with one in [lowest, lowest + spread], and are
///                   within `reach` above it
struct exponents {
  int lowest, spread, reach;
};

struct drawn_lines {
  words codes;
  std::vector<std::uint8_t> scales;
  std::int64_t k = 0, blocks = 0;

  drawn_lines(const mx::dot_model& m, const mx::format& f, std::int64_t lines, std::int64_t count,
              const exponents& e, std::mt19937& random)
      : k(count), blocks(m.block > 0 ? (count + m.block - 1) / m.block : 0) {
    for (std::int64_t i = 0; i < lines; ++i) {
      const int first = e.lowest + static_cast<int>(random() % (e.spread + 1));
      for (std::int64_t j = 0; j < k; ++j) {
        const int exponent = first + static_cast<int>(random() % (e.reach + 1));
        const auto number = mx::unpacked::finite(random() % 2 != 0, 1 + random() % 3, exponent);
        const bool zero = random() % 4 == 0 || i == 3;
        const std::uint32_t code =
            mx::encode(f, zero ? mx::unpacked{number.negative, mx::kind::finite, 0, 0} : number,
                       mx::rounding::ties_to_even, mx::overflow::saturate);
        codes.push_back(code << m.unread_bits | (random() & ((1U << m.unread_bits) - 1)));
      }
      for (std::int64_t b = 0; b < blocks; ++b) scales.push_back(scale(m, e, i, random));
    }
    // A line with infinities or NaN.
    for (std::int64_t j = 0; j < k && lines > 5; ++j) {
      codes[static_cast<std::size_t>(5 * k + j)] = static_cast<std::uint32_t>(random());
      if (f.width() + m.unread_bits < 32) {
        codes[static_cast<std::size_t>(5 * k + j)] &= (1U << (f.width() + m.unread_bits)) - 1;
      }
    }
  }

  static std::uint8_t scale(const mx::dot_model& m, const exponents& e, std::int64_t line,
                            std::mt19937& random) {
    const auto above = static_cast<int>(random() % (e.reach + 1));
    if (line == 6 && random() % 4 == 0) return static_cast<std::uint8_t>(random());
    const auto one = static_cast<int>(mx::encode(
        m.scale, mx::unpacked::positive(1, 0), mx::rounding::ties_to_even, mx::overflow::saturate));
    return static_cast<std::uint8_t>(one + (above << m.scale.fraction_bits));
  }

  [[nodiscard]] mx::gemm_operand operand() const {
    return {codes.data(), mx::code_storage::words, 4 * k, blocks > 0 ? scales.data() : nullptr};
  }
  [[nodiscard]] mx::dot_operand<std::uint32_t> line(std::int64_t i) const {
    return {{codes.data() + i * k}, {blocks > 0 ? scales.data() + i * blocks : nullptr}};
  }
};

/// C of every kind, most of them numbers with which a sum may stay exact.
words addends(const mx::format& f, std::size_t count, int exponent, std::mt19937& random) {
  words c(count);
  for (std::uint32_t& code : c) {
    const auto draw = random();
    if (draw % 3 == 0) continue;
    if (draw % 17 == 1) {
      code = static_cast<std::uint32_t>(random()) & (f.sign_mask() | f.magnitude_mask());
      continue;
    }
    const auto number = mx::unpacked::finite(draw / 64 % 2 != 0, draw / 128 % 8,
                                             exponent + static_cast<int>(draw / 1024 % 30) - 4);
    code = mx::encode(f, number, mx::rounding::ties_to_even, mx::overflow::saturate);
  }
  return c;
}

void compare(const mx::gemm_plan& plan, const mx::gemm_shape& shape, const exponents& e,
             std::uint32_t seed) {
  std::mt19937 random(seed);
  const drawn_lines a(plan.model, plan.model.a, shape.m, shape.k, e, random);
  const drawn_lines b(plan.model, plan.model.b, shape.n, shape.k, e, random);
  const words c = addends(plan.model.sum.result, static_cast<std::size_t>(shape.m * shape.n),
                          2 * e.lowest, random);
  words d(c.size());
  mx::gemm(plan, shape, a.operand(), b.operand(), c.data(), d.data());
  for (std::int64_t i = 0; i < shape.m; ++i) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      const auto at = static_cast<std::size_t>(i * shape.n + j);
      const std::uint32_t expected =
          mx::gemm_element(plan, a.line(i), b.line(j), static_cast<int>(shape.k), c[at]);
      INFO("(" << i << ", " << j << ") of K = " << shape.k << " from 2^" << e.lowest << " within "
               << e.reach);
      REQUIRE(d[at] == expected);
    }
  }
}

/// Exponents at which sums are exact, are not, and are for some pairs of lines.
constexpr exponents cases[] = {{0, 0, 0},    {0, 3, 2},   {-4, 2, 3},  {-6, 8, 5},
                               {-2, 0, 9},   {-14, 2, 1}, {-24, 3, 2}, {-60, 2, 4},
                               {-75, 25, 3}, {10, 6, 4},  {58, 4, 3}};

mx::gemm_plan plan_for(const mx::named_model& entry) {
  mx::gemm_plan plan{.model = entry.model};
  plan.output = plan.model.sum.result;
  return plan;
}

template <class Work>
void for_each_model(const Work& work) {
  for (const mx::named_model& entry : mx::model_table) work(entry);
  for (const mx::named_model& entry : mx::mixed_model_table) work(entry);
}

TEST_CASE("exact_elements_and_others_equal_the_core_under_every_model") {
  std::uint32_t seed = 0;
  for_each_model([&](const mx::named_model& entry) {
    INFO(entry.name);
    for (const exponents& e : cases) compare(plan_for(entry), {11, 13, 67}, e, ++seed);
  });
}

TEST_CASE("definitions_of_other_formats_and_scales_do_too") {
  std::uint32_t seed = 5000;
  using namespace mx::formats;  // NOLINT(google-build-using-namespace)
  for (const char* name :
       {"exact.rne", "exact.rz", "fp32.fma", "fp32.sequential", "fp32.pairwise"}) {
    INFO(name);
    const mx::dot_model definition = mx::model_named(name)->model;
    for (const mx::format& f : {binary32, binary16, bfloat16, e5m2, e2m3}) {
      for (const exponents& e : cases) {
        mx::dot_model plain = mx::with_formats(definition, f, f);
        plain.block = 0;
        compare({.model = plain}, {11, 13, 40}, e, ++seed);
      }
    }
    for (const mx::format& scale : {e8m0, ue4m3}) {
      const mx::dot_model blocks =
          mx::with_scales(mx::with_formats(definition, e3m2, e2m1), scale, 16);
      for (const exponents& e : cases) compare({.model = blocks}, {11, 13, 48}, e, ++seed);
    }
  }
}

/// Models that truncate or round where no named one does: each isolates one condition of exactness.
std::vector<mx::dot_model> narrow_models() {
  const mx::dot_model base = mx::model_named("hopper.wgmma.f16.f32")->model;
  std::vector<mx::dot_model> all;
  const auto add = [&](const auto& change) {
    mx::dot_model m = base;
    change(m);
    all.push_back(m);
    all.push_back(mx::with_formats(m, mx::formats::bfloat16, mx::formats::bfloat16));
  };
  for (const int bits : {2, 4, 8, 12, 18}) {
    add([&](mx::dot_model& m) { m.sum.fraction_bits = bits; });
  }
  for (const mx::zero_term zeros : {mx::zero_term::each_zero, mx::zero_term::floor}) {
    add([&](mx::dot_model& m) { m = mx::with_zeros(m, zeros, 0); });
  }
  const mx::format short_output = mx::model_named("hopper.wgmma.e4m3.f32")->model.sum.output;
  add([&](mx::dot_model& m) { m.sum.output = short_output; });
  add([&](mx::dot_model& m) {
    m.sum.results = m.sum.inputs = mx::subnormals::flushed;
    m.sum.zero_exponent = -200;
  });
  add([&](mx::dot_model& m) { m.sum.result = m.sum.output = mx::formats::binary16; });
  add([&](mx::dot_model& m) { m.sum.late = {30, 30, 9, mx::far_addend::cut}; });
  add([&](mx::dot_model& m) { m.sum.late = {6, 30, 30, mx::far_addend::cut}; });
  add([&](mx::dot_model& m) { m.sum.late = {30, 6, 30, mx::far_addend::zero}; });
  return all;
}

TEST_CASE("models_that_cut_more_than_any_named_one_do_too") {
  std::uint32_t seed = 20000;
  constexpr exponents more[] = {{0, 0, 12}, {-6, 1, 6}, {-64, 2, 1}, {-66, 4, 2}, {3, 2, 3}};
  for (const mx::dot_model& model : narrow_models()) {
    INFO("model " << seed);
    mx::gemm_plan plan{.model = model};
    plan.output = model.sum.result;
    for (const exponents& e : cases) compare(plan, {11, 13, 35}, e, ++seed);
    for (const exponents& e : more) compare(plan, {11, 13, 7}, e, ++seed);
  }
}

TEST_CASE("pieces_of_k_and_what_follows_the_sum_stay_the_core_s") {
  std::uint32_t seed = 9000;
  for (const char* name : {"exact.rz", "hopper.wgmma.f16.f32", "blackwell.mxf8f6f4.e4m3.e4m3"}) {
    for (const exponents& e : cases) {
      mx::gemm_plan plan = plan_for(*mx::model_named(name));
      plan.promote = 64;
      compare(plan, {11, 13, 200}, e, ++seed);
      plan.split_k = 3;
      plan.split_order = mx::split_order::pairwise;
      plan.c_entry = mx::c_entry::epilogue;
      plan.alpha = 0.75F;
      plan.output = mx::formats::bfloat16;
      compare(plan, {11, 13, 1100}, e, ++seed);
    }
  }
}

}  // namespace
