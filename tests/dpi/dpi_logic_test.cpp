// SPDX-License-Identifier: Apache-2.0
// tests/dpi/dpi_logic_test.cpp: four-state operands: known ones give the two-state result, X and Z
// are reported and nothing is computed.
#include "catch.h"
#include "models.h"

namespace {

constexpr svLogicVecVal all_x{~0U, ~0U};

bool is_all_x(const svLogicVecVal& word) {
  return word.aval == all_x.aval && word.bval == all_x.bval;
}

struct logic_operands {
  dpi::logic_vector<mx_dpi_code_bits> a, b;
  dpi::logic_vector<mx_dpi_scale_bits> scale_a, scale_b;
  dpi::logic_vector<32> c;

  explicit logic_operands(const dpi::operands& from)
      : a(dpi::known(from.a)),
        b(dpi::known(from.b)),
        scale_a(dpi::known(from.scale_a)),
        scale_b(dpi::known(from.scale_b)),
        c{svLogicVecVal{from.c, 0}} {}

  int multiply(const dpi::context& by, svLogicVecVal& d) const {
    return mx_dpi_dot_logic(by.get(), a.data(), b.data(), scale_a.data(), scale_b.data(), c.data(),
                            &d);
  }
  svLogicVecVal* words_of(int operand) {
    svLogicVecVal* const all[] = {a.data(), b.data(), scale_a.data(), scale_b.data(), c.data()};
    return all[operand];
  }
};

struct report {
  unsigned count = 0, element = 0, place = 0;
  int operand = 0;

  explicit report(const dpi::context& context) {
    REQUIRE(mx_dpi_unknown(context.get(), &count, &operand, &element, &place) == mx_dpi_ok);
  }
};

void set(svLogicVecVal* words, int place, svLogic state) {
  const std::uint32_t bit = 1U << place % 32;
  svLogicVecVal& word = words[place / 32];
  word.bval |= bit;
  word.aval = state == sv_x ? word.aval | bit : word.aval & ~bit;
}

TEST_CASE("known_bits_of_four_states_are_computed") {
  const dpi::context context = dpi::made();
  for (const dpi::choice& choice : dpi::choices()) {
    REQUIRE(choice.select(context) == mx_dpi_ok);
    for (const cross::dot_word& word : choice.words(2)) {
      svLogicVecVal d = all_x;
      CHECK(logic_operands(choice.operands_of(word)).multiply(context, d) == mx_dpi_ok);
      CHECK((d.aval == choice.expected(word) && d.bval == 0));
    }
  }
  CHECK(report(context).count == 0);
}

TEST_CASE("known_bits_accumulate_in_place") {
  const dpi::context context = dpi::made();
  const dpi::choice choice = dpi::choices().front();
  for (const cross::dot_word& word : choice.words(2)) {
    logic_operands in(choice.operands_of(word));
    CHECK(in.multiply(context, in.c[0]) == mx_dpi_ok);
    CHECK((in.c[0].aval == choice.expected(word) && in.c[0].bval == 0));
  }
}

TEST_CASE("x_and_z_in_any_operand_are_reported_with_their_place") {
  struct unknown_case {
    int operand, place;
    svLogic state;
    const char* text;
  };
  const unknown_case cases[] = {{mx_dpi_operand_a, 0, sv_x, "a has X at bit 0"},
                                {mx_dpi_operand_a, 255, sv_z, "a has Z at bit 255"},
                                {mx_dpi_operand_b, 100, sv_x, "b has X at bit 100"},
                                {mx_dpi_operand_scale_a, 15, sv_z, "scale_a has Z at bit 15"},
                                {mx_dpi_operand_scale_b, 8, sv_x, "scale_b has X at bit 8"},
                                {mx_dpi_operand_c, 31, sv_z, "c has Z at bit 31"}};
  const dpi::context context = dpi::made();
  const dpi::choice choice = dpi::choices().front();
  const dpi::operands clean = choice.operands_of(choice.words(1).front());
  unsigned count = 0;
  for (const unknown_case& one : cases) {
    logic_operands in(clean);
    set(in.words_of(one.operand), one.place, one.state);
    svLogicVecVal d{};
    CHECK(in.multiply(context, d) == mx_dpi_unknown_bits);
    CHECK(is_all_x(d));
    const report seen(context);
    CHECK(seen.count == ++count);
    CHECK(seen.operand == one.operand);
    CHECK(seen.element == 0);
    CHECK(static_cast<int>(seen.place) == one.place);
    CHECK(dpi::errors_of(context) == count);
    CHECK(dpi::last_error(context) == one.text);
  }
  CHECK(mx_dpi_error_clear(context.get()) == mx_dpi_ok);
  CHECK((report(context).count == 0 && dpi::errors_of(context) == 0));
}

TEST_CASE("nothing_is_computed_from_unknown_bits_and_the_lowest_is_told") {
  const dpi::context context = dpi::made();
  const dpi::choice choice = dpi::choices().front();
  logic_operands in(choice.operands_of(choice.words(1).front()));
  set(in.a.data(), 77, sv_x);
  set(in.a.data(), 70, sv_z);
  svLogicVecVal d{};
  CHECK(in.multiply(context, d) == mx_dpi_unknown_bits);
  CHECK(report(context).place == 70);
  unsigned steps = 0;
  CHECK(mx_dpi_step_count(context.get(), &steps) == mx_dpi_bad_argument);
}

TEST_CASE("unknown_bits_above_those_of_the_model_are_nobodys") {
  const dpi::context context = dpi::made();
  const dpi::choice choice = dpi::choices().front();
  const cross::dot_word word = choice.words(1).front();
  logic_operands in(choice.operands_of(word));
  set(in.a.data(), 256, sv_x);
  set(in.b.data(), 511, sv_z);
  set(in.scale_a.data(), 16, sv_x);
  set(in.scale_b.data(), 63, sv_x);
  svLogicVecVal d{};
  CHECK(in.multiply(context, d) == mx_dpi_ok);
  CHECK(d.aval == choice.expected(word));
}

TEST_CASE("the_line_of_a_tile_that_holds_an_unknown_bit_is_told") {
  const dpi::context context = dpi::made();
  std::vector<svLogicVecVal> a(16 * 16), b(8 * 16), scale_a(16 * 2), scale_b(8 * 2), c(128), d(128);
  const auto multiply = [&] {
    return mx_dpi_tile_logic(context.get(), a.data(), b.data(), scale_a.data(), scale_b.data(),
                             c.data(), d.data());
  };
  c[77].aval = 0x3F800000;
  CHECK(multiply() == mx_dpi_ok);
  CHECK((d[77].aval == 0x3F800000 && d[77].bval == 0 && d[76].aval == 0 && d[76].bval == 0));
  d = c;
  CHECK(mx_dpi_tile_logic(context.get(), a.data(), b.data(), scale_a.data(), scale_b.data(),
                          d.data(), d.data()) == mx_dpi_ok);
  CHECK((d[77].aval == 0x3F800000 && d[77].bval == 0));
  set(b.data() + 5 * 16, 33, sv_z);
  CHECK(multiply() == mx_dpi_unknown_bits);
  CHECK(dpi::last_error(context) == "b[5] has Z at bit 33");
  const report seen(context);
  CHECK((seen.operand == mx_dpi_operand_b && seen.element == 5 && seen.place == 33));
  CHECK(std::all_of(d.begin(), d.end(), is_all_x));
  b[5 * 16 + 1] = {};
  set(c.data() + 127, 3, sv_x);
  CHECK(multiply() == mx_dpi_unknown_bits);
  CHECK(dpi::last_error(context) == "c[127] has X at bit 3");
}

TEST_CASE("random_bits_that_are_not_drawn_may_be_unknown") {
  const dpi::context context = dpi::made();
  std::vector<svLogicVecVal> x(32), random(24), codes(4), scale(1), kept(1);
  svLogic special = sv_x;
  const auto quantize = [&](int rounding) {
    return mx_dpi_quantize_logic(context.get(), x.data(), mx_dpi_scale_even, rounding,
                                 random.data(), 0, mx_dpi_deadzone_flush, codes.data(),
                                 scale.data(), &special, kept.data());
  };
  x[3].aval = 0x40C00000;  // 6
  set(random.data(), 255, sv_x);
  CHECK(quantize(mx_dpi_round_ties_to_even) == mx_dpi_ok);
  CHECK((codes[0].aval == 0x7000 && codes[0].bval == 0 && scale[0].aval == 127 &&
         scale[0].bval == 0 && special == sv_0 && kept[0].aval == 0 && kept[0].bval == 0));
  CHECK(quantize(mx_dpi_round_stochastic) == mx_dpi_unknown_bits);
  CHECK(dpi::last_error(context) == "random has X at bit 255");
  CHECK((is_all_x(codes[0]) && is_all_x(codes[3]) && is_all_x(scale[0]) && is_all_x(kept[0]) &&
         special == sv_x));
  random[7] = {};
  set(random.data(), 256, sv_x);
  CHECK(quantize(mx_dpi_round_stochastic) == mx_dpi_ok);
  set(x.data() + 31, 31, sv_z);
  CHECK(quantize(mx_dpi_round_stochastic) == mx_dpi_unknown_bits);
  CHECK(dpi::last_error(context) == "x has Z at bit 1023");
}

}  // namespace
