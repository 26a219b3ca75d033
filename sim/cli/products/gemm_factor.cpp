// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/gemm_factor.cpp: detects the kind of factor in a file, and what all kinds share.
#include "sim/cli/products/gemm_factor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "mx/dot/bulk_dot.h"
#include "mx/tensor/parallel.h"
#include "sim/cli/terminal/input_tensor.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

bool has_codes(const io::tensor_file& file) {
  return std::ranges::any_of(file.tensors(), [](const io::tensor& t) {
    return t.name == "codes" || t.name.ends_with(".codes");
  });
}

/// The shape of a matrix of numbers.
const char* shape_expected(const factor_request& r) {
  if (r.side == factor_side::a)
    return r.has_k_last() ? "A is (M, K), or (K)" : "A is (K, M), or (K)";
  return r.has_k_last() ? "B is (N, K), or (K)" : "B is (K, N), or (K)";
}

}  // namespace

mx::gemm_operand gemm_factor::operand() const {
  constexpr std::int64_t bytes_of[] = {1, 1, 2, 4};
  const auto line = static_cast<std::int64_t>(padded) * bytes_of[static_cast<int>(storage)];
  return {codes.data(), storage, line, block > 0 ? scales.data() : nullptr};
}

gemm_factor factor_of(const io::tensor_file& file, const factor_request& r) {
  if (has_codes(file)) return stored_factor(file, r);
  const io::tensor& t = tensor_in(file, r.side == factor_side::a ? "a" : "b");
  expect_factor_shape(t, t.shape, shape_expected(r));
  const bool of_model = r.model.operands == mx::operands::of_model;
  const bool requests_none = r.rules.format && *r.rules.format == "none";
  if (of_model ? r.model.model.block == 0 : requests_none) return plain_factor(t, r);
  if (requests_none) {
    throw usage_error("--format none: {} has a scale for every {} elements", r.model.name,
                      r.model.model.block);
  }
  if (is_number(t.type)) return quantized_factor(t, r);
  refuse_tensor(t,
                "is {}; expected F32, F16 or BF16 to be quantized, or `codes` and `scales` as "
                "`mxprism quantize` writes them",
                io::name_of(t.type));
}

io::byte_buffer transposed(const std::uint8_t* items, std::uint64_t rows, std::uint64_t columns,
                           std::uint64_t size) {
  io::byte_buffer result(rows * columns * size);
  constexpr std::uint64_t tile = 64;  // both sides of a tile fit in the first-level cache
  const std::uint64_t bands = (columns + tile - 1) / tile;
  mx::for_each_in_parallel(bands, [&](std::uint64_t band) {
    const std::uint64_t last = std::min(columns, (band + 1) * tile);
    for (std::uint64_t top = 0; top < rows; top += tile) {
      for (std::uint64_t column = band * tile; column < last; ++column) {
        for (std::uint64_t row = top; row < std::min(rows, top + tile); ++row) {
          std::memcpy(result.data() + (column * rows + row) * size,
                      items + (row * columns + column) * size, size);
        }
      }
    }
  });
  return result;
}

void expect_factor_shape(const io::tensor& t, const std::vector<std::uint64_t>& shape,
                         const char* expected) {
  if (shape.empty() || shape.size() > 2) {
    refuse_tensor(t, "has the shape {}; expected {}", io::shape_text(shape), expected);
  }
  if (*std::ranges::max_element(shape) > mx::longest_k) {
    refuse_tensor(t, "has the shape {}; a product takes at most 2^30 along each axis",
                  io::shape_text(shape));
  }
}

void expect_used(const rule_options& rules, const gemm_factor& a, const gemm_factor& b) {
  const auto any = [&](factor_origin origin) { return a.origin == origin || b.origin == origin; };
  if (any(factor_origin::quantized)) return;
  const auto refuse = [](const char* option) {
    throw usage_error("{}: has no effect on A and B; leave it out", option);
  };
  if (rules.scale_rule) refuse("--scale-rule");
  if (rules.seed) refuse("--seed");
  if (rules.random_bits) refuse("--random-bits");
  if (rules.byte_map) refuse("--byte-map");
  if (rules.rounding && !any(factor_origin::converted)) refuse("--rounding");
}

void expect_same_k(const gemm_factor& a, const gemm_factor& b) {
  if (a.k == b.k) return;
  const bool in_blocks = b.origin == factor_origin::stored && b.scale;
  const bool fits_turned = b.lines == a.k && !in_blocks;
  refuse_tensor(b.tensor, "has K = {} (shape {}); {} has K = {} (shape {}){}", b.k,
                io::shape_text(b.tensor.shape), a.tensor.source.path, a.k,
                io::shape_text(a.tensor.shape),
                fits_turned ? "; it fits in the other --b-order" : "");
}

const io::tensor& tensor_in(const io::tensor_file& file, const std::string& name) {
  if (file.tensors().size() == 1) return file.tensors().front();
  if (const io::tensor* t = file.find(name)) return *t;
  refuse_file(file, "has {} tensors, none of them named `{}`; expected one, or this name",
              file.tensors().size(), name);
}

}  // namespace sim::cli
