// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/code_view.cpp: codes of a tensor as numbers, and whether they are valid for
// their format.
#include "sim/cli/products/code_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "mx/number/formats.h"
#include "mx/tensor/parallel.h"
#include "sim/cli/terminal/input_tensor.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

bool holds(const io::tensor& t, const mx::format& f) {
  if (t.type == container_of(f)) return true;
  // TF32 occupies the upper bits of FP32.
  if (f == mx::formats::tf32) return t.type == io::dtype::f32;
  if (t.type == io::dtype::f8_e8m0) return f == mx::formats::e8m0;
  return format_of(t.type) == f;
}

/// Whether a byte has one of these bits; eight bytes at a time.
bool has_bits(const std::uint8_t* first, const std::uint8_t* end, std::uint32_t bits) {
  std::uint64_t all = 0, eight = 0;
  for (; end - first >= 8; first += 8) {
    std::memcpy(&eight, first, 8);
    all |= eight;
  }
  for (; first < end; ++first) all |= *first;
  return (all & (bits & 0xFF) * std::uint64_t{0x0101010101010101}) != 0;
}

}  // namespace

io::dtype container_of(const mx::format& f) {
  if (f.width() <= 8) return io::dtype::u8;
  return f.width() <= 16 ? io::dtype::u16 : io::dtype::u32;
}

std::optional<mx::format> format_of(io::dtype type) {
  switch (type) {
    case io::dtype::f4:
      return mx::formats::e2m1;
    case io::dtype::f8_e4m3:
      return mx::formats::e4m3;
    case io::dtype::f8_e5m2:
      return mx::formats::e5m2;
    case io::dtype::f16:
      return mx::formats::binary16;
    case io::dtype::bf16:
      return mx::formats::bfloat16;
    case io::dtype::f32:
      return mx::formats::binary32;
    default:
      return {};
  }
}

io::dtype type_of(const mx::format& f) {
  using namespace mx::formats;  // NOLINT(google-build-using-namespace)
  if (f == binary32 || f == tf32) return io::dtype::f32;
  if (f == binary16) return io::dtype::f16;
  if (f == bfloat16) return io::dtype::bf16;
  if (f == e4m3) return io::dtype::f8_e4m3;
  return f == e5m2 ? io::dtype::f8_e5m2 : io::dtype::u8;
}

io::byte_buffer code_bytes(std::span<const std::uint32_t> codes, io::dtype type) {
  const unsigned width = io::bits_of(type) / 8;
  io::byte_buffer bytes(codes.size() * width);
  if (width == sizeof(std::uint32_t)) {
    if (!codes.empty()) std::memcpy(bytes.data(), codes.data(), codes.size_bytes());
    return bytes;
  }
  std::uint8_t* out = bytes.data();
  for (const std::uint32_t code : codes) {
    for (unsigned k = 0; k < width; ++k) *out++ = static_cast<std::uint8_t>(code >> 8 * k);
  }
  return bytes;
}

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

std::uint64_t code_view::first_wider(unsigned width, std::uint64_t first, std::uint64_t end) const {
  if (bits_ == 8 && !has_bits(first_ + first, first_ + end, 0xFFU << width)) return end;
  while (first < end && (*this)[first] >> width == 0) ++first;
  return first;
}

std::uint64_t code_view::first_wider(unsigned width, std::uint64_t count) const {
  constexpr std::uint64_t codes_a_task = std::uint64_t{1} << 20;
  return mx::joined_in_parallel(
      {0, count}, codes_a_task, count,
      [&](mx::index_range part) {
        const std::uint64_t wide = first_wider(width, part.first, part.last);
        return wide == part.last ? count : wide;
      },
      [](std::uint64_t x, std::uint64_t y) { return std::min(x, y); });
}

void expect_codes_of(const io::tensor& t, const mx::format& f, const std::string& name) {
  if (holds(t, f)) return;
  const io::dtype own = type_of(f), container = container_of(f);
  const std::string numbers = own == container ? "" : fmt::format("{} or ", io::name_of(own));
  refuse_tensor(t, "is {}; expected {}{} with codes of {}", io::name_of(t.type), numbers,
                io::name_of(container), name);
}

void expect_narrow(const io::tensor& t, std::uint64_t count, const mx::format& f,
                   const std::string& name) {
  const auto width = static_cast<unsigned>(f.width());
  if (width >= io::bits_of(t.type) || f == mx::formats::tf32) return;
  const code_view codes(t);
  const std::uint64_t wrong = codes.first_wider(width, count);
  if (wrong == count) return;
  refuse_tensor(t, "element {} is {}; expected codes of {}, 0 to {}", wrong, codes[wrong], name,
                (1U << width) - 1);
}

}  // namespace sim::cli
