// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/bulk_gemm_alignment_test.cpp: products under `blackwell.mxf4` and `.mxf4nvf4`
// whose alignment truncates bits nearly everywhere, on every kernel, against mx::gemm_element.
#include "gemm_against_core.h"

namespace {

using tests::operand_kind;
using tests::product_case;

/// Kinds of codes of a group of 16.
enum class group_kind { any, zeros, one, cancelling, negative };

/// Groups of both kinds of zeros make products that are all zeros, or, where their partner
/// cancels, a sum of zero of products that are not.
void fill_group(std::uint8_t* codes, group_kind kind, std::mt19937& random) {
  for (int k = 0; k < 16; ++k) {
    const auto word = static_cast<std::uint32_t>(random());
    switch (kind) {
      case group_kind::any:
        codes[k] = word % 16;
        break;
      case group_kind::zeros:
        codes[k] = word % 2 * 8;
        break;
      case group_kind::one:
        codes[k] = k == 5 ? 1 + word % 7 : word % 2 * 8;
        break;
      case group_kind::cancelling:
        codes[k] = static_cast<std::uint8_t>(k % 2 == 0 ? 1 + word % 7 : codes[k - 1] ^ 8);
        break;
      case group_kind::negative:
        codes[k] = 9 + word % 7;
        break;
    }
  }
}

void fill_groups(tests::byte_lines& lines, const std::vector<group_kind>& kinds,
                 std::mt19937& random) {
  for (std::size_t at = 0; at < lines.codes.size(); at += 16) {
    fill_group(&lines.codes[at], kinds[random() % kinds.size()], random);
  }
}

/// Scales of 64 elements of each line: `high` in one of the two blocks, `low` in the other.
void fill_scales(tests::byte_lines& lines, int high, int low, std::mt19937& random) {
  for (std::size_t i = 0; i < lines.scales.size(); i += 2) {
    const std::size_t first = random() % 4 == 0 ? 1 : 0;
    lines.scales[i + first] = static_cast<std::uint8_t>(127 + high);
    lines.scales[i + 1 - first] = static_cast<std::uint8_t>(127 + low);
  }
}

/// Numbers with exponents around one, and zeros.
void fill_addends(tests::words& c, int exponent, std::mt19937& random) {
  for (std::uint32_t& bits : c) {
    const auto field =
        static_cast<std::uint32_t>(127 + exponent - 1 + static_cast<int>(random() % 3));
    bits = random() % 8 == 0 ? 0 : (random() & 0x807FFFFF) | field << 23;
  }
}

const std::vector<group_kind> dense{group_kind::any}, signs{group_kind::any, group_kind::negative},
    sparse{group_kind::zeros, group_kind::zeros, group_kind::one, group_kind::any},
    cancelling{group_kind::cancelling, group_kind::one, group_kind::zeros};

product_case product_of(mx::gemm_shape shape) {
  return {tests::plan_of("blackwell.mxf4"), shape, operand_kind::near, 1};
}

TEST_CASE("groups_that_lie_far_below_the_largest_exponent_are_cut_toward_zero") {
  std::mt19937 random(2);
  product_case product = product_of({9, 70, 64});
  // A quarter's place is 33 binades below the truncation.
  for (const int lost : {-3, -1, 0, 1, 2, 5, 11, 12, 13, 14, 30, 31, 32, 40}) {
    INFO(lost << " bits of the lower groups' quarters lost");
    const int apart = 33 + lost;
    for (const auto* kinds : {&dense, &signs, &sparse, &cancelling}) {
      fill_groups(product.a, *kinds, random);
      fill_groups(product.b, *kinds == cancelling ? signs : *kinds, random);
      fill_scales(product.a, 10, 10 - apart / 2, random);
      fill_scales(product.b, 5, 5 - (apart - apart / 2), random);
      for (const int exponent : {15, 15 - apart, 2}) {
        fill_addends(product.c, exponent, random);
        tests::compare_bytes(product);
      }
    }
  }
}

TEST_CASE("addends_far_above_or_below_the_products_are_cut_or_cut_them") {
  std::mt19937 random(3);
  product_case product = product_of({5, 66, 128});
  for (const auto* kinds : {&dense, &sparse, &cancelling}) {
    fill_groups(product.a, *kinds, random);
    fill_groups(product.b, *kinds == cancelling ? signs : *kinds, random);
    fill_scales(product.a, 1, -2, random);
    fill_scales(product.b, 2, 0, random);
    for (int above = -40; above <= 60; ++above) {
      INFO("addends " << above << " above the products");
      fill_addends(product.c, above, random);
      tests::compare_bytes(product);
    }
  }
}

TEST_CASE("sums_that_cancel_leave_what_the_alignment_left") {
  std::mt19937 random(4);
  product_case product = product_of({8, 64, 64});
  for (const int apart : {31, 33, 34, 36, 40, 46, 60}) {
    INFO("exponents " << apart << " apart");
    fill_groups(product.a, signs, random);
    fill_groups(product.b, signs, random);
    // The second block is far below; the first one's sum is subtracted again.
    for (const auto& [lines, below] :
         {std::pair{&product.a, apart / 2}, std::pair{&product.b, apart - apart / 2}}) {
      for (std::size_t i = 0; i < lines->scales.size(); ++i) {
        lines->scales[i] = static_cast<std::uint8_t>(127 - (i % 2 != 0 ? below : 0));
      }
    }
    product_case first = product;
    for (std::size_t i = 0; i < first.a.codes.size(); ++i) {
      if (i % 64 >= 32) first.a.codes[i] = 0;
    }
    std::fill(first.c.begin(), first.c.end(), 0);
    product.c = first.by_core();
    for (std::uint32_t& bits : product.c) bits = bits == 0 ? 0 : bits ^ 0x80000000;
    tests::compare_bytes(product);
  }
}

TEST_CASE("sums_beyond_binary32_are_infinite_and_stay_so") {
  std::mt19937 random(5);
  product_case product = product_of({5, 40, 192});
  std::fill(product.a.codes.begin(), product.a.codes.end(), std::uint8_t{7});
  std::fill(product.b.codes.begin(), product.b.codes.end(), std::uint8_t{7});
  for (std::size_t i = 0; i < product.a.codes.size(); ++i) {
    // Steps add, subtract and add.
    if (i % 192 / 64 == 1) product.a.codes[i] = 15;
  }
  for (const int high : {48, 40, 20}) {
    fill_scales(product.a, high, 0, random);
    fill_scales(product.b, high, -20, random);
    for (std::uint32_t& bits : product.c) {
      bits = (random() & 0x80000000) | (0x7F7FFFFF - random() % 3 * 0x400000 - random() % 4);
    }
    tests::compare_bytes(product);
  }
}

TEST_CASE("scales_and_groups_of_all_kinds_in_one_product") {
  std::mt19937 random(6);
  for (const int spread : {9, 17, 25, 45}) {
    product_case product = product_of({13, 70, 320});
    for (const auto* kinds : {&dense, &sparse, &cancelling}) {
      fill_groups(product.a, *kinds, random);
      fill_groups(product.b, *kinds == cancelling ? signs : *kinds, random);
      for (auto* lines : {&product.a, &product.b}) {
        for (std::uint8_t& scale : lines->scales) {
          scale = static_cast<std::uint8_t>(
              127 - spread + static_cast<int>(random() % static_cast<unsigned>(2 * spread)));
        }
      }
      fill_addends(product.c, -spread, random);
      tests::compare_bytes(product);
    }
  }
}

/// A code of UE4M3 of some kind.
std::uint8_t fractional_scale(std::mt19937& random) {
  const auto word = static_cast<std::uint32_t>(random());
  switch (word % 8) {
    case 0:
      return 0;
    case 1:
    case 2:
      return 1 + word / 8 % 7;  // subnormal: read at the exponent of the smallest normal number
    case 3:
      return static_cast<std::uint8_t>(0x7E - word / 8 % 8);
    default:
      return word / 8 % 0x7F;
  }
}

TEST_CASE("scales_with_fractions_of_all_kinds_in_one_product") {
  std::mt19937 random(7);
  product_case product{tests::plan_of("blackwell.mxf4nvf4"), {13, 70, 320}, operand_kind::near, 1};
  for (int round = 0; round < 4; ++round) {
    for (const auto* kinds : {&dense, &signs, &sparse, &cancelling}) {
      INFO("round " << round);
      fill_groups(product.a, *kinds, random);
      fill_groups(product.b, *kinds == cancelling ? signs : *kinds, random);
      for (auto* lines : {&product.a, &product.b}) {
        for (std::uint8_t& scale : lines->scales) scale = fractional_scale(random);
      }
      for (const int exponent : {-40, -20, -12, 0, 14, 24}) {
        fill_addends(product.c, exponent, random);
        tests::compare_bytes(product);
      }
    }
  }
}

TEST_CASE("four_scales_of_powers_of_two_far_apart_in_one_product") {
  std::mt19937 random(8);
  product_case product{
      tests::plan_of("blackwell.mxf4nvf4.ue8m0"), {13, 70, 320}, operand_kind::near, 1};
  for (const auto* kinds : {&dense, &signs, &sparse, &cancelling}) {
    fill_groups(product.a, *kinds, random);
    fill_groups(product.b, *kinds == cancelling ? signs : *kinds, random);
    for (auto* lines : {&product.a, &product.b}) {
      for (std::uint8_t& scale : lines->scales) scale = 127 - 48 + random() % 97;
    }
    for (const int exponent : {-60, -12, 0, 30}) {
      fill_addends(product.c, exponent, random);
      tests::compare_bytes(product);
    }
  }
}

}  // namespace
