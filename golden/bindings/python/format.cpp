// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/format.cpp: formats, quantization and dequantization of tensors.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "golden/bindings/python/array.h"
#include "golden/bindings/python/module.h"
#include "golden/bindings/python/status.h"
#include "golden/bindings/python/verdict.h"

namespace python {
namespace {

using namespace nanobind::literals;
using extents = std::vector<std::uint64_t>;
using members = nb::typed<nb::dict, nb::str, nb::any>;

class format {
 public:
  format(const std::optional<std::string>& name, const std::string& options) {
    mx_format* made = nullptr;
    call([&](mx_error* error) {
      return mx_format_create(name ? whole_words(*name) : nullptr, whole_words(options), &made,
                              error);
    });
    handle_.reset(made);
    call([&](mx_error* error) { return mx_format_describe(made, &facts_, error); });
  }

  [[nodiscard]] const mx_format* get() const { return handle_.get(); }
  [[nodiscard]] const mx_format_facts& facts() const { return facts_; }

 private:
  owned<mx_format, mx_format_destroy> handle_;
  mx_format_facts facts_ = sized<mx_format_facts>();
};

std::vector<std::uint64_t> sizes_of(const format& f, const extents& e, std::int32_t axis) {
  const mx_shape shape = shape_of(e, axis);
  auto coded = sized<mx_coded>();
  call([&](mx_error* error) { return mx_coded_sizes(f.get(), &shape, &coded, error); });
  std::vector<std::uint64_t> sizes;
  for (const auto buffer : coded_buffers) sizes.push_back((coded.*buffer).bytes);
  return sizes;
}

std::uint64_t quantize(const format& f, const extents& e, std::int32_t axis, const read_bytes& x,
                       std::int32_t type, const std::vector<written_bytes>& arrays) {
  const mx_shape shape = shape_of(e, axis);
  const mx_numbers numbers{x.data(), x.size(), type};
  const mx_coded coded = coded_of(arrays);
  std::uint64_t special = 0;
  call_unlocked([&](mx_error* error) {
    return mx_tensor_quantize(f.get(), &shape, &numbers, &coded, &special, error);
  });
  return special;
}

void dequantize(const format& f, const extents& e, std::int32_t axis,
                const std::vector<read_bytes>& arrays, const written_bytes& values) {
  const mx_shape shape = shape_of(e, axis);
  const mx_coded coded = coded_of(arrays);
  const mx_buffer out = buffer_of(values);
  call_unlocked(
      [&](mx_error* error) { return mx_tensor_dequantize(f.get(), &shape, &coded, &out, error); });
}

members dict_of(const mx_energy& e) {
  members d;
  d["total"] = e.total, d["scale"] = e.scale, d["deadzone"] = e.deadzone;
  d["grid"] = e.grid, d["clip"] = e.clip, d["scale_dead"] = e.scale_dead;
  d["scale_deadzone"] = e.scale_deadzone, d["scale_grid"] = e.scale_grid;
  d["scale_clip"] = e.scale_clip, d["deadzone_grid"] = e.deadzone_grid;
  d["deadzone_clip"] = e.deadzone_clip, d["grid_clip"] = e.grid_clip;
  d["x_squared"] = e.x_squared, d["x_quantized"] = e.x_quantized;
  d["elements"] = e.elements, d["dead"] = e.dead, d["dead_actual"] = e.dead_actual;
  d["blocks"] = e.blocks, d["special_blocks"] = e.special_blocks;
  d["identity_violations"] = e.identity_violations;
  return d;
}

members decompose(const format& f, const extents& e, std::int32_t axis, const read_bytes& x,
                  std::int32_t type, const std::optional<read_bytes>& tensor_scales) {
  const mx_shape shape = shape_of(e, axis);
  const mx_numbers numbers{x.data(), x.size(), type};
  const mx_buffer above = buffer_of(tensor_scales);
  mx_energy energy = sized<mx_energy>();
  call_unlocked([&](mx_error* error) {
    return mx_tensor_decompose(f.get(), &shape, &numbers, tensor_scales ? &above : nullptr, &energy,
                               error);
  });
  return dict_of(energy);
}

verdict verify(const format& f, const extents& e, std::int32_t axis, const read_bytes& x,
               std::int32_t type, const std::vector<read_bytes>& arrays, std::uint32_t changes) {
  const mx_shape shape = shape_of(e, axis);
  const mx_numbers numbers{x.data(), x.size(), type};
  const mx_coded found = coded_of(arrays);
  const mx_search search{sizeof search, changes};
  mx_verdict* made = nullptr;
  call_unlocked([&](mx_error* error) {
    return mx_tensor_verify(f.get(), &shape, &numbers, &found, &search, &made, error);
  });
  return {owned<mx_verdict, mx_verdict_destroy>(made)};
}

void differences(const format& f, const extents& e, std::int32_t axis, const read_bytes& x,
                 std::int32_t type, const std::vector<read_bytes>& arrays,
                 const written_bytes& codes, const written_bytes& scales) {
  const mx_shape shape = shape_of(e, axis);
  const mx_numbers numbers{x.data(), x.size(), type};
  const mx_coded found = coded_of(arrays);
  const mx_buffer of_codes = buffer_of(codes), of_scales = buffer_of(scales);
  call_unlocked([&](mx_error* error) {
    return mx_tensor_differences(f.get(), &shape, &numbers, &found, &of_codes, &of_scales, error);
  });
}

}  // namespace

void add_format(bound_module& module) {
  module.add_class<format>("Format", "mx_format: rules, and how codes and scales are stored.")
      .def(nb::init<const std::optional<std::string>&, const std::string&>(), "name"_a.none(),
           "options"_a)
      .def_prop_ro("spelling", [](const format& f) { return mx_format_spelling(f.get()); })
      .def_prop_ro("element", [](const format& f) { return f.facts().element; })
      .def_prop_ro("scale", [](const format& f) { return f.facts().scale; })
      .def_prop_ro("scale_bytes", [](const format& f) { return f.facts().scale_bytes; })
      .def_prop_ro("codes_a_byte", [](const format& f) { return f.facts().codes_a_byte; })
      .def_prop_ro("block_rows", [](const format& f) { return f.facts().block_rows; })
      .def_prop_ro("block_columns", [](const format& f) { return f.facts().block_columns; })
      .def_prop_ro("product_ready", [](const format& f) { return f.facts().product_ready != 0; })
      .def_prop_ro(
          "handle", [](const format& f) { return reinterpret_cast<std::uintptr_t>(f.get()); },
          "Address of the mx_format, for libmxprism_cuda.")
      .def("sizes", &sizes_of, "extents"_a, "axis"_a, "Bytes of the arrays of mx_coded, in order.")
      .def("quantize", &quantize, "extents"_a, "axis"_a, "numbers"_a.noconvert(), "type"_a,
           "arrays"_a.noconvert(), "Fills the arrays; the number of blocks with a NaN or an Inf.")
      .def("dequantize", &dequantize, "extents"_a, "axis"_a, "arrays"_a.noconvert(),
           "values"_a.noconvert(), "Fills values with FP32.")
      .def("decompose", &decompose, "extents"_a, "axis"_a, "numbers"_a.noconvert(), "type"_a,
           "tensor_scales"_a.noconvert().none(), "The members of mx_energy.")
      .def("verify", &verify, "extents"_a, "axis"_a, "numbers"_a.noconvert(), "type"_a,
           "arrays"_a.noconvert(), "changes"_a, "mx_tensor_verify.")
      .def("differences", &differences, "extents"_a, "axis"_a, "numbers"_a.noconvert(), "type"_a,
           "arrays"_a.noconvert(), "codes"_a.noconvert(), "scales"_a.noconvert(),
           "mx_tensor_differences.");
}

}  // namespace python
