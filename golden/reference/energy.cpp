// SPDX-License-Identifier: Apache-2.0
// golden/reference/energy.cpp: products of parts of the error, added up lane by lane.
#include "golden/reference/energy.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace golden {
namespace {

/// A magnitude in units of 2^(e - 52), e its binade.
struct units {
  integer count;
  int exponent;
};

units units_of(const rational& magnitude) {
  const int exponent = floor_log2(magnitude) - 52;
  const rational exact = magnitude / power_of_two(exponent);
  const integer low = floor_of(exact);
  const rational rest = exact - rational(low), half(1, 2);
  const bool is_up = rest > half || (rest == half && low % 2 != 0);
  return {is_up ? integer(low + 1) : low, exponent};
}

double binary64_of(const rational& rounded) {
  if (rounded == 0) return 0;
  const units u = units_of(abs(rounded));
  const double magnitude = std::ldexp(u.count.convert_to<double>(), u.exponent);
  return rounded < 0 ? -magnitude : magnitude;
}

rational magnitude_of_code(const number_format& element, std::uint32_t code) {
  return element.decode(code).value.magnitude;
}

}  // namespace

rational rounded_to_binary64(const rational& value) {
  if (value == 0) return 0;
  const units u = units_of(abs(value));
  const rational magnitude = rational(u.count) * power_of_two(u.exponent);
  return value < 0 ? rational(-magnitude) : magnitude;
}

void energy_share::add(const std::vector<float>& block, std::int64_t elements,
                       const rational& tensor_scale, std::uint64_t first_index) {
  ++counts_.blocks;
  if (!all_finite(block)) {
    ++counts_.special;
    return;
  }
  counts_.elements += elements;
  const exact_block values = values_of(block);
  const rational amax = amax_of(values), most = how_.element->largest(), ideal = amax / most;
  const quantized_block made = quantize_block(block, how_, tensor_scale, first_index);
  const rational scale = made.scale.value.value.magnitude * tensor_scale;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const rational& x = values[i].magnitude;
    if (x == 0) continue;
    const std::uint32_t nearest =
        rounded_magnitude(*how_.element, x / ideal, rounding::nearest_even);
    add_element(i % lanes, x, magnitude_of_code(*how_.element, made.codes[i]) * scale,
                how_.element->magnitude(nearest) * ideal, most * scale);
  }
}

void energy_share::add_element(std::size_t lane, const rational& x, const rational& quantized,
                               const rational& ideal, const rational& largest) {
  using enum energy_term;
  const rational d = divisor();
  const rational error = rounded_to_binary64((quantized - x) * d);
  const rational coarse = rounded_to_binary64((quantized - ideal) * d);
  const rational fine = rounded_to_binary64((ideal - x) * d);
  const bool is_dead = ideal == 0, is_clipped = x > largest;
  counts_.dead += is_dead ? 1 : 0;
  counts_.dead_actual += quantized == 0 ? 1 : 0;
  add_product(total, lane, error, error);
  add_product(is_dead ? deadzone : grid, lane, fine, fine);
  add_product(is_clipped ? clip : scale, lane, coarse, coarse);
  if (is_clipped) {
    add_product(is_dead ? deadzone_clip : grid_clip, lane, coarse, fine);
  } else {
    add_product(is_dead ? scale_deadzone : scale_grid, lane, coarse, fine);
    if (quantized == 0) add_product(scale_dead, lane, coarse, coarse);
  }
  add_product(x_squared, lane, x, x);
  add_product(x_quantized, lane, x, quantized * d);
}

void energy_share::add_product(energy_term term, std::size_t lane, const rational& a,
                               const rational& b) {
  rational& sum = sums_[static_cast<std::size_t>(term)][lane];
  sum = rounded_to_binary64(a * b + sum);
}

rational energy_share::divisor() const {
  const number_format& element = *how_.element;
  return element.largest() / power_of_two(element.emax() - element.fraction_bits());
}

error_energies energy_share::finished() const {
  error_energies all = counts_;
  for (std::size_t term = 0; term < sums_.size(); ++term) {
    std::array<rational, lanes> sums = sums_[term];
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {
      for (std::size_t j = 0; j < half; ++j)
        sums[j] = rounded_to_binary64(sums[j] + sums[j + half]);
    }
    rational divided_by = divisor() * divisor();
    if (term == static_cast<std::size_t>(energy_term::x_squared)) divided_by = 1;
    if (term == static_cast<std::size_t>(energy_term::x_quantized)) divided_by = divisor();
    all.sums[term] = binary64_of(rounded_to_binary64(sums[0] / divided_by));
  }
  return all;
}

std::size_t blocks_of_share(std::size_t block_size) {
  return std::max<std::size_t>(1, 2048 / block_size);
}

error_energies sum_of_shares(std::span<const error_energies> shares) {
  if (shares.empty()) return {};
  if (shares.size() == 1) return shares[0];
  const std::size_t whole = std::bit_floor(shares.size() - 1);
  error_energies sum = sum_of_shares(shares.first(whole));
  const error_energies others = sum_of_shares(shares.subspan(whole));
  for (std::size_t term = 0; term < sum.sums.size(); ++term) sum.sums[term] += others.sums[term];
  sum.elements += others.elements, sum.dead += others.dead;
  sum.dead_actual += others.dead_actual;
  sum.blocks += others.blocks, sum.special += others.special;
  return sum;
}

}  // namespace golden
