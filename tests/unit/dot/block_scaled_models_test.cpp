// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/block_scaled_models_test.cpp: mx/dot/block_scaled_models.h: products under block
// scales against the published algorithms, in rational numbers.
#include "mx/dot/block_scaled_models.h"

#include "catch.h"
#include "model_words.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"
#include "published_models.h"
#include "slow_dot.h"

namespace tests {
namespace {

/// Scales of 2^-149, less the last bit of the window that zeros set or half of it, which is lost.
TEST_CASE("exponents_of_zeros_show_under_block_scales_too") {
  const codes scale_b(2, 127);
  for (const bool kept : {true, false}) {
    const std::uint32_t half = kept ? 0 : 1, wanted = kept ? 0 : 1;
    codes a(64), b(64, 2);
    a[0] = 2;
    a[32] = 10;  // 1, and -1 in the second block: 2^-149 - 2^-174
    const codes scale_a = {127 - 100, 127 - 100};
    const codes low = {127 - 49, 127 - 74 - half};
    CHECK(mx::dot(model_of("blackwell.mxf4"), a.data(), b.data(), 64, 0U, scale_a.data(),
                  low.data()) == wanted);
    // E5M2: 2^-14 and -2^-14 * 2^-9 under 2^-135.
    codes x(32), y(32);
    x[0] = 0x04;
    y[0] = 0x3C;
    x[1] = 0x84;
    y[1] = (15 - 9 - half) << 2;
    const std::uint32_t scales[] = {127 - 100, 127 - 35};
    CHECK(mx::dot(model_of("blackwell.mxf8f6f4.e5m2.e5m2"), x.data(), y.data(), 32, 0U, &scales[0],
                  &scales[1]) == wanted);
  }
}

codes random_scales(const mx::format& scale, std::size_t count) {
  codes scales(count);
  const bool near = below(2) == 0;
  for (std::uint32_t& s : scales) {
    s = near && scale == mx::formats::e8m0 ? 120 + below(12) : below(scale.max_code() + 1);
  }
  return scales;
}

TEST_CASE("grouped_fp4_is_aligned_by_its_scales_alone") {
  for (const std::string name :
       {"blackwell.mxf4", "blackwell.mxf4nvf4", "blackwell.mxf4nvf4.ue8m0"}) {
    const mx::dot_model& model = model_of(name);
    const std::size_t block = name == "blackwell.mxf4" ? 32 : 16;
    const bool ue4m3 = name == "blackwell.mxf4nvf4";
    const mx::format scale = ue4m3 ? mx::formats::ue4m3 : mx::formats::e8m0;
    for (int word = 0; word < 400; ++word) {
      const codes a = random_codes(mx::formats::e2m1, 64), b = random_codes(mx::formats::e2m1, 64);
      const codes sa = random_scales(scale, 64 / block), sb = random_scales(scale, 64 / block);
      const std::uint32_t c = random_code(binary32, 0);
      CAPTURE(name, word);
      check_bits(binary32, mx::dot(model, a.data(), b.data(), 64, c, sa.data(), sb.data()),
                 slow::grouped_step(a, b, 0, c, slow::numbers_of(scale, sa),
                                    slow::numbers_of(scale, sb), block));
    }
  }
}

TEST_CASE("mxf8f6f4_counts_scales_in_every_product") {
  const slow::window_row row{32, 25, -133, binary32, binary32, mx::rounding::toward_zero};
  for (const auto& [a_name, a_format] : mx_inputs) {
    for (const auto& [b_name, b_format] : mx_inputs) {
      const mx::dot_model& model = model_of("blackwell.mxf8f6f4." + a_name + "." + b_name);
      for (int word = 0; word < 40; ++word) {
        const codes a = random_codes(a_format, 32), b = random_codes(b_format, 32);
        const codes sa = random_scales(mx::formats::e8m0, 1);
        const codes sb = random_scales(mx::formats::e8m0, 1);
        const std::uint32_t c = random_code(binary32, 0);
        const number scale = slow::product(slow::number_of(mx::formats::e8m0, sa[0]),
                                           slow::number_of(mx::formats::e8m0, sb[0]));
        CAPTURE(a_name, b_name, word);
        check_bits(binary32, mx::dot(model, a.data(), b.data(), 32, c, sa.data(), sb.data()),
                   slow::window_step(row, slow::numbers_of(a_format, a),
                                     slow::numbers_of(b_format, b), 0, c, scale));
      }
    }
  }
}

}  // namespace
}  // namespace tests
