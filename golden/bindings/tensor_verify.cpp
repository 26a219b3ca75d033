// SPDX-License-Identifier: Apache-2.0
// golden/bindings/tensor_verify.cpp: passes a kernel's codes and scales in the caller's arrays to
// the validator, and returns the first difference.
#include <memory>

#include "golden/bindings/tensor_arguments.h"
#include "golden/bindings/verdict_handle.h"
#include "golden/validator/tensor/diagnosis_words.h"
#include "mx/presets/bulk_variants.h"

namespace bindings {
namespace {

namespace gv = golden::validator;

void expect_declarable(const mx_format& f) {
  if (f.recipe.is_corrected() || f.recipe.passes == mx::passes::twice) {
    throw refused(mx_status_unsupported, "verify takes formats without corrections");
  }
  if (f.recipe.has_preset() && !mx::is_quantizer(mx::preset_of(f.recipe))) {
    throw refused(mx_status_unsupported, "this variant only decodes");
  }
}

gv::byte_span bytes_of(const mx_buffer& buffer, const char* name) {
  require(buffer.data != nullptr || buffer.bytes == 0, name);
  return {static_cast<const std::uint8_t*>(buffer.data), buffer.bytes};
}

/// A kernel's arrays, of any sizes; the arrays of corrections are empty.
mx_coded found_arrays(const mx_coded* found) {
  const mx_coded c = read(found, "mx_coded");
  for (const mx_buffer& other : {c.tensor_amax, c.macro_fractions, c.residual_codes,
                                 c.residual_scales, c.residual_macro_fractions}) {
    require(other.bytes == 0, "verify takes only codes, scales and tensor_scales");
  }
  require(c.tensor_scales.bytes % sizeof(float) == 0, "tensor_scales ends inside a number");
  return c;
}

gv::subject subject_of(const mx::tensor_axes& axes, mx::number_type type, const mx_numbers& numbers,
                       const mx_coded& found) {
  gv::subject s;
  s.name = "x", s.shown = "'x'";
  s.type = type;
  s.values = {static_cast<const std::uint8_t*>(numbers.data), numbers.bytes};
  s.shape = axes.extents;
  s.codes = bytes_of(found.codes, "codes is null");
  s.scales = bytes_of(found.scales, "scales is null");
  static_cast<void>(bytes_of(found.tensor_scales, "tensor_scales is null"));
  s.tensor_scales = floats_of(found.tensor_scales);
  return s;
}

gv::hypothesis recipe_of(const mx_format& f, const mx::tensor_axes& axes, const gv::subject& s) {
  gv::hypothesis r;
  r.recipe = f.recipe;
  r.axis = axes.extents.size() - 1 - axes.axis;
  r.axes = axes.extents.size();
  if (f.takes_tensor_scale()) r.above = gv::tensor_source::as_stored;
  const bool by_byte = f.packing_source == packing_source::usual && gv::is_unpacked(r, s);
  if (by_byte) r.recipe.codes.packing = mx::code_packing::unpacked;
  return r;
}

void add_place(const gv::difference& at, mx_difference& f) {
  f.what = at.of_code ? mx_differs_code : mx_differs_scale;
  f.value_bits = at.value_bits;
  f.block = at.block;
  f.position = at.position;
  f.element = at.element.value_or(MXPRISM_PADDING);
  f.index = at.index.empty() ? nullptr : at.index.data();
  f.index_count = at.index.size();
  f.expected_code = at.expected_code;
  f.found_code = at.found_code;
  f.expected_scale = at.expected_scale;
  f.found_scale = at.found_scale;
  f.block_bits = at.block_bits.empty() ? nullptr : at.block_bits.data();
  f.block_count = at.block_bits.size();
}

mx_difference first_of(const mx_verdict& v) {
  const auto* d = std::get_if<gv::diagnosis>(&v.found);
  require(d != nullptr && d->verdict != gv::verdict::exact,
          "the verdict has no difference of a tensor");
  const gv::tensor_result& r = d->tensors.front();
  mx_difference f = {};
  f.text = v.first.c_str();
  f.what = r.fits ? mx_differs_tensor_scale : mx_differs_size;
  if (r.fits && r.found.first) {
    add_place(*r.found.first, f);
  } else if (r.found.unusable) {
    f.expected_scale = r.found.unusable->expected_bits;
    f.found_scale = r.found.unusable->found_bits;
  }
  return f;
}

int searched_changes(const mx_search* search) {
  if (search == nullptr) return gv::search_depth{}.changes;
  const mx_search depth = read(search, "mx_search");
  require(depth.changes <= 2, "changes: expected at most 2");
  return static_cast<int>(depth.changes);
}

std::unique_ptr<mx_verdict> verified(const gv::hypothesis& declared, const gv::subject& s,
                                     gv::search_depth depth) {
  gv::diagnosis found = gv::diagnose(declared, {&s, 1}, depth);
  const bool unexplained = !found.tensors.front().fits && found.verdict != gv::verdict::explained;
  if (unexplained) throw refused(mx_status_bad_argument, "x " + gv::sizes_text(declared, s));
  return std::make_unique<mx_verdict>(std::move(found));
}

}  // namespace
}  // namespace bindings

mx_status mx_tensor_verify(const mx_format* format, const mx_shape* shape,
                           const mx_numbers* numbers, const mx_coded* found,
                           const mx_search* search, mx_verdict** made, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::require(made != nullptr, "the address for the verdict is null");
    *made = nullptr;
    const mx_format& f = bindings::format_of(format);
    bindings::expect_declarable(f);
    const mx::coded_shape places = bindings::coded_shape_of(f, shape);
    const std::uint64_t elements = places.blocks.elements();
    const mx::number_type type = bindings::checked_type(numbers, elements);
    const mx_coded arrays = bindings::found_arrays(found);
    const auto s = bindings::subject_of(places.values, type, *numbers, arrays);
    const auto declared = bindings::recipe_of(f, places.values, s);
    *made = bindings::verified(declared, s, {bindings::searched_changes(search)}).release();
  });
}

mx_status mx_difference_describe(const mx_verdict* verdict, mx_difference* difference,
                                 mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::write(difference, bindings::first_of(bindings::verdict_of(verdict)), "mx_difference");
  });
}
