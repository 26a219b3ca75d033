// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/fma_test.cpp: products of `fp32.fma` by chains of fused multiply-adds in
// tiles, every element of D against mx::gemm.
#include <string>
#include <vector>

#include "catch.h"
#include "gemm/fma_choice.h"
#include "products.h"
#include "tests/kernels/grid/host_gemm.h"

using namespace mx;
using kernels::addends;
using kernels::drawn;
using kernels::gemm_kernel;
using kernels::lines_of_codes;
using kernels::scales;

namespace {

gemm_plan fma_plan(const format& a, const format& b, const format& scale, int block) {
  const dot_model chain = model_named("fp32.fma")->model;
  return {with_scales(with_formats(chain, a, b), scale, block)};
}
const gemm_plan mxfp4_chain = fma_plan(formats::e2m1, formats::e2m1, formats::e8m0, 32);
const gemm_plan nvfp4_chain = fma_plan(formats::e2m1, formats::e2m1, formats::ue4m3, 16);
const gemm_plan mxfp8_chain = fma_plan(formats::e4m3, formats::e4m3, formats::e8m0, 32);

/// Lines of any codes of a format, a byte each.
lines_of_codes byte_lines(const dot_model& model, const format& of, const gemm_shape& shape,
                          std::int64_t lines, std::uint64_t seed) {
  const std::uint32_t mask = of.sign_mask() | of.magnitude_mask();
  lines_of_codes made =
      kernels::drawn_lines(model, code_storage::bytes, lines, shape.k, scales::spread, seed);
  for (std::size_t i = 0; i < made.codes.size(); ++i) {
    // Few are as large as NaN and Inf, which mask the others of their line.
    const std::uint32_t word = drawn(seed + 9, i);
    made.codes[i] = static_cast<std::uint8_t>(mask & (word >> 22 != 0 ? word & 0xBF : word | 0x7C));
  }
  return made;
}

struct product {
  gemm_plan plan;
  gemm_shape shape;
  lines_of_codes a, b;
  std::vector<std::uint32_t> c;

  [[nodiscard]] const std::uint32_t* addend() const { return c.empty() ? nullptr : c.data(); }
  [[nodiscard]] std::size_t elements() const { return static_cast<std::size_t>(shape.m * shape.n); }
};

product product_of_pairs(const gemm_plan& plan, const gemm_shape& shape, scales kind, addends c) {
  const auto seed = static_cast<std::uint64_t>(shape.m * 31 + shape.k);
  const auto lines = [&](std::int64_t count, std::uint64_t from) {
    return drawn_lines(plan.model, code_storage::pairs, count, shape.k, kind, from);
  };
  return {plan, shape, lines(shape.m, seed), lines(shape.n, seed + 2),
          drawn_addends(c, shape.m * shape.n, seed + 4)};
}
product product_of_bytes(const gemm_plan& plan, const gemm_shape& shape) {
  return {plan, shape, byte_lines(plan.model, plan.model.a, shape, shape.m, 5),
          byte_lines(plan.model, plan.model.b, shape, shape.n, 7),
          drawn_addends(addends::near, shape.m * shape.n, 9)};
}

/// The kernel that ran if D's bits of a type agree; else the first element that does not.
template <class Code>
std::string kernel_that_agrees(const product& p, const std::vector<std::uint32_t>& expected,
                               gemm_kernel kernel) {
  std::vector<Code> d(p.elements(), static_cast<Code>(0xEEEEEEEE));
  kernels::gemm_request r{p.plan, p.shape, p.a.operand(), p.b.operand(), p.addend(), d.data()};
  r.kernel = kernel;
  const kernels_test::host_answer answer = kernels_test::gemm(r);
  if (!answer.status.is_done()) return kernels::sentence_of(answer.status);
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (d[i] == expected[i]) continue;
    const auto n = static_cast<std::size_t>(p.shape.n);
    return answer.kernels + " at row " + std::to_string(i / n) + ", column " +
           std::to_string(i % n) + ": " + std::to_string(d[i]) + " for " +
           std::to_string(expected[i]);
  }
  return answer.kernels;
}
std::string kernel_that_agrees(const product& p, gemm_kernel kernel) {
  std::vector<std::uint32_t> expected(p.elements());
  gemm(p.plan, p.shape, p.a.operand(), p.b.operand(), p.addend(), expected.data());
  return p.plan.output.width() == 16 ? kernel_that_agrees<std::uint16_t>(p, expected, kernel)
                                     : kernel_that_agrees<std::uint32_t>(p, expected, kernel);
}

void expect_chains(const product& p) {
  CHECK(kernel_that_agrees(p, gemm_kernel::fma) == "fma");
  CHECK(kernel_that_agrees(p, gemm_kernel::fma_small) == "fma_small");
}

std::string answer_to(const gemm_plan& plan, const gemm_shape& shape) {
  return kernel_that_agrees(product_of_pairs(plan, shape, scales::near, addends::near),
                            gemm_kernel::fma);
}

}  // namespace

TEST_CASE("chains_in_tiles_give_the_bits_of_the_core") {
  for (const gemm_plan& plan : {mxfp4_chain, nvfp4_chain}) {
    for (const scales kind : {scales::near, scales::spread, scales::far}) {
      for (const addends c : {addends::none, addends::near, addends::far}) {
        for (const gemm_shape& shape : {gemm_shape{9, 17, 32}, gemm_shape{37, 61, 160}}) {
          CAPTURE(plan.model.block, int(kind), int(c), shape.k);
          expect_chains(product_of_pairs(plan, shape, kind, c));
        }
      }
    }
  }
}

TEST_CASE("tiles_of_chains_have_their_places") {
  for (const gemm_shape& shape : {gemm_shape{128, 128, 64}, gemm_shape{129, 257, 96}}) {
    expect_chains(product_of_pairs(mxfp4_chain, shape, scales::spread, addends::near));
  }
}

TEST_CASE("few_tiles_are_small_ones") {
  CHECK(kernels::fma_edge(gemm_kernel::best, {1024, 1536, 32}, 132) == 64);   // 96 large ones
  CHECK(kernels::fma_edge(gemm_kernel::best, {1408, 1536, 32}, 132) == 128);  // 132
  const product few = product_of_pairs(mxfp4_chain, {128, 5, 32}, scales::near, addends::none);
  const product more = product_of_pairs(mxfp4_chain, {129, 5, 32}, scales::near, addends::none);
  CHECK(kernel_that_agrees(few, gemm_kernel::best) == "fma_small");
  CHECK(kernel_that_agrees(more, gemm_kernel::best) == "fma");
}

TEST_CASE("elements_of_a_byte_have_chains_too") {
  const format elements[] = {formats::e4m3, formats::e5m2, formats::e2m3,
                             formats::e3m2, formats::int8, formats::e5m2fnuz};
  for (const format& a : elements) {
    CAPTURE(a.exponent_bits, a.fraction_bits);
    const gemm_plan plan = fma_plan(a, formats::e4m3, formats::e8m0, 64);
    expect_chains(product_of_bytes(plan, {21, 19, 128}));
  }
}

TEST_CASE("scales_of_chains_may_have_zeros_and_infinities") {
  constexpr format scale{5, 2, 15, specials::ieee, signedness::without_sign};
  const gemm_plan plan = fma_plan(formats::e2m1, formats::e2m1, scale, 16);
  const gemm_shape shape{19, 35, 64};
  for (const scales kind : {scales::near, scales::spread, scales::far}) {
    expect_chains(product_of_pairs(plan, shape, kind, addends::far));
  }
  product ones = product_of_pairs(plan, shape, scales::near, addends::near);
  for (std::uint8_t& byte : ones.a.codes) byte = 0x22;
  for (std::uint8_t& byte : ones.b.codes) byte = 0x22;
  ones.b.scales[7] = static_cast<std::uint8_t>(scale.infinity_code());
  expect_chains(ones);
}

TEST_CASE("a_factor_in_pairs_meets_one_in_bytes") {
  const gemm_plan plan = fma_plan(formats::e2m1, formats::e5m2, formats::ue4m3, 16);
  const gemm_shape shape{14, 130, 80};
  product p = product_of_pairs(plan, shape, scales::near, addends::near);
  p.b = byte_lines(plan.model, formats::e5m2, shape, shape.n, 3);
  expect_chains(p);
}

TEST_CASE("lines_of_codes_may_begin_at_any_byte") {
  for (const gemm_plan& plan : {mxfp4_chain, mxfp8_chain}) {
    product p = plan.model.a == format{formats::e2m1}
                    ? product_of_pairs(plan, {18, 20, 96}, scales::near, addends::none)
                    : product_of_bytes(plan, {18, 20, 96});
    const std::int64_t wide = p.a.line_bytes, odd = wide + 3;
    std::vector<std::uint8_t> moved(static_cast<std::size_t>(p.shape.m * odd), 0xFF);
    for (std::int64_t i = 0; i < p.shape.m * wide; ++i) {
      moved[static_cast<std::size_t>(i / wide * odd + i % wide)] =
          p.a.codes[static_cast<std::size_t>(i)];
    }
    p.a.codes = moved;
    p.a.line_bytes = odd;
    expect_chains(p);
  }
}

TEST_CASE("pieces_of_chains_are_promoted_and_added") {
  constexpr gemm_shape shape{33, 40, 352};
  for (const gemm_plan& plan : {mxfp4_chain, nvfp4_chain}) {
    gemm_plan promoted = plan, in_parts = plan, whole = plan, late = plan;
    promoted.promote = 96;
    in_parts.split_k = 3;
    whole.split_k = 40;  // more than there are pieces
    late.promote = 1024;
    late.c_entry = c_entry::epilogue;
    late.alpha = 0.375F;
    late.output = formats::bfloat16;
    for (const gemm_plan& one : {promoted, in_parts, whole, late}) {
      for (const addends c : {addends::none, addends::far}) {
        CAPTURE(plan.model.block, one.promote, one.split_k, int(c));
        expect_chains(product_of_pairs(one, shape, scales::spread, c));
      }
    }
  }
}

TEST_CASE("results_of_chains_leave_as_the_plan_says") {
  for (const format& output : {format{formats::bfloat16}, format{formats::binary16}}) {
    gemm_plan plan = mxfp4_chain;
    plan.output = output;
    plan.alpha = 0.3F;
    plan.c_entry = c_entry::epilogue;
    expect_chains(product_of_pairs(plan, {20, 24, 64}, scales::near, addends::near));
  }
}

TEST_CASE("a_chain_may_leave_where_c_was") {
  const product p = product_of_pairs(mxfp4_chain, {140, 30, 64}, scales::near, addends::far);
  std::vector<std::uint32_t> expected(p.elements());
  gemm(p.plan, p.shape, p.a.operand(), p.b.operand(), p.addend(), expected.data());
  for (const gemm_kernel kernel : {gemm_kernel::fma, gemm_kernel::fma_small}) {
    std::vector<std::uint32_t> d = p.c;
    kernels::gemm_request r{p.plan, p.shape, p.a.operand(), p.b.operand(), d.data(), d.data()};
    r.kernel = kernel;
    CHECK(kernels_test::gemm(r).status.is_done());
    CHECK(d == expected);
  }
}

TEST_CASE("zeros_of_chains_have_the_model's_signs") {
  gemm_plan promoted = nvfp4_chain, in_parts = nvfp4_chain;
  promoted.promote = 32;
  in_parts.split_k = 2;  // of 64: one where k is 64
  for (const gemm_plan& plan : {nvfp4_chain, promoted, in_parts, mxfp4_chain}) {
    for (const std::int64_t k : {64, 128}) {
      product p = product_of_pairs(plan, {18, 20, k}, scales::near, addends::near);
      for (std::uint8_t& byte : p.a.codes) byte = 0x88;  // -0
      for (std::uint8_t& byte : p.b.codes) byte = 0x22;
      const int block = plan.model.block;
      p.a.codes[static_cast<std::size_t>(3 * p.a.line_bytes + 8)] = 0xA8;  // -1, under no scale
      p.a.scales[static_cast<std::size_t>(3 * k / block + 16 / block)] = 0;
      p.b.codes[static_cast<std::size_t>(5 * p.b.line_bytes + 28)] = 0xA2;  // one product of +0
      for (std::uint32_t& c : p.c) c = 0x80000000;
      CAPTURE(block, plan.promote, plan.split_k, k);
      expect_chains(p);
    }
  }
}

TEST_CASE("a_plan_that_is_no_chain_takes_the_core") {
  gemm_plan pairs = mxfp4_chain, both = mxfp4_chain, eights = mxfp4_chain, signs = mxfp4_chain;
  pairs.split_k = 3, pairs.split_order = split_order::pairwise;
  both.split_k = 2, both.promote = 32;
  eights.model.block = 8;
  signs.model.scale = formats::e4m3;
  const gemm_plan others[] = {pairs, both, eights, signs, {model_named("exact.rne")->model}};
  for (const gemm_plan& plan : others) {
    CHECK(answer_to(plan, {3, 4, 128}) == "this plan by fma has no kernel");
    const product p = product_of_pairs(plan, {3, 4, 128}, scales::near, addends::near);
    CHECK(kernel_that_agrees(p, gemm_kernel::best) == "core");
  }
  CHECK(answer_to(mxfp4_chain, {3, 4, 0}) == "this plan by fma has no kernel");
  CHECK(answer_to(mxfp4_chain, {3, 4, 128}) == "fma");
}
