// SPDX-License-Identifier: Apache-2.0
// tests/validator/exact_figure_test.cpp: exact figures as text, and against bounds.
#include "golden/validator/product/exact_figure.h"

#include "catch.h"

using golden::validator::error_ratio;
using golden::validator::exact_text;
using golden::validator::exceeds;
using golden::validator::upper_bound;

namespace {

mx::wide_fixed fixed_of(bool negative, std::uint64_t significand, int exponent) {
  mx::wide_fixed x;
  x.add(negative, significand, exponent);
  return x;
}

}  // namespace

TEST_CASE("upper_bounds_never_fall_below_the_exact_number") {
  CHECK(upper_bound(0x1FFFFFFFF, 0).value().floor_log2() == 33);  // raised into the next binade
  const upper_bound sum = upper_bound(1, 500) + upper_bound(1, -500);
  CHECK(mx::compare_magnitudes(sum.value(), mx::unpacked::positive(1, 500)) > 0);
  CHECK((upper_bound(0xFFFFFFFF, 0) * upper_bound(0xFFFFFFFF, 0)).significand() == 0xFFFFFFFF);
  CHECK((upper_bound(3, 0) + upper_bound(5, 0)).value().significand == 8);
  CHECK(upper_bound(3, 1) <= upper_bound(6, 0));
  CHECK_FALSE(upper_bound(7, 0) <= upper_bound(6, 0));
  // The 62 leading bits of an exact number with a sticky bit are raised beyond it.
  mx::wide_fixed long_number = fixed_of(false, 1, 600);
  long_number.add(false, 1, -500);
  CHECK(upper_bound::of(long_number.value()).significand() > 1);
}

TEST_CASE("exact_text_has_every_bit") {
  CHECK(exact_text(fixed_of(false, 0x1A3, -20), 0) == "0x1a3 * 2^-20");
  CHECK(exact_text(fixed_of(true, 0x340, 0), 2) == "-0xd * 2^8");
  CHECK(exact_text(fixed_of(false, 7, 0), 0) == "0x7");
  CHECK(exact_text(mx::wide_fixed{}, 5) == "0");
  mx::wide_fixed far = fixed_of(false, 1, 100);
  far.add(false, 1, 0);
  CHECK(exact_text(far, 0) == "0x10000000000000000000000001");
  CHECK(exact_text(upper_bound(12, -3)) == "0x3 * 2^-1");
  for (const int exponent : {-3, -2, -1}) {  // digits with bits of two limbs
    CHECK(exact_text(fixed_of(false, ~std::uint64_t{0}, exponent), 0) ==
          "0xffffffffffffffff * 2^" + std::to_string(exponent));
  }
}

TEST_CASE("fixed_point_numbers_multiply_with_their_sign") {
  CHECK(exact_text(golden::validator::multiplied(fixed_of(true, 0xFFFFFFFFFFFFFFFF, 64), 0xFFFFFF),
                   0) == "-0xfffffeffffffffff000001 * 2^64");
}

TEST_CASE("errors_exceed_bounds_only_beyond_the_last_bit") {
  const upper_bound bound(3, -10);
  CHECK_FALSE(exceeds(fixed_of(false, 3, -10).value(), 0, bound));
  mx::wide_fixed more = fixed_of(true, 3, -10);
  more.add(true, 1, -500);
  CHECK(exceeds(more.value(), 0, bound));
  CHECK_FALSE(exceeds(more.value(), -1, bound));
  CHECK(exceeds(fixed_of(false, 1, -570).value(), 0, {}));
  CHECK_FALSE(exceeds({}, 0, {}));
}

TEST_CASE("ratios_order_elements") {
  const error_ratio seven{mx::unpacked::positive(7, 100), {1, 100}};
  const error_ratio six{mx::unpacked::positive(6, -200), {1, -200}};
  CHECK(seven.is_worse_than(six));
  CHECK_FALSE(six.is_worse_than(seven));
  CHECK_FALSE(six.is_worse_than(six));
  // An error that is larger, and exactly its bound.
  const error_ratio one{mx::unpacked::positive(1, 110), {1, 110}};
  CHECK_FALSE(one.is_worse_than(six));
  CHECK(six.is_worse_than(one));
  CHECK(seven.whole_times() == 7);
  CHECK(error_ratio{mx::unpacked::positive(7, 0), {2, 3}}.whole_times() == 0);
  CHECK(error_ratio{mx::unpacked::positive(7, 0), {}}.is_worse_than(seven));
  CHECK(error_ratio{mx::unpacked::positive(1, 300), {1, 0}}.whole_times() == std::uint64_t{1}
                                                                                 << 62);
}
