// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/coded_leaves_test.cpp: mx/dot/coded_leaves.h. Sums of products of codes against
// mx::gemm_element of each leaf in a binary tree over their index, bit for bit, on every
// instruction set and way to add products of bytes.
#include "mx/dot/coded_leaves.h"

#include <random>
#include <span>
#include <stdexcept>

#include "catch.h"
#include "gemm_against_core.h"

namespace {

using mx::coded_leaves;
using mx::coded_outer_product;
using mx::gemm_plan;
using tests::byte_lines;
using tests::operand_kind;
using tests::plan_of;
using tests::words;

struct leaf_case {
  gemm_plan plan;
  std::int64_t m, n;
  std::vector<byte_lines> left, right;
  std::vector<std::vector<std::uint8_t>> packed;
  std::vector<coded_outer_product> leaves;
  std::vector<words> products;

  /// Leaves of these k, with their products by the core.
  leaf_case(const gemm_plan& of, std::int64_t rows, std::int64_t columns,
            std::span<const std::int64_t> sizes, operand_kind kind, std::uint32_t seed)
      : plan(of), m(rows), n(columns) {
    std::mt19937 random(seed);
    for (const std::int64_t k : sizes) {
      left.push_back(draw_lines(of.model.a, of.model, kind, m, k, random));
      right.push_back(draw_lines(of.model.b, of.model, kind, n, k, random));
      add_leaf(k, random);
    }
  }

  [[nodiscard]] int count() const { return static_cast<int>(leaves.size()); }

  /// After changes of codes and scales.
  void multiply_again() {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      leaves[i].left = left[i].operand(), leaves[i].right = right[i].operand();
      products[i] = product_of(i);
    }
  }

 private:
  void add_leaf(std::int64_t k, std::mt19937& random) {
    constexpr float scales[] = {1.0F, 0x1.4p-3F, -3.0F, 0x1p-80F, 0x1p70F, 0x1p-149F};
    const byte_lines &a = left.back(), &b = right.back();
    coded_outer_product leaf{k, a.operand(), b.operand(), scales[random() % 6],
                             scales[random() % 6]};
    if (leaves.size() % 5 == 3) leaf.left_scale = leaf.right_scale = 1;
    if (leaves.size() % 2 == 1 && plan.model.a.width() == 4 && plan.model.b.width() == 4) {
      leaf.left = packed_operand(a, k), leaf.right = packed_operand(b, k);
    }
    leaves.push_back(leaf);
    products.push_back(product_of(leaves.size() - 1));
  }

  /// D of a leaf by the core.
  [[nodiscard]] words product_of(std::size_t i) const {
    const coded_outer_product& leaf = leaves[i];
    gemm_plan scaled = plan;
    scaled.alpha = mx::fp32::multiply(leaf.left_scale, leaf.right_scale);
    words d;
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t column = 0; column < n; ++column) {
        d.push_back(mx::gemm_element(scaled, left[i].line(row), right[i].line(column),
                                     static_cast<int>(leaf.k), 0));
      }
    }
    return d;
  }

  mx::gemm_operand packed_operand(const byte_lines& lines, std::int64_t k) {
    packed.push_back(packed_lines(lines));
    return {packed.back().data(), mx::code_storage::pairs, (k + 1) / 2, lines.operand().scales};
  }
};

/// The sum of the 2^level leaves from `first` on: a perfect binary tree.
std::uint32_t tree_element(const leaf_case& of, std::size_t first, int level, std::size_t at) {
  if (level == 0) return of.products[first][at];
  const std::uint32_t low = tree_element(of, first, level - 1, at);
  const std::uint32_t high =
      tree_element(of, first + (std::size_t{1} << (level - 1)), level - 1, at);
  return mx::bits_of(mx::add_fp32(of.plan.model, mx::float_of(low), mx::float_of(high)));
}

struct tree_of_levels {
  explicit tree_of_levels(const leaf_case& of)
      : levels(static_cast<std::size_t>(mx::bit_width(static_cast<std::uint64_t>(of.count())))) {
    for (std::vector<float>& level : levels) {
      level.assign(static_cast<std::size_t>(of.m * of.n), -9.0F);
      pointers.push_back(level.data());
    }
  }

  void require_sums(const leaf_case& of) const {
    std::size_t wrong = 0, first = 0;
    for (std::size_t level = levels.size(); level-- > 0;) {
      if ((of.leaves.size() >> level & 1) == 0) continue;
      for (std::size_t at = 0; at < levels[level].size(); ++at) {
        const std::uint32_t expected = tree_element(of, first, static_cast<int>(level), at);
        wrong += mx::bits_of(levels[level][at]) != expected ? 1 : 0;
      }
      first += std::size_t{1} << level;
    }
    REQUIRE(wrong == 0);
  }

  std::vector<std::vector<float>> levels;
  std::vector<float*> pointers;
};

/// Adds the leaves in pieces of leaves and of rows, by one object a piece.
void compare(const leaf_case& of, std::int64_t leaves_at_once, std::int64_t rows_at_once) {
  INFO(of.m << " x " << of.n << ", " << of.count() << " leaves, " << leaves_at_once << " and "
            << rows_at_once << " rows at once");
  const std::span<const coded_outer_product> all(of.leaves);
  tests::on_all_kernels([&] {
    tree_of_levels by_objects(of);
    for (std::int64_t first = 0; first < of.count(); first += leaves_at_once) {
      const auto some = all.subspan(
          static_cast<std::size_t>(first),
          static_cast<std::size_t>(std::min<std::int64_t>(leaves_at_once, of.count() - first)));
      const coded_leaves prepared(of.plan, of.m, of.n, some);
      for (std::int64_t row = 0; row < of.m; row += rows_at_once) {
        const std::int64_t end = std::min(row + rows_at_once, of.m);
        prepared.add(first, row, end, by_objects.pointers.data());
      }
    }
    by_objects.require_sums(of);
  });
}

constexpr std::int64_t short_leaves[] = {20, 32, 1, 17, 16, 31, 20};
constexpr std::int64_t long_leaves[] = {33, 64, 20, 100, 300};

TEST_CASE("leaves_of_codes_are_the_sums_of_their_products_by_a_binary_tree") {
  std::uint32_t seed = 0;
  for (const char* name : tests::fast_models) {
    INFO(name);
    for (const operand_kind kind : tests::operand_kinds) {
      INFO("kind " << static_cast<int>(kind));
      compare(leaf_case(plan_of(name), 13, 128, short_leaves, kind, ++seed), 7, 13);
      compare(leaf_case(plan_of(name), 24, 70, long_leaves, kind, ++seed), 5, 24);
    }
  }
}

TEST_CASE("leaves_of_codes_may_be_split_into_calls_of_any_leaves_and_rows") {
  for (const char* name : tests::fast_models) {
    INFO(name);
    const leaf_case of(plan_of(name), 29, 66, short_leaves, operand_kind::far, 100);
    for (const std::int64_t leaves_at_once : {1, 2, 5}) {
      for (const std::int64_t rows_at_once : {1, 4, 7, 11}) {
        compare(of, leaves_at_once, rows_at_once);
      }
    }
  }
}

TEST_CASE("blocks_of_16_of_any_scale_are_added_as_leaves") {
  std::uint32_t seed = 200;
  for (const char* name : {"fp32.sequential", "blackwell.mxf4"}) {
    for (const mx::format& scale :
         {mx::format{mx::formats::e8m0}, mx::format{mx::formats::ue4m3}}) {
      for (const operand_kind kind : tests::operand_kinds) {
        gemm_plan plan = plan_of(name);
        plan.model = mx::with_scales(plan.model, scale, 16);
        compare(leaf_case(plan, 8, 64, short_leaves, kind, ++seed), 7, 8);
      }
    }
  }
}

/// Two blocks of 16 a line: products of the first cancel, and its scale lies above the second's.
void set_apart(byte_lines& lines, int apart, bool alternating, std::mt19937& random) {
  for (std::size_t i = 0; i < lines.codes.size(); ++i) {
    if (i % 32 < 16) lines.codes[i] = alternating && i % 2 == 1 ? 10 : 2;  // -1 and 1
  }
  for (std::size_t i = 0; i < lines.scales.size(); ++i) {
    const std::uint32_t field = 15U - (i % 2 == 1 ? static_cast<std::uint32_t>(apart) : 0U);
    lines.scales[i] = static_cast<std::uint8_t>(field << 3 | random() % 7);
  }
}

TEST_CASE("two_blocks_of_16_of_which_the_alignment_cuts_off_a_bit_or_none_equal_the_core") {
  constexpr std::int64_t sizes[] = {32, 32};
  std::mt19937 random(300);
  for (int apart = 22; apart <= 28; ++apart) {
    INFO("exponents " << apart << " apart");
    leaf_case of(plan_of("blackwell.mxf4nvf4"), 8, 64, sizes, operand_kind::near, 301);
    for (std::size_t i = 0; i < of.leaves.size(); ++i) {
      set_apart(of.left[i], apart / 2, false, random);
      set_apart(of.right[i], apart - apart / 2, true, random);
    }
    of.multiply_again();
    compare(of, 2, 8);
  }
}

TEST_CASE("leaves_of_every_model_are_added") {
  std::uint32_t seed = 400;
  constexpr std::int64_t sizes[] = {20, 70, 33};
  for (const mx::named_model& entry : mx::model_table) {
    if (entry.model.a.width() > 8 || entry.model.b.width() > 8) continue;
    INFO(entry.name);
    const gemm_plan plan{.model = entry.model};
    compare(leaf_case(plan, 5, 6, sizes, operand_kind::any, ++seed), 2, 3);
  }
}

TEST_CASE("leaves_under_plans_of_parts_and_leaves_of_nothing_are_added") {
  constexpr std::int64_t sizes[] = {20, 0, 200, 64}, some[] = {20, 200, 130};
  std::uint32_t seed = 500;
  for (const char* name : tests::fast_models) {
    for (const mx::c_entry entry : {mx::c_entry::first_step, mx::c_entry::epilogue}) {
      gemm_plan plan = plan_of(name);
      plan.c_entry = entry;
      compare(leaf_case(plan, 5, 66, sizes, operand_kind::any, ++seed), 4, 5);
      plan.split_k = 2;
      compare(leaf_case(plan, 5, 66, some, operand_kind::spread, ++seed), 3, 5);
      plan.promote = 64;
      compare(leaf_case(plan, 5, 66, some, operand_kind::spread, ++seed), 3, 5);
    }
  }
}

TEST_CASE("leaves_of_wrong_arguments_are_refused") {
  gemm_plan plan = plan_of("blackwell.mxf4");
  const std::vector<std::uint8_t> codes(64), scales(2);
  const mx::gemm_operand line{codes.data(), mx::code_storage::bytes, 64, scales.data()};
  const std::vector<coded_outer_product> one{{64, line, line}}, empty{{64, line, {}}},
      negative{{-1, line, line}};
  std::vector<float> sums(1);
  float* levels[] = {sums.data()};
  CHECK_THROWS_AS(coded_leaves(plan, 1, 1, empty), std::invalid_argument);
  CHECK_THROWS_AS(coded_leaves(plan, 1, 1, negative), std::invalid_argument);
  CHECK_THROWS_AS(coded_leaves(plan, -1, 1, one), std::invalid_argument);
  const coded_leaves prepared(plan, 1, 1, one);
  CHECK_THROWS_AS(prepared.add(0, 0, 2, levels), std::invalid_argument);
  CHECK_THROWS_AS(prepared.add(0, -1, 1, levels), std::invalid_argument);
  CHECK_THROWS_AS(prepared.add(-1, 0, 1, levels), std::invalid_argument);
  plan.alpha = 2;
  CHECK_THROWS_AS(coded_leaves(plan, 1, 1, one), std::invalid_argument);
  plan.alpha = 1, plan.output = mx::formats::bfloat16;
  CHECK_THROWS_AS(coded_leaves(plan, 1, 1, one), std::invalid_argument);
}

TEST_CASE("tensors_without_a_scale_have_one_of_one") {
  const coded_outer_product bare;
  CHECK(bare.left_scale == 1);
  CHECK(bare.right_scale == 1);
}

}  // namespace
