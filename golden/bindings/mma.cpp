// SPDX-License-Identifier: Apache-2.0
// golden/bindings/mma.cpp: one instruction's tile from the caller's matrices, whatever their
// strides.
#include "mx/dot/mma.h"

#include <vector>

#include "golden/bindings/model_handle.h"

namespace bindings {
namespace {

constexpr std::uint64_t largest_tile = std::uint64_t{1} << 24;

/// Refuses strides that leave the buffer: (lines - 1, along - 1) is the furthest item.
void expect_inside(const mx_buffer& buffer, std::uint64_t lines, std::uint64_t along,
                   std::uint64_t line_stride, std::uint64_t stride, std::uint64_t bytes,
                   const char* name) {
  if (lines == 0 || along == 0) return;
  const std::uint64_t last = product(lines - 1, line_stride) + product(along - 1, stride);
  const std::uint64_t needed = product(last + 1, bytes);
  require(buffer.data != nullptr, (std::string(name) + " is null").c_str());
  if (buffer.bytes >= needed) return;
  throw refused(mx_status_bad_argument, std::string(name) + " has " + std::to_string(buffer.bytes) +
                                            " bytes; its strides lead to " +
                                            std::to_string(needed));
}

/// Items of a matrix, line by line.
template <class Item>
std::vector<Item> gathered(const mx_buffer& buffer, std::uint64_t lines, std::uint64_t along,
                           std::uint64_t line_stride, std::uint64_t stride, std::uint64_t bytes) {
  std::vector<Item> items;
  items.reserve(lines * along);
  for (std::uint64_t i = 0; i < lines; ++i) {
    for (std::uint64_t k = 0; k < along; ++k) {
      const std::uint64_t at = i * line_stride + k * stride;
      items.push_back(static_cast<Item>(code_at(buffer.data, at, bytes)));
    }
  }
  return items;
}

/// A factor, line by line.
struct tile_factor {
  std::vector<std::uint32_t> codes;
  std::vector<std::uint8_t> scales;
};

tile_factor factor_of(const mx::dot_model& m, const mx::format& f, const mx_factor& in,
                      std::uint64_t lines, std::uint64_t k, const char* name) {
  const std::uint64_t bytes = code_bytes(m, f), blocks = blocks_of(m, k);
  const std::string scales = std::string("scale_") + name;
  expect_inside(in.codes, lines, k, in.line_stride, in.k_stride, bytes, name);
  expect_inside(in.scales, lines, blocks, in.scale_line_stride, in.scale_stride, 1, scales.c_str());
  if (m.block == 0) expect_bytes(in.scales, 0, scales.c_str());
  tile_factor made{
      gathered<std::uint32_t>(in.codes, lines, k, in.line_stride, in.k_stride, bytes),
      gathered<std::uint8_t>(in.scales, lines, blocks, in.scale_line_stride, in.scale_stride, 1)};
  expect_narrow(made.codes.data(), made.codes.size(), 4, code_bits(m, f), name);
  return made;
}

void multiply(const mx::dot_model& m, const mx_tile& t) {
  require(t.m <= largest_tile && t.n <= largest_tile && t.k <= largest_tile &&
              t.m * t.k <= largest_tile && t.k * t.n <= largest_tile && t.m * t.n <= largest_tile,
          "a tile has at most 2^24 elements; use mx_model_gemm for whole products");
  const tile_factor a = factor_of(m, m.a, t.a, t.m, t.k, "a");
  const tile_factor b = factor_of(m, m.b, t.b, t.n, t.k, "b");
  expect_inside(t.c, t.m, t.n, t.c_stride, 1, 4, "c");
  expect_inside(t.d, t.m, t.n, t.d_stride, 1, 4, "d");
  require(t.m <= 1 || t.d_stride >= t.n, "d_stride: rows of D would overlap");
  std::vector<std::uint32_t> d = gathered<std::uint32_t>(t.c, t.m, t.n, t.c_stride, 1, 4);
  expect_narrow(d.data(), d.size(), 4, format_of_c(m.sum).width(), "c");
  const auto k = static_cast<int>(t.k), n = static_cast<int>(t.n);
  const std::uint8_t* no_scales = nullptr;
  const bool scaled = m.block > 0;
  mx::mma(m, {static_cast<int>(t.m), n, k},
          mx::by_lines(a.codes.data(), k, scaled ? a.scales.data() : no_scales, m.block),
          mx::by_lines(b.codes.data(), k, scaled ? b.scales.data() : no_scales, m.block),
          mx::mma_result<const std::uint32_t>{d.data(), n},
          mx::mma_result<std::uint32_t>{d.data(), n});
  for (std::uint64_t i = 0; i < t.m && t.n > 0; ++i) {
    auto* row = static_cast<unsigned char*>(t.d.data) + i * t.d_stride * 4;
    std::memcpy(row, d.data() + i * t.n, t.n * 4);
  }
}

}  // namespace
}  // namespace bindings

mx_status mx_model_mma(const mx_model* model, const mx_tile* tile, mx_error* error) {
  return bindings::guarded(
      error, [&] { bindings::multiply(bindings::model_of(model), bindings::read(tile)); });
}
