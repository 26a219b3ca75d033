// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/alpha_test.cpp: mx/dot/alpha.h against mx::finished.
#include <random>
#include <vector>

#include "catch.h"
#include "mx/dot/alpha.h"
#include "mx/dot/models.h"

namespace {

TEST_CASE("d_under_an_alpha_is_that_of_its_plan") {
  std::mt19937 random(8);
  // NaN's with all bits set, and the format's own.
  for (const char* name : {"hopper.wgmma.e4m3.f32", "cdna3.mfma.bf16.f32"}) {
    mx::gemm_plan plan{mx::model_named(name)->model};
    for (const float alpha : {1.0F, -0.5F, 0x1.234p9F, 0x1p127F, 0x1p-149F, 0.0F}) {
      plan.alpha = alpha;
      std::vector<std::uint32_t> sums{0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000,
                                      0x7FFFFFFF, 1,          0x7F7FFFFF, 0x3F800000};
      for (int i = 0; i < 1000; ++i) sums.push_back(static_cast<std::uint32_t>(random()));
      for (const std::uint32_t sum : sums) {
        const float found = mx::under_alpha(plan.model, alpha, mx::float_of(sum));
        REQUIRE(mx::bits_of(found) == mx::finished(plan, sum, 0));
      }
    }
  }
}

}  // namespace
