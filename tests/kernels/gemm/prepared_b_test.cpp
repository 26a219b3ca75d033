// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/prepared_b_test.cpp: a B that is prepared once gives several products the bits
// of mx::gemm, and other products are refused.
#include <cstring>
#include <string>
#include <vector>

#include "catch.h"
#include "gemm/choice.h"
#include "gemm/grouped.h"
#include "gemm/request.h"
#include "products.h"
#include "tests/kernels/grid/host_gemm.h"

using namespace mx;
using namespace mx::kernels;

namespace {

constexpr gemm_kernel kernels_with_b[] = {gemm_kernel::mma, gemm_kernel::wgmma,
                                          gemm_kernel::wgmma_e4m3};
constexpr std::int64_t n = 70, k = 160;

/// B and its prepared form.
struct kept_b {
  dot_model model;
  gemm_kernel kernel;
  lines_of_codes b;
  std::vector<quad_word> memory = {};
  prepared_b made = {};

  kept_b(const dot_model& of, gemm_kernel by, scales kind)
      : model(of), kernel(by), b(drawn_lines(of, code_storage::pairs, n, k, kind, 5)) {
    const gemm_request r = request();
    memory.assign(static_cast<std::size_t>(prepared_b_bytes(r) / 16), quad_word{{~0U}});
    REQUIRE(kernels_test::gemm_prepare_b(r, memory.data(), bytes(), made).is_done());
  }
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(memory.size() * sizeof(quad_word));
  }
  [[nodiscard]] gemm_request request() const {
    gemm_request r;
    r.plan.model = model;
    r.shape = {0, n, k};
    r.b = b.operand();
    r.kernel = kernel;
    return r;
  }
};

/// Whether a product of m new rows by the kept B is mx::gemm's.
bool multiplies(const kept_b& kept, std::int64_t m, scales kind) {
  const lines_of_codes a =
      drawn_lines(kept.model, code_storage::pairs, m, k, kind, 100 + static_cast<std::uint64_t>(m));
  std::vector<std::uint32_t> expected(static_cast<std::size_t>(m * n)), found(expected.size());
  gemm_request r = kept.request();
  r.shape.m = m;
  r.a = a.operand();
  const std::int64_t whole = gemm_workspace_bytes(r);
  r.prepared = kept.made;
  r.workspace_bytes = gemm_workspace_bytes(r);
  CHECK(r.workspace_bytes == whole - kept.bytes());
  std::vector<quad_word> workspace(static_cast<std::size_t>(r.workspace_bytes / 16));
  r.workspace = workspace.data();
  r.d = found.data();
  mx::gemm(r.plan, r.shape, r.a, r.b, nullptr, expected.data());
  REQUIRE(sentence_of(kernels_test::gemm(r).status) == "launched");
  return found == expected;
}

std::string answer_of_preparing(gemm_request r, void* memory, std::int64_t bytes) {
  prepared_b made;
  return sentence_of(kernels_test::gemm_prepare_b(r, memory, bytes, made));
}

}  // namespace

TEST_CASE("a_b_that_is_prepared_once_serves_products_of_any_number_of_rows") {
  for (const gemm_kernel kernel : kernels_with_b) {
    for (const dot_model& model : {sequential_mxfp4, sequential_nvfp4, fused_mxfp4}) {
      CAPTURE(int(kernel), model.block, is_fused(model));
      const kept_b kept(model, kernel, scales::near);
      const std::vector<quad_word> before = kept.memory;
      CHECK(multiplies(kept, 9, scales::near));
      CHECK(multiplies(kept, 130, scales::far));
      CHECK(std::memcmp(before.data(), kept.memory.data(), before.size() * 16) == 0);
    }
  }
}

TEST_CASE("the_best_kernel_with_a_prepared_b_is_mma") {
  const kept_b kept(sequential_mxfp4, gemm_kernel::best, scales::near);
  CHECK(kept.made.kernel == gemm_kernel::mma);
  CHECK(multiplies(kept, 20, scales::near));
}

TEST_CASE("products_of_another_kernel_model_or_size_refuse_a_prepared_b") {
  const kept_b kept(sequential_mxfp4, gemm_kernel::wgmma, scales::near);
  const lines_of_codes a = drawn_lines(kept.model, code_storage::pairs, 4, k, scales::near, 9);
  std::vector<quad_word> workspace(8192), d(4 * n / 4);
  gemm_request sound = kept.request();
  sound.shape.m = 4;
  sound.a = a.operand();
  sound.d = d.data();
  sound.workspace = workspace.data();
  sound.workspace_bytes = 8192 * 16;
  sound.prepared = kept.made;
  CHECK(checked(sound).is_done());
  const auto expect_refused = [&](const auto& change) {
    gemm_request r = sound;
    change(r);
    CHECK(sentence_of(checked(r)) == "B prepared for another kernel, model, n or k has no kernel");
  };
  expect_refused([](gemm_request& r) { r.kernel = gemm_kernel::wgmma_e4m3; });
  expect_refused([](gemm_request& r) { r.kernel = gemm_kernel::core; });
  expect_refused([](gemm_request& r) { r.plan.model = fused_mxfp4; });
  expect_refused([](gemm_request& r) { r.shape.n -= 1; });
  expect_refused([](gemm_request& r) { r.shape.k -= 32; });
  sound.d = kept.made.memory;
  CHECK(checked(sound).error == launch_error::overlapping);
  sound.d = d.data();
  const gemm_batched_request batch{sound};
  CHECK(sentence_of(checked_requests(batch).answer) ==
        "a prepared B of several products has no kernel");
}

TEST_CASE("a_b_is_prepared_in_enough_memory_by_a_kernel_that_reads_it") {
  kept_b kept(sequential_mxfp4, gemm_kernel::mma, scales::near);
  gemm_request r = kept.request();
  void* memory = kept.memory.data();
  CHECK(answer_of_preparing(r, nullptr, kept.bytes()).find("memory is a null pointer") == 0);
  CHECK(answer_of_preparing(r, memory, kept.bytes() - 1) ==
        "memory is too small; it must be at least " + std::to_string(kept.bytes()));
  CHECK(answer_of_preparing(r, static_cast<char*>(memory) + 4, kept.bytes())
            .find("memory is not aligned") == 0);
  r.b.codes = kept.memory.data();
  CHECK(answer_of_preparing(r, memory, kept.bytes()).find("memory overlaps") == 0);
  for (const gemm_kernel kernel : {gemm_kernel::core, gemm_kernel::dp4a}) {
    r = kept.request();
    r.kernel = kernel;
    CHECK(prepared_b_bytes(r) == 0);
    CHECK(answer_of_preparing(r, memory, kept.bytes()) ==
          "a prepared B for this kernel has no kernel");
  }
}
