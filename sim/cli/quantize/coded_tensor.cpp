// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/coded_tensor.cpp: allocates a coded tensor's arrays, named as in files.
#include "sim/cli/quantize/coded_tensor.h"

#include <fmt/format.h>

#include "sim/cli/terminal/input_tensor.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

std::uint8_t* add_array(std::string name, io::dtype type, const mx::array_shape& shape,
                        std::vector<io::owned_tensor>& arrays) {
  if (shape.extents.empty()) return nullptr;
  arrays.push_back({std::move(name), type, shape.extents, io::byte_buffer(shape.bytes())});
  return arrays.back().bytes.data();
}

void add_pass(const std::string& prefix, const mx::recipe& r, const mx::coded_shape& s,
              std::vector<io::owned_tensor>& arrays, mx::pass_arrays<std::uint8_t>& places) {
  const bool narrow = s.macro_fractions.bytes_a_number == 1;
  places.codes = add_array(prefix + "codes", io::dtype::u8, s.codes, arrays);
  places.scales = add_array(prefix + "scales", scale_type(r.format()), s.scales, arrays);
  places.macro_fractions =
      add_array(prefix + "macro_fractions", narrow ? io::dtype::u8 : io::dtype::u16,
                s.macro_fractions, arrays);
}

void refuse(const io::tensor& x, const mx::recipe& r, const mx::tensor_axes& t,
            mx::tensor_refusal why) {
  if (why == mx::tensor_refusal::none) return;
  using enum mx::tensor_refusal;
  const bool of_axis = why == tiles || why == two_passes || why == layout_axis;
  refuse_tensor(x, "{}{}", mx::sentence_of(r, t, why), of_axis ? " (--axis)" : "");
}

}  // namespace

mx::tensor_axes axes_of(const io::tensor& tensor, std::optional<int> requested,
                        const mx::recipe& r) {
  const auto t = mx::axes_of(tensor.shape, requested.value_or(-1));
  if (!t) {
    const auto axes = static_cast<int>(std::max<std::size_t>(1, tensor.shape.size()));
    refuse_tensor(tensor, "has the shape {}; no axis {}; expected --axis from {} to {}",
                  io::shape_text(tensor.shape), requested.value_or(-1), -axes, axes - 1);
  }
  refuse(tensor, r, *t, mx::refusal_of(r, *t));
  return *t;
}

void expect_storable(const io::tensor& x, const mx::tensor_axes& t, const mx::recipe& r) {
  expect_storable(r);
  refuse(x, r, t, mx::storage_refusal_of(r, t));
}

io::dtype scale_type(const mx::block_format& f) {
  if (f.scale.width() <= 8) return io::dtype::u8;
  if (f.scale.width() <= 16) return io::dtype::u16;
  return f.scale == mx::formats::binary32 ? io::dtype::f32 : io::dtype::u32;
}

mx::number_type number_type_of(const io::tensor& numbers) {
  if (numbers.type == io::dtype::f16) return mx::number_type::fp16;
  return numbers.type == io::dtype::bf16 ? mx::number_type::bf16 : mx::number_type::fp32;
}

coded_space::coded_space(const mx::recipe& r, const mx::coded_shape& s) {
  add_pass("", r, s, arrays, places.first);
  if (r.corrections.has_residual()) add_pass("residual.", r, s, arrays, places.residual);
  places.tensor_scales = add_array("tensor_scale", io::dtype::f32, s.tensor_scales, arrays);
  if (r.has_preset()) {
    places.tensor_amax = add_array("tensor_amax", io::dtype::f32, s.tensor_scales, arrays);
  }
}

coded_tensor coded(const io::tensor& x, const mx::tensor_axes& t, const mx::recipe& r,
                   progress_bar& bar) {
  const mx::coded_shape s = mx::coded_shape_of(r, t);
  coded_space space(r, s);
  const mx::coding_counts counts =
      mx::quantize_tensor(r, s, number_type_of(x), x.bytes.data(), nullptr, space.places,
                          [&bar](std::uint64_t blocks) { bar.advance(blocks); });
  return {std::move(space.arrays), counts};
}

}  // namespace sim::cli
