// SPDX-License-Identifier: Apache-2.0
// golden/bindings/tensor_verify.cpp: passes a kernel's output in the caller's arrays to the
// validator, and returns the first difference.
#include <algorithm>
#include <memory>
#include <span>

#include "golden/bindings/tensor_arguments.h"
#include "golden/bindings/verdict_handle.h"
#include "golden/validator/tensor/diagnosis_words.h"
#include "golden/validator/tensor/geometry.h"

namespace bindings {
namespace {

namespace gv = golden::validator;

constexpr std::span correction_arrays = std::span(coded_table).subspan<4>();

void expect_declarable(const mx_format& f) {
  expect_quantizer(f);
  if (f.takes_tensor_scale() && !f.recipe.is_plain()) {
    throw refused(
        mx_status_unsupported,
        "tensor-scale=given: verify takes two passes under the format's own tensor scale");
  }
}

gv::byte_span bytes_of(const mx_buffer& buffer) {
  return {static_cast<const std::uint8_t*>(buffer.data), buffer.bytes};
}

/// Refuses an array that the format lacks, and one that is left out.
void expect_array(const coded_array& array, const mx_coded& found, const mx_coded& sizes) {
  const std::uint64_t expected = (sizes.*array.buffer).bytes;
  const std::string why = expected > 0 ? " is empty; the declared format has " +
                                             std::to_string(expected) + " bytes of it"
                                       : " is not empty; the declared format has none";
  require(((found.*array.buffer).bytes > 0) == (expected > 0), (array.name + why).c_str());
}

/// A kernel's arrays. Codes, scales and tensor scales are of any sizes; the last ones are optional
/// where blocks are quantized one by one.
mx_coded found_arrays(const mx_format& f, const mx::coded_shape& shape, const mx_coded* found) {
  const mx_coded c = read(found);
  for (const coded_array& array : coded_table) {
    const mx_buffer& buffer = c.*array.buffer;
    require(buffer.data != nullptr || buffer.bytes == 0,
            (std::string(array.name) + " is null").c_str());
  }
  const mx_coded sizes = sizes_of(f, shape);
  for (const coded_array& array : correction_arrays) expect_array(array, c, sizes);
  if (gv::is_of_whole({{}, f.recipe}) && sizes.tensor_scales.bytes > 0) {
    expect_array({"tensor_scales", &mx_coded::tensor_scales}, c, sizes);
  }
  require(c.tensor_amax.bytes == 0, "tensor_amax is not empty; verify takes none");
  require(c.tensor_scales.bytes % sizeof(float) == 0, "tensor_scales ends inside a number");
  return c;
}

gv::subject subject_of(const mx::tensor_axes& axes, mx::number_type type, const mx_numbers& numbers,
                       const mx_coded& found) {
  return {.name = "x",
          .shown = "'x'",
          .type = type,
          .values = {static_cast<const std::uint8_t*>(numbers.data), numbers.bytes},
          .shape = axes.extents,
          .codes = bytes_of(found.codes),
          .scales = bytes_of(found.scales),
          .tensor_scales = floats_of(found.tensor_scales),
          .macro_fractions = bytes_of(found.macro_fractions),
          .residual = {bytes_of(found.residual_codes), bytes_of(found.residual_scales),
                       bytes_of(found.residual_macro_fractions)}};
}

gv::hypothesis recipe_of(const mx_format& f, const mx::tensor_axes& axes, const gv::subject& s) {
  gv::hypothesis r;
  r.recipe = f.recipe;
  r.axis = axes.extents.size() - 1 - axes.axis;
  r.axes = axes.extents.size();
  if (f.takes_tensor_scale()) r.above = gv::tensor_source::as_stored;
  if (f.packing_source == packing_source::usual) r.recipe.codes = gv::order_of_codes(r, s);
  return r;
}

/// The mx_differs_... of a kind.
constexpr std::int32_t number_of(gv::differing what) { return static_cast<std::int32_t>(what); }

static_assert(number_of(gv::differing::code) == mx_differs_code);
static_assert(number_of(gv::differing::scale) == mx_differs_scale);
static_assert(number_of(gv::differing::tensor_scale) == mx_differs_tensor_scale);
static_assert(number_of(gv::differing::size) == mx_differs_size);
static_assert(number_of(gv::differing::macro_fractions) == mx_differs_macro_fractions);
static_assert(number_of(gv::differing::residual_code) == mx_differs_residual_code);
static_assert(number_of(gv::differing::residual_scale) == mx_differs_residual_scale);
static_assert(number_of(gv::differing::residual_macro_fractions) ==
              mx_differs_residual_macro_fractions);

void add_place(const gv::difference& at, mx_difference& f) {
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
  f.what = number_of(gv::what_differs(r));
  if (r.fits && r.found.first) {
    add_place(*r.found.first, f);
  } else if (r.found.tensor_scale) {
    f.expected_scale = r.found.tensor_scale->expected_bits;
    f.found_scale = r.found.tensor_scale->found_bits;
  }
  return f;
}

mx_axis_places axis_of(const gv::axis_places& a) {
  if (a.touched == 0) return {};
  const gv::pattern& p = a.regular;
  return {a.extent, a.touched, p.first, p.last, p.period, p.period > 0 ? p.length : 0};
}

mx_places places_of(const mx_verdict& v) {
  const auto* d = std::get_if<gv::diagnosis>(&v.found);
  require(d != nullptr, "the verdict is not on a tensor");
  const gv::places& p = d->tensors.front().found.where;
  return {0,
          p.blocks,
          p.codes.count,
          p.scales.count,
          p.padding,
          axis_of(p.codes.rows),
          axis_of(p.codes.columns),
          axis_of(p.positions),
          axis_of(p.scales.rows),
          axis_of(p.scales.columns),
          v.where.c_str(),
          axis_of(p.elements.rows),
          axis_of(p.elements.columns),
          p.empty() ? nullptr : v.pattern.c_str()};
}

/// An array to be filled with zeros and ones.
std::span<std::uint8_t> mask_of(const mx_buffer* buffer, std::uint64_t size, const char* name) {
  require(buffer != nullptr, (std::string(name) + " is null").c_str());
  expect_bytes(*buffer, size, name);
  return {static_cast<std::uint8_t*>(buffer->data), size};
}

int searched_changes(const mx_search* search) {
  if (search == nullptr) return gv::search_depth{}.changes;
  const mx_search depth = read(search);
  require(depth.changes <= 2, "changes: expected at most 2");
  return static_cast<int>(depth.changes);
}

/// "`codes` has 3 bytes; 16 expected"; empty if there are as many as expected.
std::string size_text(const char* array, std::uint64_t found, std::uint64_t expected) {
  if (found == expected) return "";
  return "`" + std::string(array) + "` has " + std::to_string(found) + " bytes; " +
         std::to_string(expected) + " expected";
}

/// What is wrong with the sizes, by the names of the arrays.
std::string wrong_sizes_text(const gv::hypothesis& declared, const gv::subject& s) {
  const auto g = gv::geometry::of(declared, s);
  const std::string codes = size_text("codes", s.codes.size(), g->code_bytes());
  const std::string scales = size_text("scales", s.scales.size(), g->scale_bytes());
  if (codes.empty() && scales.empty()) return "x " + gv::sizes_text(declared, s);
  const char* between = codes.empty() || scales.empty() ? "" : ", and ";
  return codes + between + scales + "; no known packing or layout has these sizes";
}

/// A kernel's output, and the rules that were declared for it.
struct declared_output {
  gv::subject subject;
  gv::hypothesis rules;
};

declared_output declared_of(const mx_format* format, const mx_shape* shape,
                            const mx_numbers* numbers, const mx_coded* found) {
  const mx_format& f = format_of(format);
  expect_declarable(f);
  const mx::coded_shape places = coded_shape_of(f, shape);
  const mx::number_type type = checked_type(numbers, places.blocks.elements());
  const mx_coded arrays = found_arrays(f, places, found);
  gv::subject s = subject_of(places.values, type, *numbers, arrays);
  const gv::hypothesis rules = recipe_of(f, places.values, s);
  return {std::move(s), rules};
}

std::unique_ptr<mx_verdict> verified(const gv::hypothesis& declared, const gv::subject& s,
                                     gv::search_depth depth) {
  gv::diagnosis found = gv::diagnose(declared, {&s, 1}, depth);
  const bool unexplained = !found.tensors.front().fits && found.verdict != gv::verdict::explained;
  if (unexplained) throw refused(mx_status_bad_argument, wrong_sizes_text(declared, s));
  return std::make_unique<mx_verdict>(std::move(found));
}

}  // namespace
}  // namespace bindings

mx_status mx_tensor_verify(const mx_format* format, const mx_shape* shape,
                           const mx_numbers* numbers, const mx_coded* found,
                           const mx_search* search, mx_verdict** made, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::clear_handle(made, "the address for the verdict is null");
    const auto o = bindings::declared_of(format, shape, numbers, found);
    const golden::validator::search_depth depth{bindings::searched_changes(search)};
    *made = bindings::verified(o.rules, o.subject, depth).release();
  });
}

mx_status mx_difference_describe(const mx_verdict* verdict, mx_difference* difference,
                                 mx_error* error) {
  return bindings::described(difference, error,
                             [&] { return bindings::first_of(bindings::verdict_of(verdict)); });
}

mx_status mx_places_describe(const mx_verdict* verdict, mx_places* places, mx_error* error) {
  return bindings::described(places, error,
                             [&] { return bindings::places_of(bindings::verdict_of(verdict)); });
}

mx_status mx_tensor_differences(const mx_format* format, const mx_shape* shape,
                                const mx_numbers* numbers, const mx_coded* found,
                                const mx_buffer* codes, const mx_buffer* scales, mx_error* error) {
  return bindings::guarded(error, [&] {
    namespace gv = golden::validator;
    const auto o = bindings::declared_of(format, shape, numbers, found);
    const auto places = gv::fitting(o.rules, o.subject);
    bindings::require(places.has_value(), "x has sizes of codes and scales that are not declared");
    gv::extent_memory extents;
    const gv::prediction expected(o.rules, o.subject, extents);
    const gv::difference_mask mask{bindings::mask_of(codes, o.subject.elements(), "codes"),
                                   bindings::mask_of(scales, places->blocks(), "scales")};
    for (const std::span<std::uint8_t> part : {mask.codes, mask.scales}) {
      std::ranges::fill(part, std::uint8_t{0});
    }
    gv::mark_differences(expected, mask);
  });
}
