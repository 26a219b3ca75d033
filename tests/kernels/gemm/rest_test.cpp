// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/rest_test.cpp: which elements products by tensor cores leave to the core, and
// the signs, places and addresses that their fast ends must keep.
#include "gemm/rest.h"

#include <string>
#include <vector>

#include "catch.h"
#include "gemm/choice.h"
#include "gemm/wgmma_choice.h"
#include "products.h"
#include "tests/kernels/grid/host_gemm.h"

using namespace mx;
using namespace mx::kernels;

namespace {

constexpr gemm_kernel tensor_kernels[] = {gemm_kernel::mma, gemm_kernel::wgmma,
                                          gemm_kernel::wgmma_e4m3};

/// A product in memory, with D where C is or at an offset.
struct product {
  gemm_plan plan;
  gemm_shape shape;
  lines_of_codes a, b;
  std::vector<std::uint32_t> c;
  std::vector<quad_word> workspace = {};
  std::vector<std::uint32_t> d = {};

  product(const dot_model& model, const gemm_shape& size, scales kind, addends addend)
      : plan{model},
        shape(size),
        a(drawn_lines(model, code_storage::pairs, size.m, size.k, kind, 3)),
        b(drawn_lines(model, code_storage::pairs, size.n, size.k, kind, 5)),
        c(drawn_addends(addend, size.m * size.n, 7)) {}

  [[nodiscard]] gemm_request request(gemm_kernel kernel) {
    gemm_request r{plan, shape, a.operand(), b.operand(), c.empty() ? nullptr : c.data()};
    r.kernel = kernel;
    r.workspace_bytes = gemm_workspace_bytes(r);
    workspace.assign(static_cast<std::size_t>(r.workspace_bytes / 16 + 1), quad_word{{~0U, ~0U}});
    r.workspace = workspace.data();
    return r;
  }
  /// Number of elements of D, computed at `to`, that are not mx::gemm's.
  [[nodiscard]] int differences(gemm_kernel kernel, std::uint32_t* to) {
    std::vector<std::uint32_t> expected(static_cast<std::size_t>(shape.m * shape.n));
    gemm_request r = request(kernel);
    mx::gemm(plan, shape, r.a, r.b, c.empty() ? nullptr : c.data(), expected.data());
    r.d = to;
    REQUIRE(kernels_test::gemm(r).status.is_done());
    int count = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) count += to[i] != expected[i] ? 1 : 0;
    return count;
  }
  [[nodiscard]] int differences(gemm_kernel kernel) {
    d.assign(static_cast<std::size_t>(shape.m * shape.n), 0xEEEEEEEE);
    return differences(kernel, d.data());
  }
};

/// Fragments left to the core by a product's threads.
template <class Arguments>
int fragments_left(const Arguments& to) {
  int count = 0;
  for (std::int64_t i = 0; i < tile_blocks(to) * rest_threads; ++i) {
    for (std::uint32_t left = to.left[i]; left != 0; left &= left - 1) ++count;
  }
  return count;
}
int fragments_left(product& p, gemm_kernel kernel) {
  CHECK(p.differences(kernel) == 0);
  gemm_request r{p.plan, p.shape, p.a.operand(), p.b.operand()};
  r.workspace = p.workspace.data();
  return kernel == gemm_kernel::mma ? fragments_left(mma_arguments_of(r))
                                    : fragments_left(wgmma_arguments_of(r));
}

}  // namespace

TEST_CASE("steps_of_near_scales_leave_nothing_to_the_core") {
  for (const dot_model& model : {sequential_mxfp4, sequential_nvfp4, fused_mxfp4, fused_nvfp4}) {
    CAPTURE(model.block, is_fused(model));
    product p(model, {70, 40, 96}, scales::near, addends::near);
    CHECK(fragments_left(p, gemm_kernel::mma) == 0);
  }
  // The steps of wgmma have no second kind, which small sums would need.
  for (const gemm_kernel kernel : {gemm_kernel::wgmma, gemm_kernel::wgmma_e4m3}) {
    product p(sequential_mxfp4, {70, 40, 96}, scales::near, addends::near);
    CHECK(fragments_left(p, kernel) == 0);
  }
}

TEST_CASE("a_row_beyond_the_largest_code_is_left_with_its_fragments_alone") {
  product p(sequential_mxfp4, {128, 128, 96}, scales::near, addends::near);
  p.a.scales[34 * 3 + 1] = 254;
  // Row 34 is one of a thread's two in 16 fragments of 8 columns, each of 4 threads.
  CHECK(fragments_left(p, gemm_kernel::mma) == 16 * 4);
  CHECK(fragments_left(p, gemm_kernel::wgmma) == 16 * 4);
}

TEST_CASE("sums_that_have_underflowed_to_minus_zero_stay_beyond_k") {
  product p(sequential_mxfp4, {20, 24, 96}, scales::near, addends::near);
  for (std::uint8_t& byte : p.a.codes) byte = 0x99;  // -0.5
  for (std::uint8_t& byte : p.b.codes) byte = 0x11;
  for (lines_of_codes* lines : {&p.a, &p.b}) {
    for (std::uint8_t& scale : lines->scales) scale = 0;
  }
  for (std::uint32_t& c : p.c) c = 0x80000000;
  for (const gemm_kernel kernel : tensor_kernels) {
    CHECK(p.differences(kernel) == 0);
    CHECK(p.d[0] == 0x80000000);
  }
}

TEST_CASE("c_may_be_where_d_is_if_elements_are_left_too") {
  for (const gemm_kernel kernel : tensor_kernels) {
    for (const dot_model& model : {sequential_mxfp4, fused_mxfp4}) {
      product p(model, {40, 72, 128}, scales::far, addends::far);
      CHECK(p.differences(kernel, p.c.data()) == 0);
    }
  }
}

TEST_CASE("sums_leave_one_by_one_where_pairs_are_not_aligned") {
  for (const gemm_kernel kernel : tensor_kernels) {
    product p(sequential_mxfp4, {128, 128, 64}, scales::near, addends::near);
    std::vector<std::uint32_t> d(128 * 128 + 2, 0xEEEEEEEE);
    const std::size_t odd = reinterpret_cast<std::uintptr_t>(d.data()) % 8 == 0 ? 1 : 0;
    CHECK(p.differences(kernel, d.data() + odd) == 0);
    CHECK(d[odd + 128 * 128] == 0xEEEEEEEE);
  }
}
