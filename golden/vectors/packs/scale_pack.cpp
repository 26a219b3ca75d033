// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/scale_pack.cpp: amax at every exponent, and next to every threshold of a
// rule.
// Source of the bounds: mx/block/scale.h; of the bands below powers of two: mx/number/log2_bands.h.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "golden/vectors/packs/quantized_rows.h"

namespace golden::packs {
namespace {

using mx::number_type;

/// The largest element and as many others as fit, all exact under the scale.
void add_row_of_byte(std::vector<noted_row>& rows, const mx::block_format& f, number_type type,
                     int byte) {
  const std::vector<double> grid = magnitudes(f.element);
  const auto size = static_cast<std::size_t>(f.columns);
  noted_row row;
  for (std::size_t i = 0; i < size; ++i) {
    const double value = grid[(grid.size() - 1) - i / 2 * grid.size() * 2 / size];
    const float number = scaled(i % 2 == 0 ? value : -value, byte - 127, type);
    // Below the type's smallest number no element is exact.
    row.x.push_back(std::isnan(number) ? 0.0F : number);
  }
  const bool reached = row.x[0] != 0;
  row.sentence = fmt::format("scale byte {} by `floor`: elements that it holds exactly", byte);
  if (reached) rows.push_back(std::move(row));
}

constexpr std::uint32_t third_of_a_binade = 0x002AAAAB;  // of an FP32 pattern

/// Smaller numbers of both signs after an amax at `place`.
noted_row row_of_amax(const mx::block_format& f, number_type type, float amax, std::size_t place) {
  noted_row row;
  row.x.resize(static_cast<std::size_t>(f.columns));
  for (std::size_t i = 0; i < row.x.size(); ++i) {
    const auto below = static_cast<std::uint32_t>(i + 1) * third_of_a_binade;
    const std::uint32_t bits = mx::bits_of(amax) > below ? mx::bits_of(amax) - below : 0;
    const float smaller = mx::float_of(type == number_type::fp32 ? bits : bits >> 16 << 16);
    row.x[i] = i % 2 == 0 ? smaller : -smaller;
  }
  row.x[place % row.x.size()] = place % 2 == 0 ? amax : -amax;
  return row;
}

struct named_bound {
  double significand;
  const char* name;
};

void add_rows_of_bounds(std::vector<noted_row>& rows, const mx::block_format& f, number_type type) {
  const mx::format& e = f.element;
  const named_bound bounds[] = {
      {1, "a power of two"},
      {1.5, "1.5 times a power of two"},
      {1.75, "1.75 times a power of two"},
      {magnitudes(e).back() / std::ldexp(1.0, e.emax()), "the largest element"},
      {2 - std::ldexp(1.0, -(e.fraction_bits + 1)), "where `even` takes the next scale"}};
  constexpr std::array exponents{0, 2, 3, -5, 60, 126, 127, -100, -125, -126, -127};
  for (const int exponent : exponents) {
    for (const named_bound& bound : bounds) {
      const float amax = scaled(bound.significand, exponent, type);
      if (std::isnan(amax)) continue;
      for (const int steps : {-1, 0, 1}) {
        const float beside = steps == 0 ? amax : stepped(amax, type, steps);
        noted_row row = row_of_amax(f, type, beside, rows.size());
        row.sentence = fmt::format(
            "amax {}{}, at 2^{}", steps == 0 ? "" : (steps < 0 ? "a step below " : "a step above "),
            bound.name, exponent);
        rows.push_back(std::move(row));
      }
    }
  }
}

/// A logarithm rounded to FP32 takes these for the power of two above.
void add_rows_of_bands(std::vector<noted_row>& rows, const mx::block_format& f, number_type type) {
  for (const int exponent : {3, 4, 8, 16, 32, 64, 127, -8, -100}) {
    float amax = scaled(1, exponent, type);
    for (int steps = 1; steps <= 44; ++steps) {
      amax = stepped(amax, type, -1);
      if (steps > 5 && steps % 11 != 0) continue;
      noted_row row = row_of_amax(f, type, amax, rows.size());
      row.sentence = fmt::format("amax {} steps below 2^{}, which log2f takes for it or nearly",
                                 steps, exponent);
      rows.push_back(std::move(row));
    }
  }
}

void add_row_of_the_largest(std::vector<noted_row>& rows, const mx::block_format& f,
                            number_type type) {
  const float largest = mx::float_of(type == number_type::fp32 ? 0x7F7FFFFF : 0x7F7F0000);
  noted_row row = row_of_amax(f, type, largest, 0);
  row.sentence = "amax the largest finite number: no rule may make the scale NaN";
  rows.push_back(std::move(row));
}

std::vector<noted_row> scale_rows_of(const mx::block_format& f, number_type type) {
  std::vector<noted_row> rows;
  for (int byte = 0; byte < 255; ++byte) add_row_of_byte(rows, f, type, byte);
  add_rows_of_bounds(rows, f, type);
  add_rows_of_bands(rows, f, type);
  add_row_of_the_largest(rows, f, type);
  return rows;
}

}  // namespace

pack_contents scale_pack() {
  pack_contents pack;
  add_power_of_two_formats(pack, scale_rows_of);
  return pack;
}

}  // namespace golden::packs
