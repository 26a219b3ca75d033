// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/value_cases_test.cpp: what the core gives for products of FP32 numbers, with
// which a device is compared, are the bits of mx::multiply and mx::add_leaves. Those of
// add_products are compared with mx::coded_leaves through the bodies (tests/kernels/values).
#include "value_cases.h"

#include "catch.h"
#include "mx/number/bits.h"
#include "mx/tensor/bulk.h"

using namespace mx::kernels;

namespace {

int int_of(std::int64_t size) { return static_cast<int>(size); }

std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(mx::bits_of(value));
  return bits;
}

std::vector<std::uint32_t> multiplied(const value_case& one, const value_input& input) {
  const std::int64_t stride = one.columns + one.gap;
  std::vector<float> c = input.results;
  mx::packed_matrix b(int_of(one.k), int_of(one.columns));
  b.set_columns(0, int_of(one.columns), input.products[0].right.data(), stride);
  mx::multiply(int_of(one.rows), input.products[0].left.data(), one.k + one.gap, b, c.data(),
               stride);
  return bits_of(c);
}

std::vector<std::uint32_t> leaves_added(const value_case& one, const value_input& input) {
  std::vector<float> all = input.results;
  std::vector<mx::outer_product> leaves;
  for (const auto& of : input.products) leaves.push_back({of.k, of.left.data(), of.right.data()});
  std::vector<float*> levels;
  for (std::size_t at = 0; at < all.size(); at += level_size(one)) levels.push_back(&all[at]);
  mx::add_leaves({leaves, one.first, int_of(one.rows), 0, int_of(one.rows), int_of(one.columns),
                  one.rows + one.gap, one.columns + one.gap, levels.data()});
  return bits_of(all);
}

}  // namespace

TEST_CASE("the_core's_products_of_values_are_those_of_the_bulk_functions") {
  int compared = 0;
  for (const value_case& one : value_table()) {
    CAPTURE(one.name);
    const value_input input = input_of(one);
    const bool is_product = one.what == value_operation::multiply;
    if (one.what == value_operation::add_products) continue;
    if (!is_product && one.columns % 16 != 0) continue;  // which mx::add_leaves requires
    ++compared;
    CHECK(difference_between(one, is_product ? multiplied(one, input) : leaves_added(one, input),
                             values_of_core(one, input))
              .empty());
  }
  CHECK(compared == 10);
}

TEST_CASE("a_value_that_differs_is_told_by_its_place") {
  for (const value_case& one : value_table()) {
    const std::vector<std::uint32_t> right = values_of_core(one, input_of(one));
    std::vector<std::uint32_t> wrong = right;
    wrong.back() ^= 1;
    const std::string text = difference_between(one, right, wrong);
    CHECK(difference_between(one, right, right).empty());
    if (one.name == "multiply.70x96x128.gap5") CHECK(text.starts_with("row 69, column 100: 0x"));
    if (one.name == "add_leaves.65x80.first5.count6.gap3") {
      CHECK(text.starts_with("level 3, row 64, column 79: 0x"));
    }
  }
}
