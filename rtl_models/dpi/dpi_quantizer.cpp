// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/dpi_quantizer.cpp: blocks of MXFP4.
#include "mx/number/formats.h"
#include "rtl_models/dpi/dpi_refusal.h"
#include "rtl_models/dpi/known_operands.h"

using hardware::clear_all, hardware::dpi_context, hardware::guarded, hardware::quantizer_output,
    hardware::require_all;

namespace {

constexpr int code_width = mx::formats::e2m1.width();
constexpr int codes_words = hardware::words_of_bits(mx_dpi_block * code_width);

void write(const quantizer_output& from, svBitVecVal* codes) {
  if (codes == nullptr) return;
  for (int i = 0; i < codes_words; ++i) codes[i] = 0;
  int lowest = 0;
  for (const std::uint8_t code : from.codes) {
    hardware::set_field(codes, lowest, code);
    lowest += code_width;
  }
}

}  // namespace

int mx_dpi_quantizer_select(void* handle, const char* format_in, const char* format_scale,
                            unsigned int random_bits) {
  return guarded(handle, [&](dpi_context& context) {
    require_all(format_in, format_scale);
    context.quantizer.select(format_in, format_scale, random_bits);
  });
}

int mx_dpi_quantize(void* handle, const svBitVecVal* x, int rule, int rounding,
                    const svBitVecVal* random, unsigned int factor, int deadzone,
                    svBitVecVal* codes, svBitVecVal* scale, svBit* special, svBitVecVal* kept) {
  write({}, codes);
  clear_all(scale, special, kept);
  return guarded(handle, [&](const dpi_context& context) {
    require_all(x, random, codes, scale, special, kept);
    const quantizer_output made =
        context.quantizer.quantize({x, rule, rounding, random, factor, deadzone});
    write(made, codes);
    *scale = made.scale;
    *special = made.special ? 1 : 0;
    *kept = made.kept;
  });
}

int mx_dpi_quantize_logic(void* handle, const svLogicVecVal* x, int rule, int rounding,
                          const svLogicVecVal* random, unsigned int factor, int deadzone,
                          svLogicVecVal* codes, svLogicVecVal* scale, svLogic* special,
                          svLogicVecVal* kept) {
  if (codes != nullptr) hardware::make_unknown(codes, mx_dpi_block * code_width);
  for (svLogicVecVal* word : {scale, kept}) {
    if (word != nullptr) hardware::make_unknown(word, 32);
  }
  if (special != nullptr) *special = sv_x;
  return guarded(handle, [&](dpi_context& context) {
    require_all(x, random, codes, scale, special, kept);
    const auto known_x = known_bits_of(
        context, {mx_dpi_operand_x, "x", x, 1, mx_dpi_input_bits, context.quantizer.input_bits()});
    const auto known_random =
        known_bits_of(context, {mx_dpi_operand_random, "random", random, 1, mx_dpi_random_bits,
                                context.quantizer.random_bits(rounding)});
    const quantizer_output made = context.quantizer.quantize(
        {known_x.data(), rule, rounding, known_random.data(), factor, deadzone});
    svBitVecVal words[codes_words];
    write(made, words);
    hardware::write_known(words, mx_dpi_block * code_width, codes);
    hardware::write_known(&made.scale, 32, scale);
    hardware::write_known(&made.kept, 32, kept);
    *special = made.special ? sv_1 : sv_0;
  });
}
