// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/stored_array.cpp: arrays as a file holds them: packed codes, arranged scales.
#include "sim/cli/quantize/stored_array.h"

#include <algorithm>
#include <cstring>

namespace sim::cli {

namespace io = golden::io;

byte_buffer::byte_buffer(const std::vector<std::uint8_t>& bytes) : byte_buffer(bytes.size()) {
  std::copy(bytes.begin(), bytes.end(), data());
}

mx::number_type number_type_of(const io::tensor& numbers) {
  switch (numbers.type) {
    case io::dtype::f16:
      return mx::number_type::fp16;
    case io::dtype::bf16:
      return mx::number_type::bf16;
    default:
      return mx::number_type::fp32;
  }
}

io::dtype scale_type(const mx::block_format& f) {
  if (f.scale.width() <= 8) return io::dtype::u8;
  if (f.scale.width() <= 16) return io::dtype::u16;
  return f.scale == mx::formats::binary32 ? io::dtype::f32 : io::dtype::u32;
}

stored_array stored_floats(const std::string& name, std::vector<std::uint64_t> shape,
                           const std::vector<float>& values) {
  stored_array result{name, io::dtype::f32, std::move(shape),
                      byte_buffer(values.size() * sizeof(float))};
  if (!values.empty()) {
    std::memcpy(result.bytes.data(), values.data(), values.size() * sizeof(float));
  }
  return result;
}

stored_array stored_codes(const coding_job& job, const std::string& name, std::uint64_t padded,
                          byte_buffer codes) {
  const mx::blocked_shape& s = job.t.shape;
  std::uint64_t along = padded;
  if (is_halved(job.format(), job.how.codes)) {
    along = padded / 2 + padded % 2;
    if (job.core_packing() == mx::code_packing::unpacked) {
      byte_buffer packed(s.outer * s.rows * along * s.inner);
      pack_codes(job.how.codes.order, job.format().columns, codes.data(), s.outer * s.rows, padded,
                 s.inner, packed.data());
      codes = std::move(packed);
    }
  }
  return {name, io::dtype::u8, with_length(job.t.values, job.t.axis, along), std::move(codes)};
}

stored_array stored_scales(const coding_job& job, const std::string& name,
                           std::uint64_t blocks_along, byte_buffer scales) {
  std::vector<std::uint64_t> shape = scales_shape(job.t, job.format(), blocks_along);
  if (job.how.layout != mx::scale_layout::linear) {
    const scale_matrices m = matrices_of(shape);
    const std::uint64_t size = mx::size(job.how.layout, m.rows, m.columns);
    byte_buffer arranged(m.count * size);
    arrange_scales(job.how.layout, scales.data(), m.count, m.rows, m.columns, arranged.data());
    scales = std::move(arranged);
    shape.resize(shape.size() < 2 ? 0 : shape.size() - 2);
    shape.push_back(size);
  }
  return {name, scale_type(job.format()), std::move(shape), std::move(scales)};
}

stored_array stored_fractions(const coding_job& job, const std::string& name,
                              const std::vector<std::uint16_t>& fractions,
                              std::uint64_t macro_blocks) {
  const bool narrow = job.rules.spelled.corrections.macro_bits <= 8;
  stored_array result{name, narrow ? io::dtype::u8 : io::dtype::u16,
                      with_length(job.t.values, job.t.axis, macro_blocks),
                      byte_buffer(fractions.size() * (narrow ? 1 : 2))};
  std::uint8_t* out = result.bytes.data();
  for (const std::uint16_t fraction : fractions) {
    *out++ = static_cast<std::uint8_t>(fraction);
    if (!narrow) *out++ = static_cast<std::uint8_t>(fraction >> 8);
  }
  return result;
}

}  // namespace sim::cli
