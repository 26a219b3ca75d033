// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/known_operands.cpp: operands of four states.
#include "rtl_models/dpi/known_operands.h"

#include "rtl_models/dpi/dpi_refusal.h"

namespace hardware {
namespace {

[[noreturn]] void refuse(dpi_context& context, const logic_operand& operand, int element,
                         const unknown_bit& found) {
  ++context.unknown.count;
  context.unknown.operand = operand.number;
  context.unknown.element = static_cast<unsigned>(element);
  context.unknown.place = static_cast<unsigned>(found.place);
  std::string text = operand.name;
  if (operand.count > 1) text += "[" + std::to_string(element) + "]";
  throw dpi_refusal(mx_dpi_unknown_bits,
                    text + " has " + found.state + " at bit " + std::to_string(found.place));
}

}  // namespace

std::vector<svBitVecVal> known_bits_of(dpi_context& context, const logic_operand& operand) {
  const int words = words_of_bits(operand.bits);
  std::vector<svBitVecVal> known;
  for (int element = 0; element < operand.count; ++element) {
    const svLogicVecVal* const first = operand.words + element * words;
    if (const auto found = unknown_of(first, operand.read)) {
      refuse(context, operand, element, *found);
    }
    for (int i = 0; i < words; ++i) known.push_back(first[i].aval);
  }
  return known;
}

void write_known(const svBitVecVal* result, int bits, svLogicVecVal* out) {
  for (int i = 0; i < words_of_bits(bits); ++i) out[i] = {result[i], 0};
}

}  // namespace hardware
