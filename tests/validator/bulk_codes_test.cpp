// SPDX-License-Identifier: Apache-2.0
// tests/validator/bulk_codes_test.cpp: golden/validator/tensor/bulk_codes.h. Parts of tensors
// computed in bulk against prediction::make, block by block, for every recipe that differs from a
// declared one in one property.
#include "golden/validator/tensor/bulk_codes.h"

#include <cstring>
#include <random>
#include <set>

#include "catch.h"
#include "golden/validator/tensor/alternatives.h"
#include "golden/validator/tensor/compare.h"
#include "golden/validator/tensor/dimension_words.h"
#include "golden/validator/tensor/rendering.h"
#include "mx/block/names.h"
#include "mx/spelling.h"

namespace {

using namespace golden::validator;  // NOLINT(google-build-using-namespace)

/// Ordinary numbers, and blocks of everything that kernels treat differently.
std::vector<float> numbers(std::size_t count, std::size_t block) {
  std::mt19937 random(7);
  std::vector<float> x(count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t kind = k / block % 13;
    const auto exponent = static_cast<std::uint32_t>(120 + random() % 14);
    std::uint32_t bits = (random() & 0x807FFFFF) | exponent << 23;
    if (random() % 4 == 0) bits &= 0xFFF00000;  // ties
    if (kind == 3) bits &= 0x80000000;
    if (kind == 4 && random() % 3 == 0) bits &= 0x807FFFFF;  // subnormals among ordinary ones
    if (kind == 5) bits &= 0x807FFFFF;
    if (kind == 6 && random() % 9 == 0) bits = 0x7F800000 | (random() & 0x80000000);
    if (kind == 7 && random() % 9 == 0) bits = 0x7FC00000 | (random() & 0x80000000);
    if (kind == 8) bits = (bits & 0x807FFFFF) | 0x7F000000;
    if (kind == 9) bits = (bits & 0x80000000) | static_cast<std::uint32_t>(random() % 5) << 21;
    if (kind == 10 && random() % 3 == 0) bits &= 0x80000000;
    x[k] = mx::float_of(bits);
  }
  return x;
}

subject subject_of(const std::vector<float>& x, const std::vector<std::uint64_t>& shape) {
  subject s;
  s.values = {reinterpret_cast<const std::uint8_t*>(x.data()), x.size() * sizeof(float)};
  s.shape = shape;
  return s;
}

/// The whole tensor's codes in bulk; block by block if bulk covers no part of it.
bool check(const hypothesis& r, const subject& s) {
  extent_memory extents;
  const prediction p(r, s, extents);
  bulk_codes bulk(p);
  if (!bulk.is_possible()) return false;
  const rendered expected = render(p);
  subject made = s;
  made.codes = expected.codes;
  made.scales = expected.scales;
  made.tensor_scales = p.written_tensor_scales();
  const prediction again(r, made, extents);
  if (r.above == tensor_source::as_stored) return false;
  CHECK(explains_all(again));
  CHECK(compare(again).is_exact());
  // One wrong bit of codes, and one of scales, in the last block.
  std::vector<std::uint8_t> wrong = expected.codes;
  const geometry& g = p.where();
  const block_place at = g.place(g.blocks() - 1);
  wrong[g.code_at(at, 0, at.along * g.columns()).byte] ^= 1;
  made.codes = wrong;
  const prediction beside(r, made, extents);
  CHECK_FALSE(explains_all(beside));
  const comparison found = compare(beside);
  CHECK((found.codes == 1 && found.scales == 0));
  CHECK((found.blocks == std::vector<std::uint64_t>{g.blocks() - 1}));
  made.codes = expected.codes;
  wrong = expected.scales;
  wrong[g.scale_at(g.blocks() - 1)] ^= 1;
  made.scales = wrong;
  CHECK_FALSE(explains_all(prediction(r, made, extents)));
  return true;
}

/// Checks every alternative of a format; returns the dimensions of which bulk covers a part.
std::set<dimension> check_all(const char* format, const std::vector<std::uint64_t>& shape) {
  INFO(format);
  hypothesis declared;
  declared.recipe.rules.format = mx::format_spelled(format).format;
  declared.recipe.rules.rule = mx::default_rule(declared.format());
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) count *= extent;
  const std::vector<float> x = numbers(count, static_cast<std::size_t>(declared.format().columns));
  const subject s = subject_of(x, shape);
  const std::vector<subject> subjects{s};
  std::set<dimension> seen;
  for (const alternative& other : alternatives_of(declared, subjects, {true, 40, {}})) {
    hypothesis r = declared;
    other.apply(r);
    if (!is_possible(r) || !geometry::of(r, s)) continue;
    INFO(name_of(other.what) << ": " << word_of(r, other.what));
    if (check(r, s)) seen.insert(other.what);
  }
  return seen;
}

TEST_CASE("parts_made_in_bulk_are_the_blocks_of_every_recipe") {
  const std::set<dimension> seen = check_all("mxfp4", {64, 2080});
  for (const dimension what :
       {dimension::scale_rule, dimension::element_rounding, dimension::nan_rule,
        dimension::zero_rule, dimension::subnormals, dimension::scale_offset,
        dimension::dropped_tail, dimension::input_precision, dimension::variant,
        dimension::block_axis, dimension::nibble_order, dimension::scale_layout}) {
    INFO(name_of(what));
    CHECK(seen.contains(what));
  }
}

TEST_CASE("parts_of_other_formats_too") {
  CHECK(check_all("nvfp4", {64, 1040}).contains(dimension::operation_order));
  check_all("mxfp8-e4m3", {64, 2080});
  check_all("mxint8", {64, 2080});
  check_all("mxfp6-e2m3", {3, 100});
}

}  // namespace
