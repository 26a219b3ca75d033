// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/amd_models_test.cpp: mx/dot/amd_models.h: matrix cores against the published
// algorithms, in rational numbers and, for CDNA2, in FP32.
#include "mx/dot/amd_models.h"

#include "catch.h"
#include "model_words.h"
#include "mx/dot/dot.h"
#include "mx/number/fp32.h"
#include "published_models.h"
#include "slow_dot.h"

namespace tests {
namespace {

TEST_CASE("cdna3_adds_c_late_and_cuts_downward") {
  for (const step_row& row : late_rows) {
    const mx::dot_model& model = model_of(row.name);
    const auto count = static_cast<std::size_t>(row.fused);
    const int unread = row.format == mx::formats::tf32 ? 13 : 0;
    for (int word = 0; word < 400; ++word) {
      const codes a = random_codes(row.format, count, unread);
      const codes b = random_codes(row.format, count, unread);
      const auto x = slow::numbers_of(row.format, a, unread);
      const auto y = slow::numbers_of(row.format, b, unread);
      bool large = false;  // such products are Inf
      for (std::size_t i = 0; i < count; ++i) {
        large = large || slow::absolute(x[i].value * y[i].value) >= slow::power_of_two(128);
      }
      if (large) continue;
      const std::uint32_t c = random_code(binary32, 0);
      CAPTURE(row.name, word);
      check_bits(binary32, mx::dot(model, a.data(), b.data(), row.fused, c),
                 slow::late_step(x, y, 0, count, static_cast<std::size_t>(row.parities), c));
    }
  }
}

TEST_CASE("cdna1_rounds_exact_sums_of_four_or_two_products") {
  for (const step_row& row : exact_rows) {
    const mx::dot_model& model = model_of(row.name);
    for (int word = 0; word < 400; ++word) {
      const codes a = random_codes(row.format, 8), b = random_codes(row.format, 8);
      std::uint32_t wanted = random_code(binary32, 0);
      const std::uint32_t c = wanted;
      for (std::size_t first = 0; first < 8; first += static_cast<std::size_t>(row.fused)) {
        if (mx::decode(binary32, wanted).is_special()) break;
        golden::rational sum = slow::number_of(binary32, wanted).value;
        for (std::size_t i = first; i < first + static_cast<std::size_t>(row.fused); ++i) {
          sum += slow::number_of(row.format, a[i]).value * slow::number_of(row.format, b[i]).value;
        }
        wanted = slow::rounded(binary32, sum, mx::rounding::ties_to_even);
      }
      CAPTURE(row.name, word);
      check_bits(binary32, mx::dot(model, a.data(), b.data(), 8, c), wanted);
    }
  }
}

float flushed_product(const mx::format& f, std::uint32_t a, std::uint32_t b) {
  const auto operand = [&f](std::uint32_t code) {
    const bool subnormal = (code & f.magnitude_mask()) >> f.fraction_bits == 0;
    return subnormal ? 0.0F : mx::to_binary32(mx::decode(f, code));
  };
  return mx::fp32::flushed(mx::fp32::multiply(operand(a), operand(b)));
}

float flushed_sum(float a, float b) { return mx::fp32::flushed(mx::fp32::add(a, b)); }

TEST_CASE("cdna2_multiplies_and_adds_in_fp32_and_flushes_every_subnormal") {
  for (const step_row& row : flushed_rows) {
    const mx::dot_model& model = model_of(row.name);
    for (int word = 0; word < 400; ++word) {
      const codes a = random_codes(row.format, 8), b = random_codes(row.format, 8);
      const std::uint32_t c = random_code(binary32, 0);
      float sum = (c & 0x7F800000U) == 0 ? 0.0F : mx::float_of(c);
      for (std::size_t first = 0; first < 8; first += static_cast<std::size_t>(row.fused)) {
        const auto pair = [&](std::size_t i) {
          return flushed_sum(flushed_product(row.format, a[i], b[i]),
                             flushed_product(row.format, a[i + 1], b[i + 1]));
        };
        float group = pair(first);
        if (row.fused == 4) group = flushed_sum(group, pair(first + 2));
        sum = flushed_sum(sum, group);
      }
      CAPTURE(row.name, word);
      CHECK(mx::dot(model, a.data(), b.data(), 8, c) == mx::bits_of(sum));
    }
  }
}

}  // namespace
}  // namespace tests
