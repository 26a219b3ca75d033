// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/drawn_formats_test.cpp: tensors in formats that have no name, drawn from all
// that can be spelled, against the core.
#include <algorithm>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "bulk_against_core.h"
#include "catch.h"
#include "mx/spelling.h"

namespace {

int below(std::mt19937& random, int end) {
  return static_cast<int>(random() % static_cast<std::uint32_t>(end));
}

template <class Value, std::size_t Count>
Value one_of(std::mt19937& random, const Value (&values)[Count]) {
  return values[random() % Count];
}

/// The spelling of an element: every second one with a bias of its own, up to the ends of their
/// range.
std::string drawn_element(std::mt19937& random) {
  if (below(random, 12) == 0) return "int" + std::to_string(3 + below(random, 6));
  const int exponent = 1 + below(random, 6);
  const int fraction = below(random, 8 - exponent);
  std::string text = "e" + std::to_string(exponent) + "m" + std::to_string(fraction);
  if (below(random, 2) == 0) text += "@" + std::to_string(below(random, 97) - 32);
  const char* const endings[] = {"", "", "", "fn", "ieee", "fnuz"};
  return text + one_of(random, endings);
}

std::string drawn_scale(std::mt19937& random) {
  const char* const named[] = {"e8m0", "e8m0", "ue4m3", "ue5m3", "fp32", "exact"};
  if (below(random, 3) > 0) return one_of(random, named);
  return "e8m" + std::to_string(1 + below(random, 16));
}

std::optional<mx::block_format> drawn_format(std::mt19937& random) {
  const char* const shapes[] = {"4",  "16",        "16:tensor", "16:row",     "32",
                                "48", "32:tensor", "2x16",      "2x16:tensor"};
  try {
    return mx::format_spelled(drawn_element(random) + ":" + drawn_scale(random) + ":" +
                              one_of(random, shapes))
        .format;
  } catch (const std::invalid_argument&) {
    return {};  // no such element, or not this scale below a tensor scale
  }
}

/// Numbers at a power of two of the format: elements at the ends of their range, under middle
/// scales and those at the ends of theirs.
tests::bytes numbers_of(const mx::format& element, std::uint64_t count, std::mt19937& random) {
  tests::bytes x(count * sizeof(float));
  int top = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % 64 == 0) {
      const int middle = element.emax() + below(random, 9) - 4;
      const int ends[] = {middle, middle, 127, 120, -126, element.emax() + 127, element.emin()};
      top = std::clamp(one_of(random, ends), -126, 127);
    }
    const std::uint32_t word = static_cast<std::uint32_t>(random());
    const int fall = below(random, element.emax() - element.emin() + element.fraction_bits + 3);
    const int field = std::max(top - fall + 127, 0);
    const std::uint32_t fraction = below(random, 2) == 0 ? word & 0x700000 : word & 0x7FFFFF;
    std::uint32_t bits = (word & 0x80000000) | static_cast<std::uint32_t>(field) << 23 | fraction;
    if (below(random, 40) == 0) bits &= 0x80000000;
    std::memcpy(x.data() + i * sizeof(float), &bits, sizeof(float));
  }
  const bool zeros = below(random, 2) == 0;
  if (zeros && count >= 96) std::fill_n(x.begin(), 96 * sizeof(float), std::uint8_t{0});
  return x;
}

TEST_CASE("formats_without_a_name_equal_the_core") {
  std::mt19937 random(20);
  constexpr mx::rounding roundings[] = {mx::rounding::ties_to_even, mx::rounding::ties_to_even,
                                        mx::rounding::ties_away, mx::rounding::toward_zero,
                                        mx::rounding::stochastic};
  int done = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::optional<mx::block_format> f = drawn_format(random);
    if (!f) continue;
    const auto& rules = mx::scale_rule_table;
    mx::quantization q{*f, rules[random() % std::size(rules)].value, one_of(random, roundings),
                       {random(), 1 + below(random, 12), mx::byte_map::ptx}};
    if (f->precision == mx::scale_precision::exact) q.rule = mx::scale_rule::ideal;
    if (mx::refusal_of(q) != mx::refusal::none) continue;
    const std::uint64_t length = static_cast<std::uint64_t>(32 + below(random, 5) * 33);
    const mx::blocked_shape shape{.rows = 4, .length = length};
    INFO(mx::spelling_of(*f));
    tests::compare_tensor(q, shape, numbers_of(f->element, shape.elements(), random),
                          mx::number_type::fp32, mx::code_packing::packed);
    ++done;
  }
  CHECK(done > 1500);
}

}  // namespace
