// SPDX-License-Identifier: Apache-2.0
// tests/golden/validator/explained_mutants_test.cpp: which known bugs of quantizers, made by other
// code than the validator's predictions, it explains, and as what.
#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "catch.h"
#include "golden/validator/mutants/mutant.h"
#include "validator_case.h"

namespace golden::validator {
namespace {

namespace formats = mx::block_formats;

/// Rows of multiples of 1/16 from -8 to 8, which hold ties, and finer numbers, 16 at a time under
/// powers of two. Element 0 of every third block, and the last one of others, is its largest.
coded_rows rows_of_mutants(const mx::block_format& f) {
  coded_rows t;
  t.rules = {f, mx::default_rule(f)};
  t.rows = 32, t.length = 256;
  t.order.packing = mx::code_packing::unpacked;
  for (std::uint64_t i = 0; i < t.rows * t.length; ++i) {
    const std::uint32_t word = mx::philox(1, {{static_cast<std::uint32_t>(i), 0, 0, 0}}).word[0];
    const float coarse = static_cast<float>(static_cast<int>(word % 257) - 128) / 16;
    const float size = static_cast<float>(1U << (i / 16 * 7 % 11));
    const float x = i % 3 == 0 ? coarse + static_cast<float>(word >> 20) * 0x1p-20F : coarse;
    const std::uint64_t block = i / t.block(), k = i % t.block();
    const bool largest = (block % 3 == 1 && k == 0) || (block % 3 == 2 && k + 1 == t.block());
    t.x.push_back(size * (largest ? 4 * x : x));
  }
  // Whatever part of it is seen, the first block has the tensor's largest magnitude.
  for (const std::size_t k : {2U, 3U, 10U, 11U, 18U, 19U, 26U, 27U}) t.x[k] = 0x1p20F;
  quantize(t);
  return t;
}

diagnosis judged(const coded_rows& t, int changes) {
  hypothesis declared = plain(t.rules.format);
  declared.recipe.codes.packing = mx::code_packing::unpacked;
  subject s;
  s.name = "x";
  s.shape = {t.rows, t.length};
  s.values = {reinterpret_cast<const std::uint8_t*>(t.x.data()), t.x.size() * sizeof(float)};
  s.codes = t.codes;
  s.scales = t.scales;
  if (t.rules.format.has_tensor_scale()) s.tensor_scales = {t.tensor_scale};
  const std::vector<subject> subjects{s};
  return diagnose(declared, subjects, {changes});
}

/// Bugs of single places, which no change of a rule makes.
constexpr std::array unexplained{"one-code",           "one-scale",   "scale-x2-0.1%",
                                 "scale-x2-1%",        "scale-/2-2%", "blocks-zeroed-1%",
                                 "scale-pairs-swapped"};

std::string found_in(const diagnosis& d) {
  if (!d.explanation) return "";
  REQUIRE(d.explanation->changes.size() == 1);
  const change& c = d.explanation->changes.front();
  return std::string(c.dimension) + ": " + c.found;
}

TEST_CASE("known bugs of quantizers are explained by one change") {
  int seen = 0;
  for (const mx::block_format& f : {formats::mxfp4, formats::mxfp6_e3m2, formats::mxfp8_e4m3,
                                    formats::mxint8, formats::nvfp4}) {
    const coded_rows right = rows_of_mutants(f);
    for (const mutant& m : all_mutants()) {
      coded_rows t = right;
      m.apply(t);
      if (judged(t, 0).verdict == verdict::exact) continue;
      INFO(f.columns << " " << m.name);
      const bool sporadic = std::ranges::find(unexplained, m.name) != unexplained.end();
      CHECK(found_in(judged(t, 1)).empty() == sporadic);
      ++seen;
    }
  }
  CHECK(seen > 100);
}

TEST_CASE("a bug in amax, in the largest code, in exponents and in places of codes is named") {
  const auto found = [](const mx::block_format& f, std::string_view name) {
    coded_rows t = rows_of_mutants(f);
    std::ranges::find(all_mutants(), name, &mutant::name)->apply(t);
    return found_in(judged(t, 1));
  };
  for (const mx::block_format& f : {formats::mxfp4, formats::nvfp4}) {
    CHECK(found(f, "amax-of-positive") == "scale_rule: amax of its positive elements");
    CHECK(found(f, "amax-of-half") == "scale_rule: amax of its first half");
    CHECK(found(f, "largest-code-lost") ==
          "element_rounding: nearest-even, the largest code lost to the one below");
  }
  CHECK(found(formats::mxfp4, "codes-shifted") ==
        "nibble_order: unpacked, moved by +1 along the axis, those at the end first");
  CHECK(found(formats::nvfp4, "scale-off-by-one") ==
        "scale_offset: +8, an exponent, elements under the right scale");
}

/// A kernel that takes the scales from some elements of each block.
template <class IsSeen>
coded_rows kernel_that_sees(const mx::block_format& f, const IsSeen& is_seen) {
  coded_rows t = rows_of_mutants(f);
  std::vector<float> seen = t.x;
  for (std::uint64_t i = 0; i < seen.size(); ++i) {
    if (!is_seen(i % t.block())) seen[i] = 0;
  }
  quantize_under_scales_of(t, seen);
  return t;
}

TEST_CASE("a maximum of numbers misses -Inf, and no part of a block hides NaN or Inf") {
  for (const char* name : {"amax-of-positive", "amax-of-half"}) {
    coded_rows t = rows_of_mutants(formats::mxfp4);
    t.x[32 * 5 + 20] = -std::numeric_limits<float>::infinity();
    t.x[32 * 9 + 21] = std::numeric_limits<float>::infinity();
    t.x[32 * 13 + 22] = std::numeric_limits<float>::quiet_NaN();
    quantize(t);
    std::ranges::find(all_mutants(), std::string_view(name), &mutant::name)->apply(t);
    // Beside a scale that is none of NaN, conversions saturate.
    std::uint8_t& code = t.codes[32 * 5 + 20];
    if (t.scales[5] != 0xFF) code = 0xF;
    INFO(name);
    CHECK(found_in(judged(t, 1)).starts_with("scale_rule: amax of its "));
  }
}

TEST_CASE("the part of a block that its scale is taken from is named") {
  for (const mx::block_format& f : {formats::mxfp4, formats::mxfp8_e4m3, formats::nvfp4}) {
    const auto size = static_cast<std::uint64_t>(f.columns);
    const auto found = [&](const auto& is_seen) {
      return found_in(judged(kernel_that_sees(f, is_seen), 1));
    };
    INFO(size);
    CHECK(found([&](std::uint64_t k) { return k < size / 2; }) ==
          "scale_rule: amax of its first half");
    CHECK(found([&](std::uint64_t k) { return k >= size / 2; }) ==
          "scale_rule: amax of its second half");
    CHECK(found([](std::uint64_t k) { return k % 2 == 0; }) ==
          "scale_rule: amax of its elements 0, 2, 4, ...");
    CHECK(found([](std::uint64_t k) { return k % 2 == 1; }) ==
          "scale_rule: amax of its elements 1, 3, 5, ...");
    CHECK(found([](std::uint64_t k) { return k > 0; }) ==
          "scale_rule: amax of all but its first element");
    CHECK(found([&](std::uint64_t k) { return k + 1 < size; }) ==
          "scale_rule: amax of all but its last element");
    CHECK(found([&](std::uint64_t k) { return k < size / 4; }).empty());
  }
}

TEST_CASE("halves of a block under their own scales, of which one is written, are named") {
  for (const mx::block_format& f : {formats::mxfp4, formats::nvfp4}) {
    const auto size = static_cast<std::uint64_t>(f.columns);
    coded_rows t = kernel_that_sees(f, [&](std::uint64_t k) { return k < size / 2; });
    const coded_rows other = kernel_that_sees(f, [&](std::uint64_t k) { return k >= size / 2; });
    for (std::uint64_t i = 0; i < t.codes.size(); ++i) {
      if (i % size >= size / 2) t.codes[i] = other.codes[i];
    }
    CHECK(found_in(judged(t, 1)) ==
          "scale_rule: amax of each half for its own elements, with the first one's scale written");
  }
}

}  // namespace
}  // namespace golden::validator
