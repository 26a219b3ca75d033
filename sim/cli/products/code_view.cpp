// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/code_view.cpp: codes of a tensor as numbers, and whether they are valid for
// their format.
#include "sim/cli/products/code_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "mx/number/formats.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

io::dtype container_of(const mx::format& f) {
  if (f.width() <= 8) return io::dtype::u8;
  return f.width() <= 16 ? io::dtype::u16 : io::dtype::u32;
}

/// The format of a file's type; no value where the type is only a width.
const mx::format* format_of(io::dtype type) {
  switch (type) {
    case io::dtype::f4:
      return &mx::formats::e2m1;
    case io::dtype::f8_e4m3:
      return &mx::formats::e4m3;
    case io::dtype::f8_e5m2:
      return &mx::formats::e5m2;
    case io::dtype::f8_e8m0:
      return &mx::formats::e8m0;
    case io::dtype::f16:
      return &mx::formats::binary16;
    case io::dtype::bf16:
      return &mx::formats::bfloat16;
    case io::dtype::f32:
      return &mx::formats::binary32;
    default:
      return nullptr;
  }
}

bool holds(const io::tensor& t, const mx::format& f) {
  if (t.type == container_of(f)) return true;
  // TF32 occupies the upper bits of FP32.
  if (f == mx::formats::tf32) return t.type == io::dtype::f32;
  const mx::format* own = format_of(t.type);
  return own != nullptr && *own == f;
}

}  // namespace

code_view::code_view(const io::tensor& t) : first_(t.bytes.data()), bits_(io::bits_of(t.type)) {}

std::uint32_t code_view::operator[](std::uint64_t i) const {
  if (bits_ == 4) return first_[i / 2] >> (i % 2 * 4) & 15U;
  if (bits_ == 8) return first_[i];
  std::uint32_t code = 0;
  const unsigned bytes = bits_ / 8;
  for (unsigned k = 0; k < bytes; ++k) {
    code |= static_cast<std::uint32_t>(first_[i * bytes + k]) << (8 * k);
  }
  return code;
}

std::uint64_t code_view::first_above(std::uint32_t largest, std::uint64_t first,
                                     std::uint64_t count) const {
  const std::uint64_t end = first + count;
  // Bytes are checked many at a time: most files have no such code.
  constexpr std::uint64_t stride = 4096;
  while (bits_ == 8 && end - first >= stride) {
    std::uint8_t top = 0;
    for (std::uint64_t i = first; i < first + stride; ++i) top = std::max(top, first_[i]);
    if (top > largest) break;
    first += stride;
  }
  while (first < end && (*this)[first] <= largest) ++first;
  return first;
}

void expect_codes_of(const io::tensor& t, const mx::format& f, const std::string& name) {
  if (holds(t, f)) return;
  throw io::file_error(t.source, t.name,
                       fmt::format("is {}; expected {} with codes of {}", io::name_of(t.type),
                                   io::name_of(container_of(f)), name));
}

void expect_narrow(const io::tensor& t, std::uint64_t count, const mx::format& f,
                   const std::string& name) {
  const auto width = static_cast<unsigned>(f.width());
  if (width >= io::bits_of(t.type) || f == mx::formats::tf32) return;
  const code_view codes(t);
  const std::uint32_t largest = (1U << width) - 1;
  const std::uint64_t wrong = codes.first_above(largest, 0, count);
  if (wrong == count) return;
  throw io::file_error(t.source, t.name,
                       fmt::format("element {} is {}; expected codes of {}, 0 to {}", wrong,
                                   codes[wrong], name, largest));
}

}  // namespace sim::cli
