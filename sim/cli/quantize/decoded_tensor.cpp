// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/decoded_tensor.cpp: the values of stored arrays, and their codes in linear
// order.
#include "sim/cli/quantize/decoded_tensor.h"

#include <fmt/format.h>

#include "sim/cli/terminal/input_tensor.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

const std::uint8_t* bytes_of(const io::tensor* t) {
  return t == nullptr ? nullptr : t->bytes.data();
}

mx::pass_arrays<const std::uint8_t> places_of(const stored_pass& p) {
  return {bytes_of(p.codes), bytes_of(p.scales), bytes_of(p.macro_fractions)};
}

/// Refuses numbers with more bits than their format.
void expect_narrow(const coded_source& s, const stored_pass& p) {
  const auto flaw = mx::flaw_of(s.recipe, s.shape, places_of(p));
  if (!flaw) return;
  const bool of_code = flaw->what == mx::wide_number::code;
  // An array with a flaw is there. NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
  const io::tensor& array = of_code ? *p.codes : *p.macro_fractions;
  refuse_tensor(array, "element {} is {}; expected {} of {} bits, 0 to {}", flaw->index,
                flaw->value, of_code ? "codes" : "factors", flaw->bits, (1 << flaw->bits) - 1);
}

}  // namespace

io::byte_buffer decoded(const coded_source& source, progress_bar& bar) {
  io::byte_buffer values(source.shape.blocks.elements() * sizeof(float));
  if (source.shape.blocks.elements() == 0) return values;
  expect_narrow(source, source.first);
  if (source.recipe.corrections.has_residual()) expect_narrow(source, source.residual);
  mx::constant_coded_arrays in{places_of(source.first), places_of(source.residual),
                               bytes_of(source.tensor_scale), bytes_of(source.tensor_amax)};
  // An array of bytes from new is aligned for any number.
  mx::dequantize_tensor(source.recipe, source.shape, in, reinterpret_cast<float*>(values.data()),
                        [&bar](std::uint64_t blocks) { bar.advance(blocks); });
  return values;
}

ordered_codes ordered(const coded_source& source) {
  expect_narrow(source, source.first);
  ordered_codes result{io::byte_buffer(source.shape.sizes.code_bytes),
                       io::byte_buffer(source.shape.sizes.scale_bytes())};
  mx::load_pass(source.recipe, source.shape, places_of(source.first), result.codes.data(),
                result.scales.data());
  return result;
}

}  // namespace sim::cli
