// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/stride_test.cpp: every kernel of a product reads C and writes D with gaps
// between their rows: the bits of mx::gemm, and no byte of a gap.
#include "catch.h"
#include "gemm/request.h"
#include "strided_product.h"

using namespace mx;
using kernels::addends;
using kernels::scales;
using kernels_test::drawn_product;
using kernels_test::gemm_kernel;
using kernels_test::native_unit;
using kernels_test::product_in_gaps;
using kernels_test::strided_answer;

namespace {

gemm_plan plan_named(const char* name) { return {model_named(name)->model}; }

/// Odd gaps; gaps after which every row of D is 8-byte aligned, and the same beside that; another
/// stride of C than of D.
constexpr kernels_test::row_gaps_of_product all_gaps[] = {
    {3, 3, 0}, {2, 4, 0}, {0, 4, 1}, {5, 0, 1}};

void expect_bits_in_gaps(const drawn_product& p, gemm_kernel kernel, const std::string& name,
                         native_unit unit = native_unit::warp) {
  const std::vector<std::uint32_t> expected = p.expected();
  for (const auto& gaps : all_gaps) {
    CAPTURE(name, gaps.c, gaps.d, gaps.before, p.shape.m, p.shape.n);
    const strided_answer found = product_in_gaps(p, kernel, gaps, unit);
    CHECK(found.kernel == name);
    CHECK(found.d == expected);
    CHECK(found.kept_gaps);
  }
}

struct named_kernel {
  gemm_kernel kernel;
  const char *name, *model;
};
constexpr named_kernel all_kernels[] = {{gemm_kernel::core, "core", "blackwell.mxf4"},
                                        {gemm_kernel::dp4a, "dp4a", "fp32.sequential"},
                                        {gemm_kernel::dp4a, "dp4a", "blackwell.mxf4"},
                                        {gemm_kernel::mma, "mma", "fp32.sequential"},
                                        {gemm_kernel::mma, "mma", "blackwell.mxf4"},
                                        {gemm_kernel::wgmma, "wgmma", "fp32.sequential"},
                                        {gemm_kernel::wgmma_e4m3, "wgmma_e4m3", "blackwell.mxf4"},
                                        {gemm_kernel::fma, "fma", "fp32.fma"},
                                        {gemm_kernel::fma_small, "fma_small", "fp32.fma"}};

}  // namespace

TEST_CASE("every_kernel_reads_c_and_writes_d_by_rows_with_gaps") {
  for (const named_kernel& one : all_kernels) {
    const gemm_plan plan = plan_named(one.model);
    for (const scales kind : {scales::near, scales::far}) {
      const addends c = kind == scales::near ? addends::near : addends::far;
      // The first has inner tiles; of the second some sums are left to the core.
      const gemm_shape shape =
          kind == scales::near ? gemm_shape{130, 140, 64} : gemm_shape{33, 18, 96};
      expect_bits_in_gaps(drawn_product::of(plan, shape, kind, c), one.kernel, one.name);
    }
  }
}

TEST_CASE("native_kernels_read_c_and_write_d_by_rows_with_gaps") {
  for (const char* model : {"blackwell.mxf4", "blackwell.mxf4nvf4"}) {
    for (const native_unit unit : {native_unit::warp, native_unit::tensor_memory}) {
      const auto p =
          drawn_product::of(plan_named(model), {33, 150, 128}, scales::near, addends::near);
      expect_bits_in_gaps(p, gemm_kernel::native, "native", unit);
    }
  }
}

TEST_CASE("converted_results_and_an_addend_at_the_end_have_gaps_too") {
  for (const named_kernel& one : all_kernels) {
    gemm_plan plan = plan_named(one.model);
    plan.output = formats::bfloat16;
    plan.c_entry = c_entry::epilogue;
    plan.alpha = 0.375F;
    expect_bits_in_gaps(drawn_product::of(plan, {20, 24, 64}, scales::near, addends::near),
                        one.kernel, one.name);
  }
}

TEST_CASE("signs_of_zeros_are_found_beside_the_gaps") {
  for (const gemm_kernel kernel : {gemm_kernel::dp4a, gemm_kernel::mma, gemm_kernel::fma}) {
    const char* model = kernel == gemm_kernel::fma ? "fp32.fma" : "fp32.sequential";
    auto p = drawn_product::of(plan_named(model), {18, 20, 64}, scales::near, addends::near);
    for (std::uint8_t& byte : p.a.codes) byte = 0x88;
    for (std::uint8_t& byte : p.b.codes) byte = 0x22;
    for (std::size_t i = 0; i < p.c.size(); ++i) p.c[i] = i % 3 == 0 ? 0 : 0x80000000;
    CHECK(product_in_gaps(p, kernel, {3, 5, 1}).d == p.expected());
  }
}

TEST_CASE("in_place_requires_equal_strides") {
  std::vector<std::uint32_t> memory(64);
  std::vector<std::uint8_t> codes(64, 0x11), scale(8, 127);
  kernels::gemm_request r;
  r.plan = plan_named("fp32.sequential");
  r.shape = {2, 2, 32};
  r.a = {codes.data(), code_storage::pairs, 16, scale.data()};
  r.b = {codes.data() + 32, code_storage::pairs, 16, scale.data() + 2};
  r.c = r.d = memory.data();
  const auto answer = [&](std::int64_t c_stride, std::int64_t d_stride) {
    r.c_stride = c_stride, r.d_stride = d_stride;
    return sentence_of(kernels::checked(r));
  };
  CHECK(answer(0, 0) == "launched");
  CHECK(answer(2, 0) == "launched");
  CHECK(answer(7, 7) == "launched");
  CHECK(answer(7, 0).find("d overlaps") == 0);
  r.c = memory.data() + 16;  // behind the 14 + 2 elements of D
  CHECK(answer(0, 14) == "launched");
  CHECK(answer(0, 15).find("d overlaps") == 0);
}

TEST_CASE("strides_of_products_below_a_row_or_beyond_all_memory_are_refused") {
  kernels::gemm_request r;
  r.plan = plan_named("fp32.sequential");
  r.shape = {2, 3, 32};
  const auto answer = [&](std::int64_t c_stride, std::int64_t d_stride) {
    r.c_stride = c_stride, r.d_stride = d_stride;
    return sentence_of(kernels::checked(r));
  };
  CHECK(answer(0, 2) == "d_stride is too small; it must be at least 3");
  CHECK(answer(0, -4) == "d_stride is too small; it must be at least 3");
  CHECK(answer(0, (std::int64_t{1} << 59) + 1).find("d_stride is too large; at most 5764607523") ==
        0);
  CHECK(answer(2, 0).find("a.codes is a null pointer") == 0);  // without C its stride is not read
  std::uint32_t c[8] = {};
  r.c = c;
  CHECK(answer(2, 0) == "c_stride is too small; it must be at least 3");
}
