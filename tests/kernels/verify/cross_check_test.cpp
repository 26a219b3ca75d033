// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/cross_check_test.cpp: the cases that kernels/verify runs on a device, by
// every available backend: the bodies on the CPU and golden, against the core.
#include "cross_check.h"

#include <algorithm>
#include <sstream>

#include "bodies_backend.h"
#include "catch.h"
#include "committed_words.h"
#include "gapped_cases.h"
#include "scratch_folder.h"
#include "tests/kernels/golden/backend.h"

using namespace mx::kernels;

namespace {

/// Results of a backend's cases, with reports of differences.
template <class Case>
tally checked_cases(const std::vector<Case>& cases, const backend& by) {
  const test::scratch_folder folder;
  std::ostringstream out;
  const tally sum = check(cases, by, {"", folder / "all", &out});
  INFO(out.str());
  CHECK(sum.different == 0);
  CHECK(sum.cases + sum.unanswered == static_cast<int>(cases.size()));
  return sum;
}

template <class Case>
std::vector<Case> shortened_all(std::vector<Case> cases) {
  for (Case& one : cases) one = kernels_test::shortened(one);
  return cases;
}

/// Requests for a single kernel: golden does not know kernels.
template <class Case>
std::vector<Case> each_once(std::vector<Case> cases) {
  std::erase_if(cases, [](const Case& one) { return one.kernel != gemm_kernel::core; });
  return shortened_all(cases);
}

}  // namespace

TEST_CASE("bodies_answer_every_case_as_the_core_does") {
  const backend bodies = kernels_test::bodies_backend();
  CHECK(checked_cases(case_table(), bodies).unanswered == 0);
  CHECK(checked_cases(gapped_case_table(), bodies).unanswered == 0);
  CHECK(checked_cases(product_table(), bodies).unanswered == 0);
  CHECK(checked_cases(gapped_product_table(), bodies).unanswered == 0);
  CHECK(checked_cases(grouped_table(), bodies).unanswered == 0);
  CHECK(checked_cases(value_table(), bodies).unanswered == 0);
  CHECK(checked_cases(corrected_table(), bodies).unanswered == 0);
}

TEST_CASE("bodies_give_the_bits_of_goldens_words") {
  const word_products words = word_products_of(test::committed_words());
  CHECK(words.words > 10000);
  CHECK(words.ragged < words.words / 100);
  for (const std::string kernel :
       {".core", ".dp4a", ".mma", ".wgmma", ".wgmma_e4m3", ".fma", ".fma_small", ".native"}) {
    const auto is_of_kernel = [&](const word_product& one) {
      return one.product.name.ends_with(kernel);
    };
    INFO(kernel);
    CHECK(std::any_of(words.products.begin(), words.products.end(), is_of_kernel));
  }
  checked_cases(words.products, kernels_test::bodies_backend());
}

TEST_CASE("the_core_and_the_bodies_give_the_bytes_of_goldens_blocks") {
  const std::vector<golden_blocks> blocks =
      golden_blocks_of(golden::words::blocks_in(test::golden_folder("vectors") / "blocks"));
  CHECK(blocks.size() > 100);
  backend core;
  core.matrices = results_of_core;
  CHECK(checked_cases(blocks, core).unanswered == 0);
  CHECK(checked_cases(blocks, kernels_test::bodies_backend()).unanswered == 0);
}

TEST_CASE("golden_answers_every_matrix_as_the_core_does") {
  CHECK(checked_cases(shortened_all(case_table()), kernels_test::golden_backend()).unanswered == 0);
}

TEST_CASE("golden_answers_every_product_as_the_core_does") {
  const backend golden = kernels_test::golden_backend();
  CHECK(checked_cases(each_once(product_table()), golden).unanswered == 0);
  CHECK(checked_cases(each_once(corrected_table()), golden).unanswered == 0);
}
