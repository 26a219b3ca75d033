// SPDX-License-Identifier: Apache-2.0
// tests/kernels/product_cases_test.cpp: the products that kernels/verify runs on a device, by the bodies
// on the CPU, against the core.
#include "product_cases.h"

#include "catch.h"
#include "host_gemm.h"

using namespace mx::kernels;

namespace {

constexpr std::string_view kernel_names[] = {"best", "core", "dp4a", "mma", "fma", "native"};

std::vector<std::uint32_t> product_of_bodies(const product_case& one, const product_input& input) {
  std::vector<std::uint32_t> d(static_cast<std::size_t>(one.shape.m * one.shape.n), 0xEEEEEEEE);
  gemm_request r{one.plan,
                 one.shape,
                 input.a.operand(),
                 input.b.operand(),
                 input.c.empty() ? nullptr : input.c.data(),
                 d.data()};
  r.kernel = one.kernel;
  struct alignas(16) aligned_word {
    std::uint32_t word[4];
  };
  std::vector<aligned_word> workspace(static_cast<std::size_t>(gemm_workspace_bytes(r) / 16 + 1));
  r.workspace = workspace.data();
  r.workspace_bytes = gemm_workspace_bytes(r);
  const kernels_test::host_answer answer = kernels_test::gemm(r);
  CHECK(sentence_of(answer.status) == "launched");
  CHECK(answer.kernels == kernel_names[static_cast<std::size_t>(one.kernel)]);
  return d;
}

}  // namespace

TEST_CASE("bodies_answer_every_product_as_the_core_does") {
  for (const product_case& one : product_table()) {
    CAPTURE(one.name);
    const product_input input = input_of(one);
    CHECK(difference_between(one.shape, product_of_core(one, input), product_of_bodies(one, input))
              .empty());
  }
}

TEST_CASE("a_difference_is_told_by_its_place") {
  CHECK(difference_between({2, 2, 32}, {1, 2, 3, 4}, {1, 2, 3, 4}).empty());
  CHECK(difference_between({2, 2, 32}, {1, 2, 3, 4}, {1, 2, 3, 0xAB}) ==
        "(1, 1): 0x000000AB instead of 0x00000004");
}
