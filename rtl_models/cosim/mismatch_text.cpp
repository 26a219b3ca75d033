// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/mismatch_text.cpp: a difference between two tensor cores, told in full.
#include <cstdio>

#include "mx/dot.h"
#include "mx/models.h"
#include "rtl_models/cosim/scoreboard.h"

namespace hardware {
namespace {

std::string hex(std::uint32_t bits, int digits) {
  char text[16];
  std::snprintf(text, sizeof text, "%0*x", digits, static_cast<unsigned>(bits));
  return text;
}

/// Codes of a line, the first of them first.
std::string line(const std::uint8_t* codes, int count, int digits) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (digits > 1 ? " " : "") + hex(codes[i], digits);
  return text;
}

std::string number(const mx::unpacked& value) {
  const std::string sign = value.negative ? "-" : "+";
  if (value.kind == mx::kind::nan) return "NaN";
  if (value.kind == mx::kind::infinite) return sign + "Inf";
  if (value.is_zero()) return sign + "0";
  return sign + std::to_string(value.significand) + " * 2^" + std::to_string(value.exponent);
}

std::string term(const std::string& name, const mx::term_record& of) {
  std::string text = "    " + name + ": " + number(of.exact) + ", aligned by exponent " +
                     std::to_string(of.exponent) + ": " + number(of.aligned);
  if (!of.lost.is_zero()) text += ", lost " + number(of.lost);
  return text + "\n";
}

std::string steps_of(const mx::step_record& step) {
  std::string text = "  emulator: largest exponent " + std::to_string(step.largest_exponent) +
                     ", last bit of the window 2^" + std::to_string(step.window_unit) + "\n";
  for (int i = 0; i < step.count; ++i) text += term("group " + std::to_string(i), step.terms[i]);
  text += term("C", step.addend);
  return text + "    sum " + number(step.sum) + ", cut off " + number(step.discarded) +
         ", result " + hex(step.result, 8) + "\n";
}

}  // namespace

std::string mismatch_text(const mismatch_place& place, const tile& operands,
                          const std::string& left, std::uint32_t left_bits,
                          const std::string& right, std::uint32_t right_bits) {
  constexpr mx::dot_model model = mx::model_named("blackwell.mxf4")->model;
  const int i = place.element / tile_shape::n, j = place.element % tile_shape::n;
  const std::uint8_t* a = operands.a.data() + i * tile_shape::k;
  const std::uint8_t* b = operands.b.data() + j * tile_shape::k;
  const std::uint8_t* scale_a = operands.scale_a.data() + i * tile_shape::blocks;
  const std::uint8_t* scale_b = operands.scale_b.data() + j * tile_shape::blocks;
  const std::uint32_t c = operands.c[static_cast<std::size_t>(place.element)];
  mx::step_observer observer;
  const auto dot = mx::dot_observed(
      model, mx::dot_operand<std::uint8_t, std::uint8_t>{{a}, {scale_a}},
      mx::dot_operand<std::uint8_t, std::uint8_t>{{b}, {scale_b}}, tile_shape::k, c, observer);
  const std::string tile_number = std::to_string(place.tile_number);
  return "tile " + tile_number + ", row " + std::to_string(i) + ", column " + std::to_string(j) +
         ": " + left + " " + hex(left_bits, 8) + ", " + right + " " + hex(right_bits, 8) +
         ", emulator " + hex(dot, 8) + "\n  A " + line(a, tile_shape::k, 1) + ", scales" +
         line(scale_a, tile_shape::blocks, 2) + "\n  B " + line(b, tile_shape::k, 1) + ", scales" +
         line(scale_b, tile_shape::blocks, 2) + "\n  C " + hex(c, 8) + "\n" +
         steps_of(observer.record) + "  replay: " + place.replay + " --first " + tile_number +
         " --tiles 1\n";
}

}  // namespace hardware
