// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/step_words_test.cpp: mx/dot/bulk_dot.h and mx/dot/bulk_gemm.h for every model,
// whose steps have kernels, against mx::dot, bit for bit, on every instruction set.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "instruction_sets.h"
#include "mx/dot/bulk_dot.h"
#include "mx/dot/bulk_gemm.h"
#include "step_cases.h"

namespace {

using tests::step_case;
using tests::step_operands;
using words = std::vector<std::uint32_t>;

void require_same(const words& found, const words& expected, const char* what) {
  const auto pair = std::mismatch(found.begin(), found.end(), expected.begin());
  if (pair.first == found.end()) return;
  INFO(what << ", number " << pair.first - found.begin() << ": " << std::hex << *pair.first
            << " for " << *pair.second);
  REQUIRE(false);
}

/// The codes in as few bytes as they need.
template <class Code>
std::vector<Code> narrowed(const words& codes) {
  std::vector<Code> narrow(codes.size());
  std::transform(codes.begin(), codes.end(), narrow.begin(),
                 [](std::uint32_t code) { return static_cast<Code>(code); });
  return narrow;
}

template <class Code>
words all_words(const mx::dot_model& model, const step_case& of) {
  const std::vector<Code> a = narrowed<Code>(of.a()), b = narrowed<Code>(of.b());
  words d(of.c().size());
  mx::dot_all(model, mx::dot_words<Code>{of.count(), of.k(), a.data(), b.data(), of.scale_a(),
                                         of.scale_b(), of.c().data(), d.data()});
  return d;
}

words all_words(const mx::dot_model& model, const step_case& of) {
  const int width = std::max(model.a.width(), model.b.width()) + model.unread_bits;
  if (width <= 8) return all_words<std::uint8_t>(model, of);
  return width <= 16 ? all_words<std::uint16_t>(model, of) : all_words<std::uint32_t>(model, of);
}

/// Every line of A with every line of B.
words whole_product(const mx::dot_model& model, const step_case& of, const words& c) {
  mx::gemm_plan plan{.model = model};
  plan.output = model.sum.result;
  const auto operand = [&](const words& codes, const std::uint8_t* scales) {
    return mx::gemm_operand{codes.data(), mx::code_storage::words, 4 * of.k(), scales};
  };
  words d(c.size());
  mx::gemm(plan, {of.count(), of.count(), of.k()}, operand(of.a(), of.scale_a()),
           operand(of.b(), of.scale_b()), c.data(), d.data());
  return d;
}

void compare(const mx::dot_model& model, const step_case& of, bool products) {
  const std::int64_t n = of.count();
  words one_each, every, c;
  for (std::int64_t i = 0; i < n; ++i) {
    one_each.push_back(of.by_core(i, i, of.c()[static_cast<std::size_t>(i)]));
    for (std::int64_t j = 0; products && j < n; ++j) {
      c.push_back(of.c()[static_cast<std::size_t>((i + j) % n)]);
      every.push_back(of.by_core(i, j, c.back()));
    }
  }
  test::on_all_instruction_sets([&] {
    require_same(all_words(model, of), one_each, "words");
    if (products) require_same(whole_product(model, of, c), every, "products");
  });
}

TEST_CASE("words_and_products_of_every_model_equal_the_core") {
  std::uint32_t seed = 0;
  for (const mx::named_model& entry : tests::models_of_steps()) {
    for (const step_operands kind : tests::all_step_operands) {
      INFO(entry.name << " of " << entry.model.a.width() << " bits, blocks of " << entry.model.block
                      << ", kind " << static_cast<int>(kind));
      const bool products = entry.model.sum.c_format == mx::c_format::of_result;
      compare(entry.model, step_case(entry.model, kind, 18, 70, ++seed), products);
      compare(entry.model, step_case(entry.model, kind, 3, 300, ++seed), false);
    }
  }
}

/// The other reading of D-039, also where B is of another format.
TEST_CASE("words_and_products_that_read_e2m1_at_its_own_exponents_equal_the_core") {
  std::uint32_t seed = 9000;
  int models = 0;
  for (mx::named_model entry : tests::models_of_steps()) {
    if (!(entry.model.a == mx::formats::e2m1) && !(entry.model.b == mx::formats::e2m1)) continue;
    entry.model.sum.factors = mx::factor_exponent::normal_e2m1;
    ++models;
    for (const step_operands kind : {step_operands::low, step_operands::mixed}) {
      INFO(entry.name << ", kind " << static_cast<int>(kind));
      compare(entry.model, step_case(entry.model, kind, 18, 70, ++seed), true);
    }
  }
  CHECK(models > 20);
}

/// -1/2 * 1/2 + C, C = 1/4 - 2^-26: the bit 2^-26 lies below a window of 25 bits that begins at the
/// fields of 1/2, and inside one that begins at its exponents.
TEST_CASE("the_exponent_at_which_half_of_e2m1_is_read_shows_in_a_bit_of_c") {
  mx::dot_model model = mx::model_named("blackwell.tcgen05.e2m1.f32")->model;
  const std::uint32_t a = 9, b = 1, c = mx::bits_of(0.25F - 0x1p-26F);
  CHECK(mx::float_of(mx::dot(model, &a, &b, 1, c)) == -0x1p-25F);
  model.sum.factors = mx::factor_exponent::normal_e2m1;
  CHECK(mx::float_of(mx::dot(model, &a, &b, 1, c)) == -0x1p-26F);
}

/// N(0, 1) in lines of `k` elements, of which the kernels must support nearly every step.
TEST_CASE("steps_of_normal_numbers_are_hardly_ever_left_to_the_core") {
  if (mx::instruction_set() == "SCALAR") return;
  constexpr std::int64_t lines = 40, k = 512;
  std::mt19937_64 random(3);
  std::normal_distribution<float> normal;
  for (const char* name :
       {"volta.mma.f16.f16", "ampere.mma.tf32.f32", "ampere.mma.f16.f32", "ada.mma.e4m3.f32",
        "hopper.mma.e4m3.f32", "hopper.wgmma.e4m3.f32", "hopper.wgmma.bf16.f32",
        "blackwell.tcgen05.bf16.f32", "blackwell.mma.e5m2.f16", "blackwell.mxf8f6f4.e4m3.e4m3",
        "cdna1.mfma.f16.f32", "cdna2.mfma.bf16.f32", "cdna3.mfma.bf16.f32",
        "cdna3.mfma.e4m3fnuz.f32", "mxdotp.e4m3", "vortex.tfr"}) {
    INFO(name);
    const mx::dot_model model = mx::model_named(name)->model;
    words codes(lines * k);
    for (std::uint32_t& code : codes) {
      code = mx::encode(model.a, mx::unpack(normal(random)), mx::rounding::ties_to_even,
                        mx::overflow::saturate)
             << model.unread_bits;
    }
    const std::vector<std::uint8_t> scales(lines * k / 32, 127);
    const mx::gemm_operand operand{codes.data(), mx::code_storage::words, 4 * k, scales.data()};
    mx::gemm_plan plan{.model = model};
    plan.output = model.sum.result;
    words d(lines * lines);
    const std::uint64_t before = mx::steps_left_to_core();
    mx::gemm(plan, {lines, lines, k}, operand, operand, nullptr, d.data());
    CHECK((mx::steps_left_to_core() - before) * 1000 <= lines * lines * k / 32);
  }
}

/// More than one task of a product, and pieces of k that steps do and do not divide.
TEST_CASE("large_products_and_pieces_of_k_equal_the_core") {
  for (const char* name : {"ampere.mma.f16.f32", "hopper.mma.e4m3.f32", "mxdotp.e4m3",
                           "cdna3.mfma.bf16.f32", "cdna2.mfma.f16.f32"}) {
    const mx::dot_model model = mx::model_named(name)->model;
    for (const int promoted : {0, 32, 64, model.block > 0 ? 96 : 41}) {
      INFO(name << ", promoted every " << promoted);
      const std::int64_t m = promoted == 0 ? 67 : 5, n = promoted == 0 ? 262 : 19;
      const int k = promoted == 0 ? 34 : 200;
      const step_case a(model, step_operands::near, m, k, 5), b(model, step_operands::any, n, k, 6);
      mx::gemm_plan plan{.model = model, .promote = promoted};
      plan.split_k = promoted == 0 ? 1 : 2;
      words expected;
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          const auto line = [&](const words& all, const std::uint8_t* scales, std::int64_t at) {
            return mx::dot_operand<std::uint32_t>{
                {all.data() + at * k}, {scales == nullptr ? nullptr : scales + at * a.blocks()}};
          };
          expected.push_back(mx::gemm_element(plan, line(a.a(), a.scale_a(), i),
                                              line(b.b(), b.scale_b(), j), k, 0));
        }
      }
      words d(expected.size());
      mx::gemm(plan, {m, n, k}, {a.a().data(), mx::code_storage::words, 4 * k, a.scale_a()},
               {b.b().data(), mx::code_storage::words, 4 * k, b.scale_b()}, nullptr, d.data());
      require_same(d, expected, "product");
    }
  }
}

}  // namespace
