// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/corrected_comparison.cpp: compares codes by place, everything else by bytes.
#include "sim/cli/verify/corrected_comparison.h"

#include <algorithm>
#include <cstring>

#include "golden/validator/tensor/numbers.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
namespace gv = golden::validator;

/// Codes and scales of one pass over a tensor.
struct pass_bytes {
  io::byte_view codes, scales;

  [[nodiscard]] std::uint32_t code(const gv::geometry& g, const mx::code_place& at) const {
    return g.halved() ? codes[at.byte] >> at.shift & 0xFU : codes[at.byte];
  }
  [[nodiscard]] std::uint32_t scale(const gv::geometry& g, std::uint64_t block) const {
    std::uint32_t code = 0;
    for (std::uint64_t k = 0; k < g.bytes_a_scale(); ++k) {
      code |= std::uint32_t{scales[g.scale_at(block) + k]} << (8 * k);
    }
    return code;
  }
};

/// The pass whose arrays begin with `prefix`.
struct compared_pass {
  const padded_places& where;
  std::string prefix;
  pass_bytes made, found;

  void add_to(gv::comparison& c) const {
    for (std::uint64_t b = 0; b < where.padded.blocks(); ++b) add_block(b, c);
  }

 private:
  void add_block(std::uint64_t block, gv::comparison& c) const {
    const gv::geometry& g = where.padded;
    const gv::block_place at = g.place(block);
    const bool of_scale = made.scale(g, block) != found.scale(g, block);
    std::uint64_t wrong = 0, first = 0;
    for (std::uint64_t k = g.columns(); k-- > 0;) {
      const mx::code_place place = g.code_at(at, 0, at.along * g.columns() + k);
      if (made.code(g, place) != found.code(g, place)) ++wrong, first = k;
    }
    if (!of_scale && wrong == 0) return;
    c.codes += wrong;
    c.scales += of_scale ? 1 : 0;
    c.mismatches += of_scale ? g.columns() : wrong;
    if (c.first) return;
    c.first = described(block, first);
    c.first->of_code = wrong > 0;
    c.array = prefix;
  }

  [[nodiscard]] gv::difference described(std::uint64_t block, std::uint64_t position) const {
    const gv::geometry& g = where.padded;
    const gv::block_place at = g.place(block);
    const std::uint64_t along = at.along * g.columns() + position;
    const mx::code_place place = g.code_at(at, 0, along);
    gv::difference d;
    d.block = block, d.position = position;
    d.expected_code = made.code(g, place), d.found_code = found.code(g, place);
    d.expected_scale = made.scale(g, block), d.found_scale = found.scale(g, block);
    d.of_scale = d.expected_scale != d.found_scale;
    if (along >= where.own.shape().length) return d;
    d.element = where.own.value_at(at, 0, along);
    d.block = where.own.block_of(*d.element);
    d.value_bits = gv::bits_at(where.s, *d.element);
    return d;
  }
};

std::vector<float> floats_in(const io::owned_tensor& a) {
  std::vector<float> values(a.bytes.view().size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), a.bytes.view().data(), a.bytes.view().size());
  return values;
}

const io::owned_tensor* array_in(const coded_tensor& t, const std::string& name) {
  const auto found = std::find_if(t.arrays.begin(), t.arrays.end(),
                                  [&](const io::owned_tensor& a) { return a.name == name; });
  return found == t.arrays.end() ? nullptr : &*found;
}

}  // namespace

const io::tensor* found_arrays::of(const std::string& array) const {
  const bool single = files.input.tensors().size() == 1;
  return array_of(files.output, tensor, array,
                  single ? array_names::bare_too : array_names::with_tensor);
}

bool found_arrays::hold(const io::owned_tensor& a) const {
  const io::tensor* found = of(a.name);
  const io::byte_view right = a.bytes.view();
  return found != nullptr &&
         std::equal(right.begin(), right.end(), found->bytes.begin(), found->bytes.end());
}

padded_places places_of(const declared_recipe& d, const gv::hypothesis& r, const gv::subject& s) {
  gv::subject padded = s;
  std::uint64_t& length = padded.shape[s.shape.size() - 1 - r.axis];
  if (length > 0) {
    length = mx::padded_shape(d.recipe.rules, d.recipe.corrections, {1, 1, length, 1}).length;
  }
  return {*gv::geometry::of(r, padded), *gv::geometry::of(r, s), s};
}

gv::comparison compared_arrays(const coded_tensor& made, const found_arrays& found,
                               const padded_places& where) {
  gv::comparison c;
  c.elements = where.s.elements();
  for (const std::string prefix : {"", "residual."}) {
    const io::owned_tensor* codes = array_in(made, prefix + "codes");
    if (codes == nullptr) continue;
    const io::owned_tensor* scales = array_in(made, prefix + "scales");
    compared_pass{where,
                  prefix,
                  {codes->bytes.view(), scales->bytes.view()},
                  {found.of(prefix + "codes")->bytes, found.of(prefix + "scales")->bytes}}
        .add_to(c);
  }
  for (const io::owned_tensor& a : made.arrays) {
    const bool of_numbers = !a.name.ends_with("codes") && !a.name.ends_with("scales");
    if (!of_numbers || found.hold(a)) continue;
    // Every number of the tensor depends on it.
    c.mismatches = c.elements;
    c.tensor_scales_agree = false;
    if (!c.first) c.array = a.name;
    if (a.name == "tensor_scale") {
      c.unusable = gv::unusable_beside(floats_in(a), where.s.tensor_scales);
    }
  }
  c.mismatches = std::min(c.mismatches, c.elements);
  return c;
}

}  // namespace sim::cli
