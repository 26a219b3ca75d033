// SPDX-License-Identifier: Apache-2.0
// tests/probe/recipe_search_test.cpp: the output of every known recipe is explained by it, or by
// one with the same bytes.
#include "golden/probe/recipe_search.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "catch.h"
#include "golden/validator/mutants/coded_rows.h"
#include "probe_case.h"

namespace golden::probe {
namespace {

using validator::hypothesis;

std::vector<validator::dimension> every_dimension() {
  std::vector<validator::dimension> list;
  for (std::size_t k = 0; k + 1 < validator::dimension_names.size(); ++k) {
    list.push_back(static_cast<validator::dimension>(k));
  }
  return list;
}

bool counts_always(const hypothesis&, validator::dimension) { return true; }

bool names_one_of(const search_result& found, const std::vector<std::size_t>& group,
                  const probe& p) {
  for (const hypothesis& r : found.explaining) {
    for (const std::size_t k : group) {
      if (r == p.recipes[k].rules) return true;
    }
  }
  return false;
}

void check_every_recipe(const mx::block_format& f, mx::number_type type) {
  const probe p = make_probe({f, type});
  for (const std::vector<std::size_t>& group : p.groups) {
    const known_recipe& kernel = p.recipes[group.front()];
    if (!goes_with(kernel.rules, p, type)) continue;
    const probed_kernel output(p, type, kernel.rules);
    INFO(kernel.name);
    CHECK(names_one_of(recipe_search(f, output.subjects()).result(), group, p));
  }
}

TEST_CASE("every known recipe is found by its output: MXFP4 in FP32") {
  check_every_recipe(mx::block_formats::mxfp4, mx::number_type::fp32);
}
TEST_CASE("every known recipe is found by its output: MXFP8 in BF16") {
  check_every_recipe(mx::block_formats::mxfp8_e4m3, mx::number_type::bf16);
}
TEST_CASE("every known recipe is found by its output: NVFP4 in FP32") {
  check_every_recipe(mx::block_formats::nvfp4, mx::number_type::fp32);
}

TEST_CASE("rules, a rounding, special blocks, a packing and a layout are found all at once") {
  const mx::block_format& f = mx::block_formats::mxfp4;
  const probe p = make_probe({f});
  validator::hypothesis r = plain_recipe(f);
  r.recipe.rules.rule = mx::scale_rule::rceil;
  r.recipe.rules.rounding = mx::rounding::ties_away;
  r.specials = {validator::special_scale::of_finite, validator::special_scale::largest,
                validator::special_codes::nan_keeps_sign};
  r.zeros = {127, validator::zero_sign::positive};
  r.recipe.codes.nibbles = mx::nibble_order::high_first;
  r.recipe.layout = mx::scale_layout::blocked_128x4;
  const probed_kernel kernel(p, mx::number_type::fp32, r);
  recipe_search search(f, kernel.subjects());
  REQUIRE(search.result().explaining.size() == 1);
  CHECK(search.result().explaining.front() == r);
  // A tie away from zero is decided by one bit below the last, which truncation to BF16 keeps; and
  // this tensor's rows are whole tiles, without a remainder.
  const std::vector<validator::dimension> dimensions = every_dimension();
  const auto values = search.values_in(dimensions, counts_always);
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    const bool open = dimensions[k] == validator::dimension::input_precision ||
                      dimensions[k] == validator::dimension::dropped_tail;
    INFO(name_of(dimensions[k]));
    CHECK((open || values[k].size() == 1));
    CHECK(values[k].front() == r);
  }
}

TEST_CASE("a rounding to BF16 under another rule is found by one change more") {
  const mx::block_format& f = mx::block_formats::mxfp8_e5m2;
  const probe p = make_probe({f});
  validator::hypothesis r = plain_recipe(f);
  r.recipe.rules.rule = mx::scale_rule::rceil;
  r.input = {validator::precision::bfloat16, validator::rounded_for::everything};
  const search_result found =
      recipe_search(f, probed_kernel(p, mx::number_type::fp32, r).subjects()).result();
  CHECK(std::any_of(found.explaining.begin(), found.explaining.end(),
                    [&](const hypothesis& e) { return e == r; }));
  CHECK(std::all_of(found.explaining.begin(), found.explaining.end(), [&](const hypothesis& e) {
    return e.recipe.rules.rounding == r.recipe.rules.rounding &&
           !(e.input == validator::input_rule{});
  }));
}

TEST_CASE("a wrong byte leaves all unexplained, and the kernel's rules are the nearest") {
  const mx::block_format& f = mx::block_formats::mxfp4;
  const probe p = make_probe({f});
  validator::hypothesis r = plain_recipe(f);
  r.recipe.rules.rule = mx::scale_rule::even;
  probed_kernel kernel(p, mx::number_type::fp32, r);
  std::size_t at = 0;
  while (kernel.output(0).codes[at] == 0) ++at;
  kernel.output(0).codes[at] ^= 0x01;
  const search_result found = recipe_search(f, kernel.subjects()).result();
  CHECK(found.explaining.empty());
  REQUIRE(!found.nearest.empty());
  CHECK(found.nearest.front().name == "even, nearest-even");
  CHECK(found.nearest.front().blocks + 1 == found.nearest.front().of);
  CHECK(found.has_known_sizes);
}

TEST_CASE("a wrong byte among blocks that repeat one another is found") {
  const mx::block_format& f = mx::block_formats::mxfp4;
  probe ones;
  ones.tensors.push_back({"x", {64, 32}, {}, 64, 64});
  for (int k = 0; k < 64 * 32; ++k) {
    for (const std::uint8_t byte : {0x00, 0x00, 0x80, 0x3F}) ones.tensors[0].bytes.push_back(byte);
  }
  probed_kernel kernel(ones, mx::number_type::fp32, plain_recipe(f));
  CHECK(recipe_search(f, kernel.subjects()).result().explaining.size() > 1000);
  for (std::vector<std::uint8_t>* bytes : {&kernel.output(0).codes, &kernel.output(0).scales}) {
    std::uint8_t& byte = (*bytes)[bytes->size() / 2 + 3];
    byte ^= 0x01;
    const search_result found = recipe_search(f, kernel.subjects()).result();
    CHECK(found.explaining.empty());
    CHECK(found.nearest.front().blocks == 63);
    byte ^= 0x01;
  }
}

/// A kernel of MXFP4 that looks at some numbers of a block only where it searches the largest one.
///   is_seen  by their position and bits
template <class IsSeen>
search_result found_of_kernel_that_sees(const probe& p, const IsSeen& is_seen) {
  const mx::block_format& f = mx::block_formats::mxfp4;
  const auto size = static_cast<std::size_t>(f.columns);
  probed_kernel kernel(p, mx::number_type::fp32, plain_recipe(f));
  for (std::size_t t = 0; t < p.tensors.size(); ++t) {
    for (std::size_t b = 0; b < p.tensors[t].blocks; ++b) {
      validator::coded_rows block{{f}, 1, size, std::vector<float>(size), {}, {}};
      std::memcpy(block.x.data(), p.tensors[t].bytes.data() + 4 * size * b, 4 * size);
      std::vector<float> seen = block.x;
      for (std::size_t k = 0; k < size; ++k) {
        if (!is_seen(k, block.x[k])) seen[k] = 0;
      }
      const auto is_ordinary = [](float x) { return std::isfinite(x) && x != 0; };
      if (std::ranges::none_of(seen, is_ordinary)) continue;
      if (!std::ranges::all_of(block.x, [](float x) { return std::isfinite(x); })) continue;
      validator::quantize_under_scales_of(block, seen);
      kernel.output(t).scales[b] = block.scales[0];
      for (std::size_t k = 0; k < size; k += 2) {
        const int byte = block.codes[k] | block.codes[k + 1] << 4;
        kernel.output(t).codes[(b * size + k) / 2] = static_cast<std::uint8_t>(byte);
      }
    }
  }
  return recipe_search(f, kernel.subjects()).result();
}

TEST_CASE("a kernel that misses some of the largest magnitudes is explained by those it sees") {
  using enum validator::amax_reach;
  const mx::block_format& f = mx::block_formats::mxfp4;
  for (const probe& p : {make_probe({f}), make_probe({f, mx::number_type::fp32, 12, 640})}) {
    const auto check = [&p](validator::amax_reach reach, const auto& is_seen) {
      const search_result found = found_of_kernel_that_sees(p, is_seen);
      INFO(static_cast<int>(reach));
      CHECK(found.explaining.size() == 1);
      if (!found.explaining.empty()) CHECK(found.explaining.front().amax == reach);
    };
    check(first_half, [](std::size_t k, float) { return k < 16; });
    check(second_half, [](std::size_t k, float) { return k >= 16; });
    check(even, [](std::size_t k, float) { return k % 2 == 0; });
    check(odd, [](std::size_t k, float) { return k % 2 == 1; });
    check(but_first, [](std::size_t k, float) { return k != 0; });
    check(but_last, [](std::size_t k, float) { return k != 31; });
    CHECK_FALSE(
        found_of_kernel_that_sees(p, [](std::size_t, float) { return true; }).explaining.empty());
  }
}

TEST_CASE("no recipe explains a kernel that sees what no known one does") {
  const probe p = make_probe({mx::block_formats::mxfp4});
  const auto sees = [&p](const auto& is_seen) {
    return !found_of_kernel_that_sees(p, is_seen).explaining.empty();
  };
  CHECK_FALSE(sees([](std::size_t, float x) { return x < 0; }));
  CHECK_FALSE(sees([](std::size_t k, float) { return k < 8; }));
  CHECK_FALSE(sees([](std::size_t k, float) { return k >= 8 && k < 24; }));
}

TEST_CASE("sizes of no known storage are told") {
  const mx::block_format& f = mx::block_formats::mxfp8_e4m3;
  const probe p = make_probe({f});
  probed_kernel kernel(p, mx::number_type::fp32, plain_recipe(f));
  std::vector<validator::subject> subjects = kernel.subjects();
  subjects.front().scales = subjects.front().scales.first(7);
  const search_result found = recipe_search(f, subjects).result();
  CHECK(found.explaining.empty());
  CHECK_FALSE(found.has_known_sizes);
}

}  // namespace
}  // namespace golden::probe
