// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/gemm_test.cpp: every element of D of every kernel of the ladder against
// mx::gemm.
#include <span>
#include <string>
#include <vector>

#include "catch.h"
#include "products.h"
#include "tests/kernels/grid/host_gemm.h"

using namespace mx;
using kernels::addends;
using kernels::drawn_addends;
using kernels::drawn_lines;
using kernels::gemm_kernel;
using kernels::gemm_request;
using kernels::lines_of_codes;
using kernels::scales;

namespace {

gemm_plan plan_of(const char* name) { return {model_named(name)->model}; }
gemm_plan nvfp4_plan(const char* name) {
  return {with_scales(model_named(name)->model, formats::ue4m3, 16)};
}

/// A product with its operands.
struct product {
  gemm_plan plan;
  gemm_shape shape;
  lines_of_codes a, b;
  std::vector<std::uint32_t> c;
};

product drawn_product(const gemm_plan& plan, const gemm_shape& shape, scales kind, addends c,
                      code_storage storage = code_storage::pairs) {
  const auto seed = static_cast<std::uint64_t>(shape.m * 31 + shape.k);
  return {plan, shape, drawn_lines(plan.model, storage, shape.m, shape.k, kind, seed),
          drawn_lines(plan.model, storage, shape.n, shape.k, kind, seed + 2),
          drawn_addends(c, shape.m * shape.n, seed + 4)};
}

/// Elements of D in bytes, 0xEE if not written.
template <class Code>
std::vector<Code> device_elements(const product& p, gemm_kernel kernel, std::string& ran) {
  std::vector<Code> d(static_cast<std::size_t>(p.shape.m * p.shape.n),
                      static_cast<Code>(0xEEEEEEEE));
  gemm_request r{p.plan, p.shape, p.a.operand(), p.b.operand(), nullptr, d.data()};
  r.c = p.c.empty() ? nullptr : p.c.data();
  r.kernel = kernel;
  std::vector<std::uint64_t> workspace(
      static_cast<std::size_t>(kernels::gemm_workspace_bytes(r) / 8 + 2), 0xEEEEEEEEEEEEEEEE);
  auto* first = reinterpret_cast<unsigned char*>(workspace.data());
  r.workspace = first + (16 - reinterpret_cast<std::uintptr_t>(first) % 16) % 16;
  r.workspace_bytes = kernels::gemm_workspace_bytes(r);
  const kernels_test::host_answer answer = kernels_test::gemm(r);
  REQUIRE(kernels::sentence_of(answer.status) == "launched");
  ran = answer.kernels;
  return d;
}

/// The kernel that ran, if all elements agree; else the first that does not.
std::string kernel_that_agrees(const product& p, gemm_kernel kernel) {
  std::vector<std::uint32_t> expected(static_cast<std::size_t>(p.shape.m * p.shape.n));
  gemm(p.plan, p.shape, p.a.operand(), p.b.operand(), p.c.empty() ? nullptr : p.c.data(),
       expected.data());
  std::string ran;
  std::vector<std::uint32_t> found;
  if (p.plan.output.width() == 16) {
    const auto halves = device_elements<std::uint16_t>(p, kernel, ran);
    found.assign(halves.begin(), halves.end());
  } else {
    found = device_elements<std::uint32_t>(p, kernel, ran);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == expected[i]) continue;
    return ran + " at row " + std::to_string(i / static_cast<std::size_t>(p.shape.n)) +
           ", column " + std::to_string(i % static_cast<std::size_t>(p.shape.n)) + ": " +
           std::to_string(found[i]) + " for " + std::to_string(expected[i]);
  }
  return ran;
}

const gemm_plan plans[] = {plan_of("fp32.sequential"), nvfp4_plan("fp32.sequential"),
                           plan_of("blackwell.mxf4"), plan_of("blackwell.mxf4nvf4")};
constexpr scales scale_kinds[] = {scales::near, scales::uneven, scales::spread, scales::far};

/// The products that a kernel with fast steps serves.
std::span<const gemm_plan> plans_of(gemm_kernel kernel) {
  const bool takes_warpgroups = kernel == gemm_kernel::wgmma || kernel == gemm_kernel::wgmma_e4m3;
  return std::span(plans).first(takes_warpgroups ? 3 : 4);
}
static_assert(std::size(plans) == 4);

void expect_all_kinds(gemm_kernel kernel, const gemm_shape& shape, const std::string& name) {
  for (const gemm_plan& plan : plans_of(kernel)) {
    for (const scales kind : scale_kinds) {
      for (const addends c : {addends::none, addends::near, addends::far}) {
        CAPTURE(plan.model.block, plan.model.sum.fraction_bits, int(kind), int(c), shape.k);
        CHECK(kernel_that_agrees(drawn_product(plan, shape, kind, c), kernel) == name);
      }
    }
  }
}

}  // namespace

TEST_CASE("the_core_serves_every_model_and_plan") {
  const gemm_shape shape{9, 11, 160};
  std::vector<gemm_plan> all(std::begin(plans), std::end(plans));
  for (const char* name : {"fp32.pairwise", "exact.rne", "mxdotp.e2m1", "vortex.tfr",
                           "blackwell.mxf8f6f4.e2m1.e2m1"}) {
    all.push_back(plan_of(name));
  }
  all.push_back({plans[0].model, 64});
  all.push_back({plans[2].model, 0, 3, split_order::pairwise, c_entry::epilogue, 0.375F});
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    const product p = drawn_product(all[i], shape, scales::far, addends::far);
    CHECK(kernel_that_agrees(p, gemm_kernel::core) == "core");
    CHECK(kernel_that_agrees(p, gemm_kernel::best) == (i < std::size(plans) ? "mma" : "core"));
  }
  const product chain = drawn_product(plan_of("fp32.fma"), shape, scales::far, addends::far);
  CHECK(kernel_that_agrees(chain, gemm_kernel::core) == "core");
}

TEST_CASE("codes_of_other_storage_take_the_core") {
  const gemm_plan plan = plan_of("blackwell.mxf8f6f4.e4m3.e4m3");
  const product p =
      drawn_product(plan, {5, 7, 96}, scales::near, addends::near, code_storage::bytes);
  CHECK(kernel_that_agrees(p, gemm_kernel::best) == "core");
}

TEST_CASE("dp4a_gives_the_bits_of_the_core") {
  expect_all_kinds(gemm_kernel::dp4a, {33, 18, 32}, "dp4a");
  expect_all_kinds(gemm_kernel::dp4a, {19, 40, 224}, "dp4a");
}

TEST_CASE("tensor_cores_give_the_bits_of_the_core") {
  expect_all_kinds(gemm_kernel::mma, {9, 17, 32}, "mma");
  expect_all_kinds(gemm_kernel::mma, {70, 133, 352}, "mma");
  expect_all_kinds(gemm_kernel::mma, {129, 64, 448}, "mma");
}

TEST_CASE("four_warps_give_the_bits_of_the_core") {
  for (const auto& [kernel, name] :
       {std::pair{gemm_kernel::wgmma, "wgmma"}, std::pair{gemm_kernel::wgmma_e4m3, "wgmma_e4m3"}}) {
    expect_all_kinds(kernel, {9, 17, 32}, name);
    expect_all_kinds(kernel, {70, 133, 352}, name);
  }
  expect_all_kinds(gemm_kernel::wgmma, {129, 64, 448}, "wgmma");
}

TEST_CASE("every_tile_of_many_is_computed_once") {
  for (const gemm_shape& shape : {gemm_shape{1100, 140, 32}, gemm_shape{2000, 20, 64}}) {
    const product p = drawn_product(plans[0], shape, scales::near, addends::none);
    CHECK(kernel_that_agrees(p, gemm_kernel::wgmma) == "wgmma");
    CHECK(kernel_that_agrees(p, gemm_kernel::mma) == "mma");
  }
}

TEST_CASE("no_warp_loads_over_what_another_has_not_read") {
  // More stages than there is room for, both warpgroups, blocks of every order of warps.
  const product p = drawn_product(plans[0], {100, 300, 1088}, scales::near, addends::none);
  CHECK(kernel_that_agrees(p, gemm_kernel::wgmma) == "wgmma");
}

TEST_CASE("sums_that_have_outgrown_a_step_are_the_core's") {
  for (const gemm_kernel kernel :
       {gemm_kernel::dp4a, gemm_kernel::mma, gemm_kernel::wgmma, gemm_kernel::wgmma_e4m3}) {
    for (const scales kind : {scales::falling, scales::ragged}) {
      CAPTURE(int(kernel), int(kind));
      for (const gemm_plan& plan : plans_of(kernel).subspan(2)) {
        const product p = drawn_product(plan, {40, 40, 256}, kind, addends::none);
        CHECK(kernel_that_agrees(p, kernel).size() < 11);
      }
    }
  }
}

TEST_CASE("one_line_far_from_the_others_decides_for_its_warp") {
  for (const std::size_t line : {0, 31, 33, 63, 64, 127}) {
    CAPTURE(line);
    product rows = drawn_product(plans[2], {128, 40, 128}, scales::near, addends::near);
    product columns = drawn_product(plans[2], {40, 128, 128}, scales::near, addends::near);
    for (std::size_t block = 0; block < 4; block += 2) {
      rows.a.scales[line * 4 + block] = static_cast<std::uint8_t>(127 + 40);
      columns.b.scales[line * 4 + block] = static_cast<std::uint8_t>(127 - 40);
    }
    CHECK(kernel_that_agrees(rows, gemm_kernel::mma) == "mma");
    CHECK(kernel_that_agrees(columns, gemm_kernel::mma) == "mma");
    CHECK(kernel_that_agrees(rows, gemm_kernel::wgmma) == "wgmma");
    CHECK(kernel_that_agrees(rows, gemm_kernel::wgmma_e4m3) == "wgmma_e4m3");
    CHECK(kernel_that_agrees(columns, gemm_kernel::wgmma) == "wgmma");
  }
}

TEST_CASE("codes_a_byte_each_are_served_too") {
  for (const gemm_kernel kernel :
       {gemm_kernel::dp4a, gemm_kernel::mma, gemm_kernel::wgmma, gemm_kernel::wgmma_e4m3}) {
    const product p =
        drawn_product(plans[0], {21, 35, 96}, scales::spread, addends::near, code_storage::bytes);
    CHECK(kernel_that_agrees(p, kernel).size() < 11);
  }
}

TEST_CASE("long_sums_stay_the_core's") {
  for (const gemm_kernel kernel : {gemm_kernel::mma, gemm_kernel::wgmma}) {
    for (const gemm_plan& plan : plans_of(kernel)) {
      CAPTURE(plan.model.block, plan.model.sum.fraction_bits);
      const product p = drawn_product(plan, {16, 16, 4096}, scales::near, addends::none);
      CHECK(kernel_that_agrees(p, kernel).size() < 6);
    }
  }
}

TEST_CASE("results_leave_as_the_plan_says") {
  for (const gemm_kernel kernel :
       {gemm_kernel::dp4a, gemm_kernel::mma, gemm_kernel::wgmma, gemm_kernel::wgmma_e4m3}) {
    for (const format& output : {format{formats::bfloat16}, format{formats::binary16}}) {
      gemm_plan plan = plans[0];
      plan.output = output;
      plan.alpha = 0.3F;
      plan.c_entry = c_entry::epilogue;
      const product p = drawn_product(plan, {20, 24, 64}, scales::near, addends::near);
      CHECK(kernel_that_agrees(p, kernel).size() < 11);
    }
  }
}

TEST_CASE("products_of_negative_zeros_have_the_sign_of_c_or_none_as_the_model_says") {
  for (const gemm_kernel kernel :
       {gemm_kernel::dp4a, gemm_kernel::mma, gemm_kernel::wgmma, gemm_kernel::wgmma_e4m3}) {
    for (const gemm_plan& plan : plans_of(kernel)) {
      product p = drawn_product(plan, {18, 20, 128}, scales::near, addends::near);
      for (std::uint8_t& byte : p.a.codes) byte = 0x88;
      for (std::uint8_t& byte : p.b.codes) byte = 0x22;
      p.b.codes[static_cast<std::size_t>(3 * p.b.line_bytes + 8)] = 0x2A;  // one product of +0
      for (std::uint32_t& c : p.c) c = 0x80000000;
      CHECK(kernel_that_agrees(p, kernel).size() < 11);
    }
  }
}

TEST_CASE("one_sum_of_a_fragment_that_is_too_long_for_fp32_decides_for_all_four") {
  for (std::size_t r = 0; r < 4; ++r) {
    product p = drawn_product(plans[3], {32, 16, 64}, scales::near, addends::none);
    for (std::size_t i = 0; i < p.a.scales.size(); ++i) {
      const bool is_large = i % 4 == 0 && i / 4 / 8 % 2 == r / 2;
      p.a.scales[i] = static_cast<std::uint8_t>((is_large ? 0x70 : 0x38) + i % 7);
    }
    for (std::size_t i = 0; i < p.b.scales.size(); ++i) {
      const bool is_large = i % 4 == 0 && i / 4 % 2 == r % 2;
      p.b.scales[i] = static_cast<std::uint8_t>((is_large ? 0x70 : 0x38) + i % 5);
    }
    CHECK(kernel_that_agrees(p, gemm_kernel::mma) == "mma");
  }
}

TEST_CASE("a_block_under_a_scale_of_zero_has_no_exponent") {
  product p = drawn_product(plans[3], {4, 4, 64}, scales::near, addends::near);
  for (lines_of_codes* lines : {&p.a, &p.b}) {
    for (std::size_t i = 0; i < 16; ++i) lines->scales[i] = i % 4 == 0 ? 0x7E : 0x08;
  }
  p.a.scales[0] = p.b.scales[4] = 0;  // of row 0 and of column 1: C is truncated elsewhere only
  for (std::size_t i = 0; i < p.c.size(); ++i) p.c[i] = (112U << 23) + 0x2AAAAB * (i % 3);
  for (const gemm_kernel kernel : {gemm_kernel::dp4a, gemm_kernel::mma}) {
    CHECK(kernel_that_agrees(p, kernel).size() < 5);
  }
}

TEST_CASE("without_a_workspace_the_best_kernel_is_dp4a") {
  const product p = drawn_product(plans[0], {4, 4, 32}, scales::near, addends::none);
  std::vector<std::uint32_t> d(16);
  const gemm_request r{p.plan, p.shape, p.a.operand(), p.b.operand(), nullptr, d.data()};
  CHECK(kernels_test::gemm(r).kernels == "dp4a");
  CHECK(kernels::gemm_workspace_bytes(r) > 0);
  CHECK(kernel_that_agrees(p, gemm_kernel::best) == "mma");
}

TEST_CASE("a_product_without_k_is_c") {
  const product p = drawn_product(plans[2], {3, 5, 0}, scales::near, addends::far);
  CHECK(kernel_that_agrees(p, gemm_kernel::best) == "core");
}
