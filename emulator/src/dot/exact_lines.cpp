// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/exact_lines.cpp: common units and magnitudes of the numbers of a factor's lines.
#include "dot/exact_lines.h"

#include <algorithm>
#include <bit>

#include "mx/tensor/parallel.h"

namespace mx {
namespace {

/// Widest formats whose numbers are stored in a table.
constexpr int table_bits = 16;

}  // namespace

exact_numbers::exact_numbers(const dot_model& model, const format& f) : model_(model), format_(f) {
  if (f.width() + model.unread_bits <= table_bits) {
    elements_.resize(std::size_t{1} << (f.width() + model.unread_bits));
    for (std::uint32_t code = 0; code < elements_.size(); ++code) {
      elements_[code] = number_of(factor_of(model, f, code));
    }
  }
  if (model.block == 0) return;
  for (std::uint32_t code = 0; code < 256; ++code) {
    scales_.push_back(number_of(factor_of(model.scale, code)));
  }
}

exact_numbers::number exact_numbers::number_of(const factor& x) {
  number n;
  n.is_special = x.value.is_special();
  if (n.is_special || x.value.is_zero()) return n;
  const int zeros = std::countr_zero(x.value.significand);
  n.significand = static_cast<std::uint32_t>(x.value.significand >> zeros);
  n.exponent = x.value.exponent + zeros;
  n.read = std::max(x.exponent, x.value.floor_log2());
  n.value = to_binary32(x.value);
  return n;
}

exact_lines::exact_lines(const exact_numbers& numbers, const gemm_operand& from, std::int64_t lines,
                         std::int64_t k)
    : numbers_(numbers), from_(from), k_(k), lines_(static_cast<std::size_t>(lines)) {
  for_each_in_parallel(lines,
                       [&](std::int64_t i) { lines_[static_cast<std::size_t>(i)] = line_of(i); });
}

std::uint32_t exact_lines::code_at(std::int64_t line, std::int64_t k) const {
  const auto* bytes = static_cast<const std::uint8_t*>(from_.codes) + line * from_.line_bytes;
  switch (from_.storage) {
    case code_storage::pairs:
      return bytes[k / 2] >> (k % 2 * 4) & 15U;
    case code_storage::bytes:
      return bytes[k];
    case code_storage::halves:
      return reinterpret_cast<const std::uint16_t*>(bytes)[k];
    case code_storage::words:
      break;
  }
  return reinterpret_cast<const std::uint32_t*>(bytes)[k];
}

const exact_lines::number& exact_lines::scale_at(std::int64_t line, std::int64_t k) const {
  static constexpr number one{1, 0, 0, false, 1};
  const int block = numbers_.model().block;
  if (block == 0) return one;
  return numbers_.scale(from_.scales[line * ((k_ + block - 1) / block) + k / block]);
}

/// Calls work(k, element, scale) for a part of a line.
template <class Work>
void exact_lines::visit(std::int64_t line, std::int64_t first, std::int64_t last,
                        const Work& work) const {
  const std::int64_t block = numbers_.model().block > 0 ? numbers_.model().block : k_;
  for (std::int64_t begin = first; begin < last;) {
    const std::int64_t end = std::min((begin / block + 1) * block, last);
    const number scale = scale_at(line, begin);
    for (std::int64_t k = begin; k < end; ++k) work(k, numbers_.element(code_at(line, k)), scale);
    begin = end;
  }
}

exact_line exact_lines::line_of(std::int64_t line) const {
  exact_line all;
  all.unit = 1 << 20;
  const bool grouped = numbers_.model().sum.group > 1;
  bool special = false;
  int top = no_exponent;
  visit(line, 0, k_, [&](std::int64_t, const number& x, const number& scale) {
    special = special || x.is_special || scale.is_special;
    all.exponent = std::max(all.exponent, scale.read + (grouped ? 0 : x.read));
    if (x.significand == 0 || scale.significand == 0) return;
    const std::uint64_t significand = std::uint64_t{x.significand} * scale.significand;
    const int exponent = x.exponent + scale.exponent;
    all.unit = std::min(all.unit, exponent);
    top = std::max(top, exponent + bit_width(significand) - 1);
    all.exponent = std::max(all.exponent, top);
  });
  using formats::binary32;
  const bool fits = top != no_exponent && top - all.unit < 24 && all.unit >= binary32.emin() &&
                    top <= binary32.emax();
  if (special || !fits) return all;
  visit(line, 0, k_, [&](std::int64_t, const number& x, const number& scale) {
    if (x.significand == 0 || scale.significand == 0) return;
    const std::uint64_t size = std::uint64_t{x.significand} * scale.significand
                               << (x.exponent + scale.exponent - all.unit);
    all.largest = std::max(all.largest, size);
    all.sum += size;
  });
  all.is_number = true;
  return all;
}

void exact_lines::copy(std::int64_t line, std::int64_t first, std::int64_t count,
                       float* out) const {
  // Both factors and the product are numbers of binary32: nothing is rounded.
  visit(line, first, first + count, [&](std::int64_t k, const number& x, const number& scale) {
    out[k - first] = x.value * scale.value;
  });
}

}  // namespace mx
