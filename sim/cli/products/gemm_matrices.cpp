// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/gemm_matrices.cpp: reads C of a product from its file, and writes D.
#include "sim/cli/products/gemm_matrices.h"

#include <fmt/format.h>

#include "golden/io/widen.h"
#include "mx/spelling.h"
#include "sim/cli/products/code_view.h"
#include "sim/cli/products/plan_options.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/named_option.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

/// Bits of a tensor's numbers in a format, in tensor order.
std::vector<std::uint32_t> bits_in(const io::tensor& t, const mx::format& f) {
  const bool narrower = t.type == io::dtype::f16 || t.type == io::dtype::bf16;
  std::vector<std::uint32_t> bits(*io::element_count(t.shape));
  if (f == mx::formats::binary32 && narrower) {
    const std::vector<float> numbers = io::to_float32(t);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = mx::bits_of(numbers[i]);
    return bits;
  }
  expect_codes_of(t, f, number_format_name(f));
  code_view(t).copy(0, bits.size(), bits.data());
  return bits;
}

}  // namespace

std::vector<std::uint64_t> matrix_place::shape() const {
  if (order == matrix_order::row_major) return {m, n};
  return {n, m};
}

std::vector<std::uint32_t> addends(const std::string& path, const mx::format& f,
                                   const matrix_place& place) {
  return matrix_in(io::load(path), "c", f, place);
}

std::vector<std::uint32_t> matrix_in(const io::tensor_file& file, const std::string& name,
                                     const mx::format& f, const matrix_place& place) {
  const io::tensor& t = tensor_in(file, name);
  if (t.shape != place.shape()) {
    refuse_tensor(t, "has the shape {}; expected that of D, {}", io::shape_text(t.shape),
                  io::shape_text(place.shape()));
  }
  const std::vector<std::uint32_t> bits = bits_in(t, f);
  if (place.order == matrix_order::row_major) return bits;
  std::vector<std::uint32_t> rows(bits.size());
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    rows[i] = bits[i % place.n * place.m + i / place.n];
  }
  return rows;
}

mx::format output_of(const io::tensor& d, const std::optional<std::string>& out) {
  const auto asked = out ? std::optional(numbers_named("--out", *out)) : std::nullopt;
  std::optional<mx::format> own;
  if (d.type == io::dtype::f32 || d.type == io::dtype::u32) own = mx::formats::binary32;
  if (d.type == io::dtype::f16) own = mx::formats::binary16;
  if (d.type == io::dtype::bf16) own = mx::formats::bfloat16;
  if (d.type == io::dtype::u16 && asked && asked->width() == 16) own = asked;
  if (!own) {
    refuse_tensor(
        d, "is {}; expected F32, F16 or BF16, or their bits as U32 or, with --out f16 or bf16, U16",
        io::name_of(d.type));
  }
  if (asked && *asked != *own) refuse_tensor(d, "is {}; --out says {}", io::name_of(d.type), *out);
  return *own;
}

wide_addends wide_addends_in(const std::string& path, const matrix_place& place) {
  const io::tensor_file file = io::load(path);
  std::exception_ptr refusal;
  const auto read = [&](const mx::format& f) -> std::optional<std::vector<std::uint32_t>> {
    try {
      return matrix_in(file, "c", f, place);
    } catch (const io::file_error&) {
      refusal = std::current_exception();
      return {};
    }
  };
  wide_addends c;
  c.c16 = read(mx::formats::binary16);
  c.c32 = read(mx::formats::binary32);
  if (!c.c16 && !c.c32) std::rethrow_exception(refusal);
  return c;
}

void save_matrix(const std::string& path, const std::vector<std::uint32_t>& d,
                 const mx::format& output, const matrix_place& place, const io::metadata& notes) {
  const io::dtype type = type_of(output);
  io::byte_buffer bytes = code_bytes(d, type);
  if (place.order == matrix_order::column_major) {
    bytes = transposed(bytes.data(), place.m, place.n, io::bits_of(type) / 8);
  }
  const io::tensor t{"d", type, place.shape(), bytes.view(), path};
  io::save(path, {&t, 1}, notes);
}

}  // namespace sim::cli
