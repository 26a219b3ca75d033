// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/tile_mismatch.cpp: the full report of a difference between two tensor cores.
#include "mx/dot/dot.h"
#include "mx/dot/models.h"
#include "rtl_models/cosim/number_text.h"
#include "rtl_models/cosim/scoreboard.h"

namespace hardware {
namespace {

/// Codes of a line in order.
std::string line(const std::uint8_t* codes, int count, int digits) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (digits > 1 ? " " : "") + hex(codes[i], digits);
  return text;
}

std::string term(const std::string& name, const mx::term_record& of) {
  std::string text = "    " + name + ": " + number(of.exact) + ", aligned by exponent " +
                     std::to_string(of.exponent) + ": " + number(of.aligned);
  if (!of.lost.is_zero()) text += ", lost " + number(of.lost);
  return text + "\n";
}

std::string steps_of(const mx::step_record& step) {
  std::string text = "  emulator: no window\n";
  if (step.largest_exponent != mx::no_exponent) {
    text = "  emulator: largest exponent " + std::to_string(step.largest_exponent) +
           ", last bit of the window 2^" + std::to_string(step.window_unit) + "\n";
  }
  for (int i = 0; i < step.count; ++i) text += term("group " + std::to_string(i), step.terms[i]);
  if (step.why != mx::loss::special) text += term("C", step.addend);
  return text + "    sum " + number(step.sum) + ", cut off " + number(step.discarded) +
         ", result " + hex(step.result, 8) + "\n";
}

/// Operands of an element, and the emulator's internal steps.
std::string element_text(const tile& operands, int element) {
  constexpr mx::dot_model model = mx::model_named("blackwell.mxf4")->model;
  const int i = element / tile_shape::n, j = element % tile_shape::n;
  const std::uint8_t* a = operands.a.data() + i * tile_shape::k;
  const std::uint8_t* b = operands.b.data() + j * tile_shape::k;
  const std::uint8_t* scale_a = operands.scale_a.data() + i * tile_shape::blocks;
  const std::uint8_t* scale_b = operands.scale_b.data() + j * tile_shape::blocks;
  const std::uint32_t c = operands.c[static_cast<std::size_t>(element)];
  mx::step_observer observer;
  const auto dot = mx::dot_observed(
      model, mx::dot_operand<std::uint8_t, std::uint8_t>{{a}, {scale_a}},
      mx::dot_operand<std::uint8_t, std::uint8_t>{{b}, {scale_b}}, tile_shape::k, c, observer);
  return "emulator " + hex(dot, 8) + "\n  A " + line(a, tile_shape::k, 1) + ", scales" +
         line(scale_a, tile_shape::blocks, 2) + "\n  B " + line(b, tile_shape::k, 1) + ", scales" +
         line(scale_b, tile_shape::blocks, 2) + "\n  C " + hex(c, 8) + "\n" +
         steps_of(observer.record);
}

}  // namespace

std::string scoreboard::replay(std::uint32_t number) const {
  return "  replay: " + around_.replay + " --first " + std::to_string(number) + " --tiles 1\n";
}

std::string scoreboard::difference(const entry& oldest) const {
  for (int i = 0; i < tile_shape::elements; ++i) {
    const std::uint32_t left = (*oldest.left)[static_cast<std::size_t>(i)];
    const std::uint32_t right = (*oldest.right)[static_cast<std::size_t>(i)];
    if (left == right) continue;
    return "tile " + std::to_string(oldest.number) + ", row " + std::to_string(i / tile_shape::n) +
           ", column " + std::to_string(i % tile_shape::n) + ": " + left_.label() + " " +
           hex(left, 8) + ", " + right_.label() + " " + hex(right, 8) + ", " +
           element_text(oldest.operands, i) + replay(oldest.number);
  }
  return "";
}

}  // namespace hardware
