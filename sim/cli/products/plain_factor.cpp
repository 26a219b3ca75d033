// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/plain_factor.cpp: factors of elements without scales: codes unchanged, or
// numbers rounded to the model's format.
#include <fmt/format.h>

#include <algorithm>

#include "golden/io/widen.h"
#include "mx/block/names.h"
#include "mx/number/element.h"
#include "mx/spelling.h"
#include "sim/cli/products/code_view.h"
#include "sim/cli/products/gemm_factor.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/named_option.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

mx::format element_of(const io::tensor& t, const factor_request& r) {
  const auto own = format_of(t.type);
  if (r.model.operands == mx::operands::any) {
    if (own) return *own;
    refuse_tensor(t, "is {}; expected F32, F16, BF16, F8_E4M3, F8_E5M2 or F4 with --format none",
                  io::name_of(t.type));
  }
  const mx::format& f = r.side == factor_side::a ? r.model.model.a : r.model.model.b;
  // Such instructions accept A and B of two formats; a file's FP8 and FP4 are not rounded again.
  const bool narrow = own && own->width() <= 8;
  return narrow && refusal_of(r.model, f, *own).empty() ? *own : f;
}

mx::rounding rounding_of(const factor_request& r) {
  const rule_options& o = r.rules;
  const bool blocks = o.format && *o.format != "none";
  if (blocks || o.scale_rule || o.variant) {
    throw usage_error(
        "{} multiplies elements without scales; leave --format, --scale-rule and --variant out",
        r.model.name);
  }
  const mx::rounding how = option_named(mx::rounding_table, "rounding", "--rounding",
                                        o.rounding.value_or("nearest-even"));
  if (how != mx::rounding::stochastic) return how;
  throw usage_error(
      "--rounding stochastic: unsupported for elements without scales; choose another");
}

/// Refuses numbers without a code in the format: NaN, and Inf, where unsupported.
void expect_code(const io::tensor& t, std::size_t i, const mx::unpacked& x, const mx::format& f) {
  const bool infinite = x.kind == mx::kind::infinite && f.specials != mx::specials::ieee;
  const bool nan = x.kind == mx::kind::nan && !f.has_nan();
  if (!infinite && !nan) return;
  refuse_tensor(t, "element {} is {}, which {} cannot hold", i, infinite ? "Inf" : "NaN",
                number_format_name(f));
}

unsigned bytes_of(mx::code_storage storage) {
  return storage == mx::code_storage::bytes ? 1 : (storage == mx::code_storage::halves ? 2 : 4);
}

/// Rounds numbers to codes once. Up to 8 bits finite ones saturate, as in quantizing; wider formats
/// overflow to Inf, as in conversions.
io::byte_buffer converted(const io::tensor& t, const mx::format& f, mx::code_storage storage,
                          mx::rounding how) {
  const std::vector<float> numbers = io::to_float32(t);
  const bool saturates = f.width() <= 8;
  const unsigned bytes = bytes_of(storage);
  io::byte_buffer codes(numbers.size() * bytes);
  std::uint8_t* out = codes.data();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const mx::unpacked x = mx::unpack(numbers[i]);
    expect_code(t, i, x, f);
    const bool kept = !saturates || x.kind == mx::kind::infinite;  // an Inf does not saturate
    const std::uint32_t code =
        mx::encode(f, x, how, kept ? mx::overflow::to_infinity : mx::overflow::saturate);
    for (unsigned k = 0; k < bytes; ++k) *out++ = static_cast<std::uint8_t>(code >> 8 * k);
  }
  return codes;
}

/// Codes unchanged; F4, stored two a byte, is unpacked to one a byte.
io::byte_buffer copied(const io::tensor& t) {
  const std::uint64_t count = *io::element_count(t.shape);
  io::byte_buffer codes(t.type == io::dtype::f4 ? count : t.bytes.size());
  if (t.type != io::dtype::f4) {
    std::ranges::copy(t.bytes, codes.data());
    return codes;
  }
  const code_view pairs(t);
  for (std::uint64_t i = 0; i < count; ++i) codes.data()[i] = static_cast<std::uint8_t>(pairs[i]);
  return codes;
}

}  // namespace

gemm_factor plain_factor(const io::tensor& t, const factor_request& r) {
  gemm_factor factor;
  const mx::rounding how = rounding_of(r);
  factor.element = element_of(t, r);
  // TF32 occupies the upper bits of FP32; the multiplier ignores the others.
  const bool tf32 = factor.element == mx::formats::tf32;
  const mx::format stored = tf32 ? mx::formats::binary32 : factor.element;
  factor.storage = stored.width() <= 8    ? mx::code_storage::bytes
                   : stored.width() <= 16 ? mx::code_storage::halves
                                          : mx::code_storage::words;
  factor.name = number_format_name(factor.element);
  const auto own = format_of(t.type);
  const bool rounded = own && own->width() > 8 && !(*own == stored);
  if (!rounded) {
    expect_codes_of(t, stored, factor.name);
    expect_narrow(t, *io::element_count(t.shape), stored, factor.name);
    factor.rules = "as they are";
  } else {
    factor.origin = factor_origin::converted;
    factor.rules = "rounded " + std::string(mx::name_in(mx::rounding_table, how));
  }
  factor.codes = rounded ? converted(t, stored, factor.storage, how) : copied(t);
  factor.k = factor.padded = r.has_k_last() ? t.shape.back() : t.shape.front();
  factor.lines = 1;
  if (t.shape.size() == 2) factor.lines = r.has_k_last() ? t.shape[0] : t.shape[1];
  if (!r.has_k_last()) {
    factor.codes =
        transposed(factor.codes.data(), factor.k, factor.lines, bytes_of(factor.storage));
  }
  factor.tensor = {t.name, t.type, t.shape, {}, t.source};
  return factor;
}

}  // namespace sim::cli
