// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/native_test.cpp: products by Blackwell's FP4 instructions, with the emulator's
// model as stand-in: every element against mx::gemm, so every position of a code and a scale is
// checked.
#include <string>
#include <vector>

#include "catch.h"
#include "gemm/native_choice.h"
#include "gemm/request.h"
#include "products.h"
#include "tests/kernels/grid/host_native_gemm.h"

using namespace mx;
using kernels::addends;
using kernels::gemm_kernel;
using kernels::gemm_request;
using kernels::lines_of_codes;
using kernels::scales;
using kernels_test::native_unit;

namespace {

gemm_plan plan_of(const char* name) { return {model_named(name)->model}; }
const gemm_plan plans[] = {plan_of("blackwell.mxf4"), plan_of("blackwell.mxf4nvf4")};

/// A product and its memory.
struct product {
  gemm_plan plan;
  gemm_shape shape;
  lines_of_codes a, b;
  std::vector<std::uint32_t> c;
  std::vector<kernels::quad_word> workspace{};

  [[nodiscard]] gemm_request request(std::uint32_t* d) {
    gemm_request r{plan, shape, a.operand(), b.operand(), c.empty() ? nullptr : c.data(), d};
    r.kernel = gemm_kernel::native;
    r.workspace_bytes = kernels::gemm_workspace_bytes(r);
    workspace.assign(static_cast<std::size_t>(r.workspace_bytes / 16),
                     {{0xEEEEEEEE, 0xEEEEEEEE, 0xEEEEEEEE, 0xEEEEEEEE}});
    r.workspace = workspace.data();
    return r;
  }
};

product drawn_product(const gemm_plan& plan, const gemm_shape& shape, scales kind, addends c,
                      code_storage storage = code_storage::pairs) {
  const auto seed = static_cast<std::uint64_t>(shape.m * 31 + shape.k);
  return {plan, shape, kernels::drawn_lines(plan.model, storage, shape.m, shape.k, kind, seed),
          kernels::drawn_lines(plan.model, storage, shape.n, shape.k, kind, seed + 2),
          kernels::drawn_addends(c, shape.m * shape.n, seed + 4)};
}

/// Empty if all elements agree; else the first that does not.
std::string difference(product p, native_unit unit) {
  const auto elements = static_cast<std::size_t>(p.shape.m * p.shape.n);
  std::vector<std::uint32_t> expected(elements), found(elements, 0xEEEEEEEE);
  gemm(p.plan, p.shape, p.a.operand(), p.b.operand(), p.c.empty() ? nullptr : p.c.data(),
       expected.data());
  const gemm_request r = p.request(found.data());
  if (!kernels::checked(r).is_done()) return kernels::sentence_of(kernels::checked(r));
  if (kernels_test::native_gemm(r, unit).kernels != "native") return "another kernel";
  for (std::size_t i = 0; i < elements; ++i) {
    if (found[i] == expected[i]) continue;
    const auto n = static_cast<std::size_t>(p.shape.n);
    return "row " + std::to_string(i / n) + ", column " + std::to_string(i % n) + ": " +
           std::to_string(found[i]) + " for " + std::to_string(expected[i]);
  }
  return {};
}

void expect_all_kinds(native_unit unit, const gemm_shape& shape) {
  for (const gemm_plan& plan : plans) {
    for (const scales kind : {scales::near, scales::far}) {
      const addends c = kind == scales::near ? addends::none : addends::far;
      CAPTURE(plan.model.block, int(kind), shape.m, shape.n, shape.k);
      CHECK(difference(drawn_product(plan, shape, kind, c), unit).empty());
    }
  }
}

/// All sums of zeros, with C of -0: products of -0 alone, and one of +0.
product product_of_zeros(const gemm_plan& plan, std::int64_t k) {
  product p = drawn_product(plan, {18, 20, k}, scales::near, addends::near);
  for (std::uint8_t& byte : p.a.codes) byte = 0x88;
  for (std::uint8_t& byte : p.b.codes) byte = 0x22;
  p.b.codes[static_cast<std::size_t>(3 * p.b.line_bytes + 8)] = 0x2A;
  for (std::uint32_t& c : p.c) c = 0x80000000;
  return p;
}

}  // namespace

TEST_CASE("a_warp_reads_fragments_and_scales_where_they_were_laid") {
  expect_all_kinds(native_unit::warp, {9, 17, 32});
  expect_all_kinds(native_unit::warp, {70, 133, 352});
  expect_all_kinds(native_unit::warp, {129, 64, 640});
}

TEST_CASE("a_tensor_core_finds_codes_scales_and_sums_where_its_descriptors_say") {
  expect_all_kinds(native_unit::tensor_memory, {9, 17, 32});
  expect_all_kinds(native_unit::tensor_memory, {70, 261, 352});
}

TEST_CASE("stages_are_used_again_when_their_instructions_are_done") {
  // Eleven pieces of k in six stages; five blocks, so that work is early and late in all
  // combinations.
  for (const gemm_plan& plan : plans) {
    CAPTURE(plan.model.block);
    const product p = drawn_product(plan, {513, 3, 1312}, scales::spread, addends::near);
    CHECK(difference(p, native_unit::tensor_memory).empty());
  }
}

TEST_CASE("native_products_take_codes_a_byte_each_and_lines_at_odd_addresses") {
  product bytes =
      drawn_product(plans[0], {21, 35, 96}, scales::spread, addends::near, code_storage::bytes);
  CHECK(difference(bytes, native_unit::warp).empty());
  product odd = drawn_product(plans[1], {21, 35, 112}, scales::spread, addends::near);
  for (lines_of_codes* lines : {&odd.a, &odd.b}) {
    const auto count = lines->codes.size() / static_cast<std::size_t>(lines->line_bytes);
    std::vector<std::uint8_t> moved(count * 57, 0xFF);
    for (std::size_t i = 0; i < count * 56; ++i) {
      moved[i / 56 * 57 + i % 56] =
          lines->codes[i / 56 * static_cast<std::size_t>(lines->line_bytes) + i % 56];
    }
    lines->codes = moved;
    lines->line_bytes = 57;
  }
  CHECK(difference(odd, native_unit::warp).empty());
}

TEST_CASE("a_sum_of_minus_zeros_is_plus_zero_for_every_number_of_steps") {
  for (const gemm_plan& plan : plans) {
    for (const std::int64_t k : {64, 128, 192}) {
      CAPTURE(plan.model.block, k);
      CHECK(difference(product_of_zeros(plan, k), native_unit::warp).empty());
      CHECK(difference(product_of_zeros(plan, k), native_unit::tensor_memory).empty());
    }
  }
}

TEST_CASE("native_serves_sums_as_they_are_and_says_so") {
  std::uint32_t d[16];
  product sound = drawn_product(plans[0], {4, 4, 64}, scales::near, addends::none);
  const auto answer = [&](const auto& change) {
    gemm_request r = sound.request(d);
    change(r);
    return kernels::sentence_of(kernels::checked(r));
  };
  const std::string refusal = "this plan by native has no kernel";
  CHECK(answer([](gemm_request&) {}) == "launched");
  CHECK(answer([](gemm_request& r) { r.plan.alpha = 0.5F; }) == refusal);
  CHECK(answer([](gemm_request& r) { r.plan.promote = 64; }) == refusal);
  CHECK(answer([](gemm_request& r) { r.plan.c_entry = c_entry::epilogue; }) == refusal);
  CHECK(answer([](gemm_request& r) { r.plan.output = formats::bfloat16; }) == refusal);
  CHECK(answer([](gemm_request& r) { r.plan = plan_of("fp32.sequential"); }) == refusal);
  CHECK(answer([](gemm_request& r) { r.shape.k = 0; }) == refusal);
  CHECK(answer([](gemm_request& r) { r.workspace_bytes -= 1; }) ==
        "workspace is too small; it must be at least " + std::to_string((128 + 256) * 17 * 4));
  CHECK(answer([](gemm_request& r) { r.workspace = nullptr; }).find("workspace is a null") == 0);
  CHECK(answer([](gemm_request& r) { r.workspace = r.d; }).find("overlaps") != std::string::npos);
}

TEST_CASE("the_best_kernel_is_never_native") {
  product p = drawn_product(plans[0], {4, 4, 64}, scales::near, addends::none);
  std::uint32_t d[16];
  gemm_request r = p.request(d);
  r.kernel = gemm_kernel::best;
  CHECK(kernels::chosen_kernel(r) != gemm_kernel::native);
  CHECK(kernels_test::gemm(p.request(d)).kernels == "native");
}
