// SPDX-License-Identifier: Apache-2.0
// tests/exhaustive/element_exhaustive_test.cpp: all finite FP32 patterns in every element format
// and deterministic rounding, and every code of every format decoded.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <mutex>

#include "catch.h"
#include "golden/reference/formats.h"
#include "golden/reference/threshold.h"
#include "mx/number/element.h"

namespace {

namespace formats = golden::formats;

constexpr std::uint32_t largest_finite = 0x7f7fffff;
constexpr std::uint32_t patterns_a_piece = 1U << 23;

// Neighbouring magnitudes of FP32 that take one code.
struct piece {
  std::uint32_t first, last;
  std::uint32_t positive_code, negative_code;
};

void cut(const piece& whole, std::vector<piece>& pieces) {
  piece part = whole;
  while (part.last - part.first >= patterns_a_piece) {
    const std::uint32_t last = part.first + patterns_a_piece - 1;
    pieces.push_back({part.first, last, part.positive_code, part.negative_code});
    part.first = last + 1;
  }
  pieces.push_back(part);
}

std::vector<piece> pieces_of(const golden::number_format& format, golden::rounding mode) {
  std::vector<piece> pieces;
  std::uint32_t first = 0;
  for (const golden::threshold& step : thresholds(format, mode)) {
    const std::uint32_t code = step.lower_code;
    cut({first, step.last_lower_binary32, code, format.with_sign(true, code)}, pieces);
    first = step.last_lower_binary32 + 1;
  }
  const std::uint32_t last_code = format.magnitudes() - 1;
  cut({first, largest_finite, last_code, format.with_sign(true, last_code)}, pieces);
  return pieces;
}

template <mx::format F, mx::rounding Mode>
std::uint32_t code_of(std::uint32_t pattern) {
  return mx::encode<F>(mx::decode<mx::formats::binary32>(pattern), Mode, mx::overflow::saturate);
}

// Whether both signs of every pattern take the codes of the piece. No difference leaves the loop
// early, and all its callees are inlined, which makes it several times as fast.
template <mx::format F, mx::rounding Mode>
[[gnu::flatten]] bool holds(const piece& part) {
  std::uint32_t differences = 0;
  for (std::uint32_t pattern = part.first; pattern <= part.last; ++pattern) {
    differences |= code_of<F, Mode>(pattern) ^ part.positive_code;
    differences |= code_of<F, Mode>(0x80000000U | pattern) ^ part.negative_code;
  }
  return differences == 0;
}

// The first pattern of a piece whose code is wrong.
template <mx::format F, mx::rounding Mode>
std::uint32_t first_difference(const piece& part) {
  std::uint32_t pattern = part.first;
  while (code_of<F, Mode>(pattern) == part.positive_code &&
         code_of<F, Mode>(0x80000000U | pattern) == part.negative_code) {
    ++pattern;
  }
  return pattern;
}

template <mx::format F, mx::rounding Mode>
void check_rounding(const golden::number_format& format, golden::rounding mode) {
  const std::vector<piece> pieces = pieces_of(format, mode);
  std::mutex guard;
  std::vector<std::uint32_t> wrong;
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t i) {
    if (holds<F, Mode>(pieces[i])) return;
    const std::lock_guard lock(guard);
    wrong.push_back(first_difference<F, Mode>(pieces[i]));
  });
  INFO(format.name() << ", rounding " << static_cast<int>(mode));
  const std::uint32_t lowest = wrong.empty() ? 0 : *std::min_element(wrong.begin(), wrong.end());
  INFO("lowest magnitude that differs: " << lowest);
  CHECK(wrong.empty());
}

template <mx::format F>
void check_format(const golden::number_format& format) {
  check_rounding<F, mx::rounding::ties_to_even>(format, golden::rounding::nearest_even);
  check_rounding<F, mx::rounding::ties_away>(format, golden::rounding::nearest_away);
  check_rounding<F, mx::rounding::toward_zero>(format, golden::rounding::toward_zero);
  check_rounding<F, mx::rounding::ties_toward_zero>(format, golden::rounding::nearest_zero);
}

TEST_CASE("every_fp32_number_takes_the_e2m1_code_of_its_thresholds") {
  check_format<mx::formats::e2m1>(formats::e2m1());
}
TEST_CASE("every_fp32_number_takes_the_e2m3_code_of_its_thresholds") {
  check_format<mx::formats::e2m3>(formats::e2m3());
}
TEST_CASE("every_fp32_number_takes_the_e3m2_code_of_its_thresholds") {
  check_format<mx::formats::e3m2>(formats::e3m2());
}
TEST_CASE("every_fp32_number_takes_the_e4m3_code_of_its_thresholds") {
  check_format<mx::formats::e4m3>(formats::e4m3());
}
TEST_CASE("every_fp32_number_takes_the_e5m2_code_of_its_thresholds") {
  check_format<mx::formats::e5m2>(formats::e5m2());
}
TEST_CASE("every_fp32_number_takes_the_int8_code_of_its_thresholds") {
  check_format<mx::formats::int8>(formats::int8());
}
TEST_CASE("every_fp32_number_takes_the_e4m3fnuz_code_of_its_thresholds") {
  check_format<mx::formats::e4m3fnuz>(formats::e4m3fnuz());
}
TEST_CASE("every_fp32_number_takes_the_e5m2fnuz_code_of_its_thresholds") {
  check_format<mx::formats::e5m2fnuz>(formats::e5m2fnuz());
}

bool equal(const mx::unpacked& x, const golden::number& expected) {
  if (x.kind == mx::kind::nan) return expected.kind == golden::number_kind::nan;
  if (x.negative != expected.value.negative) return false;
  if (x.kind == mx::kind::infinite) return expected.kind == golden::number_kind::infinite;
  const golden::rational magnitude =
      golden::rational(x.significand) * golden::power_of_two(x.exponent);
  return expected.kind == golden::number_kind::finite && expected.value.magnitude == magnitude;
}

void check_codes(const mx::format& f, const golden::number_format& format, std::uint32_t codes) {
  INFO(format.name());
  for (std::uint32_t code = 0; code < codes; ++code) {
    INFO("code " << code);
    if (!equal(mx::decode(f, code), format.decode(code))) FAIL_CHECK("different numbers");
  }
}

TEST_CASE("every_code_of_every_format_stands_for_the_listed_number") {
  check_codes(mx::formats::e2m1, formats::e2m1(), 1U << 4);
  check_codes(mx::formats::e2m3, formats::e2m3(), 1U << 6);
  check_codes(mx::formats::e3m2, formats::e3m2(), 1U << 6);
  check_codes(mx::formats::e4m3, formats::e4m3(), 1U << 8);
  check_codes(mx::formats::e5m2, formats::e5m2(), 1U << 8);
  check_codes(mx::formats::int8, formats::int8(), 1U << 8);
  check_codes(mx::formats::e4m3fnuz, formats::e4m3fnuz(), 1U << 8);
  check_codes(mx::formats::e5m2fnuz, formats::e5m2fnuz(), 1U << 8);
  check_codes(mx::formats::ue4m3, formats::ue4m3(), 1U << 7);
  check_codes(mx::formats::ue5m3, formats::ue5m3(), 1U << 8);
  check_codes(mx::formats::binary16, formats::fp16(), 1U << 16);
  check_codes(mx::formats::bfloat16, formats::bf16(), 1U << 16);
  for (int k = 0; k <= 10; ++k) {
    check_codes(mx::formats::e8m(k), formats::e8m(k), 256U << k);
  }
}

}  // namespace
