// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/four_over_six_variants_test.cpp: mx/presets/four_over_six_variants.h against
// the kernels' operations in this machine's arithmetic.
#include "catch.h"
#include "four_over_six_ports.h"

namespace {

using namespace nvfp4_test;

/// Compares on hard blocks; returns how many of them were mapped to four.
template <class Port>
int check_equal(const char* name, Port theirs, int blocks = 20000) {
  const mx::nvfp4_variant& v = *mx::preset_named(mx::nvfp4_presets::all, name);
  mx::nvfp4_variant only_six = v;
  only_six.search.norm = mx::candidate_norm::none;
  hard_blocks source(23);
  int fours = 0;
  for (int i = 0; i < blocks; ++i) {
    const hard_block block = source.next(v.size(), specials::none);
    const quantized ours = quantize(v, block.x, block.tensor_amax);
    const quantized expected = theirs(block.x, block.tensor_amax);
    INFO(name << ", block " << i << ", amax of the tensor " << block.tensor_amax);
    REQUIRE(ours.scale == expected.scale);
    REQUIRE(ours.codes == expected.codes);
    fours += ours.scale != quantize(only_six, block.x, block.tensor_amax).scale;
  }
  return fours;
}

TEST_CASE("transformer_engines_four_over_six_is_its_operations_in_their_order") {
  struct choice {
    const char* name;
    norm n;
    float bound;
    domain d;
  };
  constexpr choice choices[] = {{"te.4over6-mae", norm::magnitudes, 448, domain::decoded},
                                {"te.4over6-mae-256", norm::magnitudes, 256, domain::decoded},
                                {"te.4over6-mse", norm::squares, 448, domain::decoded},
                                {"te.4over6-mse-256", norm::squares, 256, domain::decoded},
                                {"te.4over6-mae-fast", norm::magnitudes, 448, domain::encoded},
                                {"te.4over6-mse-fast", norm::squares, 448, domain::encoded},
                                {"te.4over6-mae-2d", norm::magnitudes, 448, domain::decoded},
                                {"te.4over6-mse-2d", norm::squares, 448, domain::decoded}};
  for (const choice& c : choices) {
    const bool tiles = std::string_view(c.name).ends_with("2d");
    const auto port = [&c](const values& x, float amax) {
      return te_4over6(x, amax, c.n, c.bound, c.d);
    };
    CHECK(check_equal(c.name, port, tiles ? 2000 : 20000) > (tiles ? 100 : 2000));
  }
}

TEST_CASE("flashinfers_four_over_six_decodes_candidates_by_the_reciprocal_of_the_factor") {
  struct choice {
    const char* name;
    norm n;
    float bound;
  };
  for (const choice& c : {choice{"flashinfer.4over6-mae", norm::magnitudes, 448},
                          choice{"flashinfer.4over6-mae-256", norm::magnitudes, 256},
                          choice{"flashinfer.4over6-mse", norm::squares, 448},
                          choice{"flashinfer.4over6-mse-256", norm::squares, 256}}) {
    const auto port = [&c](const values& x, float amax) {
      return flashinfer_4over6(x, amax, c.n, c.bound);
    };
    CHECK(check_equal(c.name, port) > 2000);
  }
}

TEST_CASE("fouroversix_is_its_operations_with_sums_in_ascending_order") {
  const auto with_norm = [](norm n) {
    return [n](const values& x, float amax) { return fouroversix_search(x, amax, n); };
  };
  CHECK(check_equal("fouroversix.nvfp4-mse", with_norm(norm::squares)) > 2000);
  CHECK(check_equal("fouroversix.nvfp4-mae", with_norm(norm::magnitudes)) > 2000);
  CHECK(check_equal("fouroversix.nvfp4-abs-max", with_norm(norm::largest)) > 2000);
}

TEST_CASE("quartet_ii_adds_squares_in_two_lanes_of_two_threads_with_one_rounding_each") {
  CHECK(check_equal("quartet2.nvfp4-four-six", quartet2_four_six) > 2000);
}

struct near_tie {
  std::string_view norm;
  float tensor_amax;
  int te, flashinfer;                   ///< scales
  std::array<std::uint32_t, 16> upper;  ///< upper halves of the block's numbers, in BF16
};

TEST_CASE("flashinfer_and_transformer_engine_choose_otherwise_where_errors_almost_tie") {
  const near_tie ties[] = {{"mae",
                            mx::float_of(0x40AB0000),
                            0x78,
                            0x73,
                            {0xBF14, 0x3FF8, 0x3FA3, 0x4003, 0xBF37, 0xBE30, 0xBEDE, 0x3CCC, 0xBF7D,
                             0x3FE7, 0xBF62, 0xBE31, 0x3F71, 0xBF17, 0x3DA1, 0x3F50}},
                           {"mae-256",
                            mx::float_of(0x40B60000),
                            0x6E,
                            0x73,
                            {0xBFA5, 0x3F45, 0xBEA4, 0xBDDA, 0x3CA4, 0x4021, 0xBF69, 0x3F83, 0x3E91,
                             0xBEFD, 0xBE0C, 0x3D22, 0xBE02, 0xBF64, 0xBDB1, 0x3F38}},
                           {"mse",
                            mx::float_of(0x40DA0000),
                            0x79,
                            0x74,
                            {0xBEF1, 0xBEB1, 0xC041, 0xBF3C, 0x3F18, 0xBF43, 0xBF96, 0x3F41, 0xBFDB,
                             0xBF6B, 0xBF91, 0x3EF4, 0xBEC1, 0x3D0A, 0x3F82, 0x3E89}},
                           {"mse-256",
                            mx::float_of(0x409E0000),
                            0x73,
                            0x6E,
                            {0x3F3C, 0x3F14, 0xBDBA, 0xBEFD, 0x3F1A, 0x3F26, 0x3DA7, 0x3F79, 0xBEB0,
                             0xBEFA, 0x3ED8, 0x3DF1, 0x3FD5, 0xBD12, 0xC00B, 0x3F52}}};
  for (const near_tie& tie : ties) {
    values x;
    for (const std::uint32_t half : tie.upper) x.push_back(mx::float_of(half << 16));
    const auto scale_of = [&](const std::string& framework) {
      const std::string name = framework + ".4over6-" + std::string(tie.norm);
      const mx::nvfp4_variant& v = *mx::preset_named(mx::nvfp4_presets::all, name);
      return quantize(v, x, tie.tensor_amax).scale;
    };
    INFO(tie.norm);
    CHECK(scale_of("te") == tie.te);
    CHECK(scale_of("flashinfer") == tie.flashinfer);
  }
}

// A choice depends on the last bit of a sum only once in a great many blocks.
TEST_CASE("errors_are_the_kernels_to_the_last_bit") {
  hard_blocks source(31);
  const auto& te = *mx::preset_named(mx::nvfp4_presets::all, "te.4over6-mse");
  const auto& flashinfer = *mx::preset_named(mx::nvfp4_presets::all, "flashinfer.4over6-mse");
  const auto& quartet = *mx::preset_named(mx::nvfp4_presets::all, "quartet2.nvfp4-four-six");
  for (int i = 0; i < 5000; ++i) {
    const hard_block block = source.next(16, specials::none);
    const auto error = [&block](const mx::nvfp4_variant& v, const quantized& q, float multiplier) {
      const mx::nvfp4_candidate candidate{static_cast<std::uint32_t>(q.scale), multiplier};
      return mx::bits_of(
          mx::error_of(v, block.x.data(), 1, candidate, mx::tensor_of(v, block.tensor_amax)));
    };
    const float s = te_factor(block.tensor_amax), d = quartet2_scale(block.tensor_amax, 256);
    const int scale = scale_code(std::fmin(block_amax(block.x) / 6.0F * s, 448.0F));
    const quantized of_te = with_multiplier(block.x, scale, te_multiplier(scale, s));
    const float te_error = block_error(norm::squares, block.x, of_te, block.tensor_amax, 2688, 0);
    if (!std::isnan(te_error)) {
      REQUIRE(error(te, of_te, te_multiplier(scale, s)) == mx::bits_of(te_error));
    }
    const float rescaled = flashinfer_error(norm::squares, block.x, of_te, 1.0F / s);
    if (!std::isnan(rescaled)) {
      REQUIRE(error(flashinfer, of_te, te_multiplier(scale, s)) == mx::bits_of(rescaled));
    }
    const quantized of_quartet = quartet2(block.x, d, 6);
    const float number = of_quartet.scale == 0 ? 1.0F : scale_number(of_quartet.scale);
    const float expected = quartet2_error(block.x, of_quartet, d);
    if (!std::isnan(expected)) {
      REQUIRE(error(quartet, of_quartet, 1.0F / (number * d)) == mx::bits_of(expected));
    }
  }
}

/// Block amaxes near which the scale for four changes, in a tensor whose scales are times `factor`.
values near_ties(float factor) {
  values near;
  for (int code = 16; code < 0x7E; ++code) {
    const double tie = (scale_value(code) + scale_value(code + 1)) / 2;
    const std::uint32_t bits = mx::bits_of(static_cast<float>(tie * 4 / factor));
    for (std::uint32_t i = 0; i < 9; ++i) near.push_back(mx::float_of(bits - 4 + i));
  }
  return near;
}

// Amaxes at which the two differ, for blocks that prefer four.
TEST_CASE("the_scale_for_four_is_half_more_than_that_for_six_or_a_division_of_its_own") {
  const auto& te = *mx::preset_named(mx::nvfp4_presets::all, "te.4over6-mse");
  const auto& quartet = *mx::preset_named(mx::nvfp4_presets::all, "quartet2.nvfp4-four-six");
  int witnesses = 0, quartet_witnesses = 0;
  for (float tensor_amax = 3; tensor_amax < 4; tensor_amax += 0.01F) {
    const float s = te_factor(tensor_amax), d = quartet2_scale(tensor_amax, 256);
    const auto preferring_four = [](float amax) {
      values x(16, amax / 6.0F * 5.0F);
      x[0] = amax;
      return x;
    };
    for (const float amax : near_ties(s)) {
      const int half_more = scale_code(amax / 6.0F * s * 1.5F);
      if (half_more == scale_code(amax / 4.0F * s)) continue;
      CHECK(quantize(te, preferring_four(amax), tensor_amax).scale == half_more);
      ++witnesses;
    }
    for (const float amax : near_ties(1 / d)) {
      const int divided = scale_code(amax / 4.0F / d);
      if (divided == scale_code(amax / 6.0F / d * 1.5F)) continue;
      CHECK(quantize(quartet, preferring_four(amax), tensor_amax).scale == divided);
      ++quartet_witnesses;
    }
  }
  CHECK(witnesses > 100);
  CHECK(quartet_witnesses > 100);
}

TEST_CASE("a_tie_of_errors_maps_to_six") {
  for (const mx::nvfp4_variant& v : mx::nvfp4_presets::all) {
    if (v.search.norm == mx::candidate_norm::none) continue;
    INFO(v.about.name);
    values x(static_cast<std::size_t>(v.size()));
    x[0] = 768;  // 6 * 128 and 4 * 192
    const quantized found = quantize(v, x, v.order.bound * 6);
    CHECK(found.codes[0] == 7);
  }
}

// Elements at 5/6 of the largest are in the middle of the gap at 6, and close to a code at 4.
TEST_CASE("a_block_that_a_map_to_four_fits_better_takes_it") {
  for (const mx::nvfp4_variant& v : mx::nvfp4_presets::all) {
    if (v.search.norm == mx::candidate_norm::none) continue;
    INFO(v.about.name);
    values x(static_cast<std::size_t>(v.size()), 5.0F);
    x[0] = 6.0F;
    const quantized found = quantize(v, x, v.order.bound * 6);
    CHECK(found.scale == 0x3C);  // 1.5
    CHECK(found.codes[0] == 6);
    CHECK(found.codes[1] == 5);
  }
}

TEST_CASE("an_error_that_is_not_a_number_maps_to_six") {
  const mx::nvfp4_variant& v = *mx::preset_named(mx::nvfp4_presets::all, "te.4over6-mae");
  values x(16, 5.0F);
  x[0] = 6.0F;
  x[1] = mx::fp32::nan;
  CHECK(quantize(v, x, 2688.0F).scale == 0x38);
}

}  // namespace
