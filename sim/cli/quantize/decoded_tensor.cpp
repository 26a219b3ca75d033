// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/decoded_tensor.cpp: turns stored arrays into the core's order, and calls it.
#include "sim/cli/quantize/decoded_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "mx/bulk_corrected.h"
#include "sim/cli/rules/variant_choice.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

void expect_narrow_codes(const io::tensor& codes, int width) {
  if (width >= 8) return;
  const auto limit = static_cast<std::uint8_t>(1U << width);
  const auto wide = std::find_if(codes.bytes.begin(), codes.bytes.end(),
                                 [limit](std::uint8_t code) { return code >= limit; });
  if (wide == codes.bytes.end()) return;
  throw io::file_error(codes.source, codes.name,
                       fmt::format("element {} is {}; expected codes of {} bits, 0 to {}",
                                   wide - codes.bytes.begin(), *wide, width, limit - 1));
}

/// Bytes of the file as they are, or a copy in another order.
struct ordered_bytes {
  byte_buffer copy;
  const std::uint8_t* data = nullptr;
};

/// Codes in a packing of the core: low nibbles first, or one a byte.
ordered_bytes codes_of(const coded_source& s, const mx::block_format& f, const io::tensor& codes,
                       std::uint64_t padded, mx::code_packing wanted) {
  const bool halved = is_halved(f, s.how.codes);
  if (!halved) expect_narrow_codes(codes, f.element.width());
  const bool kept = !halved || (wanted == mx::code_packing::packed &&
                                s.how.codes.order == mx::nibble_order::low_first);
  if (kept) return {{}, codes.bytes.data()};
  const mx::blocked_shape& shape = s.t.shape;
  const std::uint64_t outer = shape.outer * shape.rows;
  ordered_bytes result{byte_buffer(outer * padded * shape.inner), nullptr};
  unpack_codes(s.how.codes.order, f.columns, codes.bytes.data(), outer, padded, shape.inner,
               result.copy.data());
  result.data = result.copy.data();
  return result;
}

ordered_bytes scales_of(const coded_source& s, const mx::block_format& f, const io::tensor& scales,
                        std::uint64_t blocks_along) {
  if (s.how.layout == mx::scale_layout::linear) return {{}, scales.bytes.data()};
  const scale_matrices m = matrices_of(scales_shape(s.t, f, blocks_along));
  ordered_bytes result{byte_buffer(m.count * m.rows * m.columns), nullptr};
  restore_scales(s.how.layout, scales.bytes.data(), m.count, m.rows, m.columns, result.copy.data());
  result.data = result.copy.data();
  return result;
}

std::vector<float> floats_of(const io::tensor* t) {
  if (t == nullptr) return {};
  std::vector<float> values(t->bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), t->bytes.data(), t->bytes.size());
  return values;
}

/// The packing that the core is given.
mx::code_packing core_packing(const coded_source& s, const chosen_rules& rules) {
  const bool same = s.how.codes.order == mx::nibble_order::low_first && rules.variant == nullptr;
  return same ? s.how.codes.packing : mx::code_packing::unpacked;
}

void expect_possible_factors(const io::tensor& stored, const mx::corrections& c,
                             const mx::coded_pass& pass) {
  const std::optional<std::uint64_t> at = mx::impossible_factor(c, pass);
  if (!at) return;
  throw io::file_error(
      stored.source, stored.name,
      fmt::format("element {} is {}; expected factors of {} bits, 0 to {}", *at,
                  pass.macro_fractions[*at], c.macro_bits, (1 << c.macro_bits) - 1));
}

mx::coded_pass pass_of(const coded_source& s, const chosen_rules& rules,
                       const mx::blocked_shape& padded, const coded_arrays& a) {
  const mx::block_format& f = rules.format();
  const mx::code_packing packing = core_packing(s, rules);
  const mx::blocked_sizes sizes = mx::sizes_of(f, padded, packing);
  const ordered_bytes codes = codes_of(s, f, *a.codes, padded.length, packing);
  const ordered_bytes scales = scales_of(s, f, *a.scales, sizes.blocks_along);
  mx::coded_pass pass{{codes.data, codes.data + sizes.code_bytes},
                      {scales.data, scales.data + sizes.scale_bytes()},
                      {}};
  if (a.macro_fractions == nullptr) return pass;
  const mx::corrections& c = rules.spelled.corrections;
  pass.macro_fractions = mx::fractions_in(c, a.macro_fractions->bytes);
  expect_possible_factors(*a.macro_fractions, c, pass);
  return pass;
}

void decode_corrected(const coded_source& s, const chosen_rules& rules, float* x,
                      const mx::blocks_done& done) {
  const mx::corrections& c = rules.spelled.corrections;
  mx::corrected_tensor coded;
  coded.shape = mx::padded_shape(rules.quantizer(), c, s.t.shape);
  coded.packing = core_packing(s, rules);
  coded.first = pass_of(s, rules, coded.shape, s.first);
  if (c.has_residual()) coded.residual = pass_of(s, rules, coded.shape, s.residual);
  coded.tensor_scales = floats_of(s.tensor_scale);
  mx::dequantize_corrected(rules.quantizer(), c, coded, s.t.shape, x, done);
}

void decode_plainly(const coded_source& s, const chosen_rules& rules, float* x,
                    const mx::blocks_done& done) {
  const mx::block_format& f = rules.format();
  const mx::code_packing packing = core_packing(s, rules);
  const mx::blocked_sizes sizes = mx::sizes_of(f, s.t.shape, packing);
  const std::uint64_t padded = sizes.blocks_along * static_cast<std::uint64_t>(f.columns);
  const ordered_bytes codes = codes_of(s, f, *s.first.codes, padded, packing);
  const ordered_bytes scales = scales_of(s, f, *s.first.scales, sizes.blocks_along);
  const std::vector<float> above = floats_of(s.tensor_scale);
  if (rules.variant == nullptr) {
    mx::dequantize_tensor(f, {codes.data, scales.data, above.data(), packing}, s.t.shape, x, done);
    return;
  }
  std::vector<mx::variant_tensor_scale> tensor;
  for (const float amax : floats_of(s.tensor_amax)) tensor.push_back({amax, 1});
  dequantize_by_variant(*rules.variant, f, codes.data, scales.data, s.t.shape, tensor.data(), x,
                        done);
}

}  // namespace

byte_buffer decoded(const coded_source& source, const chosen_rules& rules, progress_bar& bar) {
  byte_buffer values(source.t.shape.elements() * sizeof(float));
  if (source.t.shape.elements() == 0) return values;
  // An array of bytes made by new is aligned for any number.
  auto* x = reinterpret_cast<float*>(values.data());
  const mx::blocks_done done = [&bar](std::uint64_t blocks) { bar.advance(blocks); };
  if (rules.spelled.corrections == mx::corrections{}) {
    decode_plainly(source, rules, x, done);
  } else {
    decode_corrected(source, rules, x, done);
  }
  return values;
}

ordered_codes ordered(const coded_source& source, const chosen_rules& rules) {
  const mx::block_format& f = rules.format();
  const mx::blocked_sizes sizes = mx::sizes_of(f, source.t.shape, mx::code_packing::unpacked);
  const std::uint64_t padded = sizes.blocks_along * static_cast<std::uint64_t>(f.columns);
  const ordered_bytes codes =
      codes_of(source, f, *source.first.codes, padded, mx::code_packing::unpacked);
  const ordered_bytes scales = scales_of(source, f, *source.first.scales, sizes.blocks_along);
  ordered_codes result{byte_buffer(sizes.code_bytes), byte_buffer(sizes.scale_bytes())};
  std::copy_n(codes.data, sizes.code_bytes, result.codes.data());
  std::copy_n(scales.data, sizes.scale_bytes(), result.scales.data());
  return result;
}

}  // namespace sim::cli
