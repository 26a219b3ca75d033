// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/nvfp4_presets_test.cpp: mx/presets/nvfp4_presets.h: each preset against its
// kernel's operations in this machine's arithmetic, and the presets against each other.
#include <functional>
#include <set>
#include <string>

#include "catch.h"
#include "nvfp4_ports.h"

namespace {

using namespace nvfp4_test;
using port = std::function<quantized(const values&, float)>;

void check_equal(const char* name, const port& theirs, specials with, int blocks = 20000) {
  const mx::nvfp4_variant& v = *mx::preset_named(mx::nvfp4_presets::all, name);
  hard_blocks source(11);
  for (int i = 0; i < blocks; ++i) {
    const hard_block block = source.next(v.size(), with);
    const quantized ours = quantize(v, block.x, block.tensor_amax);
    INFO(name << ", block " << i << ", amax of the tensor " << block.tensor_amax);
    const quantized expected = theirs(block.x, block.tensor_amax);
    REQUIRE(ours.scale == expected.scale);
    REQUIRE(ours.codes == expected.codes);
  }
}

TEST_CASE("te_presets_are_transformer_engines_operations") {
  check_equal("te.nvfp4", te, specials::some);
  check_equal("te.nvfp4-row-scaled", te, specials::some);
  check_equal("te.nvfp4-2d", te, specials::some, 2000);
  check_equal("te.nvfp4-fast-math", te_fast_math, specials::some);
}

TEST_CASE("torchao_presets_are_torchaos_operations") {
  check_equal("torchao.nvfp4", torchao, specials::none);
  check_equal("torchao.nvfp4-single-level", torchao_single_level, specials::none);
  check_equal("torchao.nvfp4-training", te, specials::none);
  check_equal("torchao.nvfp4-training-0.18", torchao_training_0_18, specials::none);
}

TEST_CASE("flashinfer_and_vllm_presets_are_their_operations") {
  check_equal("flashinfer.nvfp4", flashinfer, specials::some);
  check_equal("flashinfer.nvfp4-fast", approximate<decides::amax>, specials::some);
  check_equal("trtllm.nvfp4", approximate<decides::amax>, specials::some);
  check_equal("vllm.nvfp4", approximate<decides::scale>, specials::some);
}

TEST_CASE("triton_ggml_universal_and_quartet_presets_are_their_operations") {
  check_equal("triton.nvfp4", triton, specials::some);
  check_equal("ggml.nvfp4", ggml, specials::some);
  check_equal("universal.nvfp4", universal, specials::some);
  check_equal(
      "quartet2.nvfp4",
      [](const values& x, float amax) { return quartet2(x, quartet2_scale(amax, 448), 6); },
      specials::some);
}

TEST_CASE("static_rules_of_fouroversix_are_its_operations") {
  const auto with_max = [](float max) {
    return [max](const values& x, float amax) { return fouroversix(x, amax, max, 448); };
  };
  check_equal("fouroversix.nvfp4-static-6", with_max(6), specials::some);
  check_equal("fouroversix.nvfp4-static-4", with_max(4), specials::some);
}

/// Whether any block distinguishes two presets with blocks of one row.
bool differ(const mx::nvfp4_variant& a, const mx::nvfp4_variant& b) {
  hard_blocks source(5);
  for (int i = 0; i < 20000; ++i) {
    const hard_block block = source.next(a.size(), specials::some);
    if (quantize(a, block.x, block.tensor_amax) != quantize(b, block.x, block.tensor_amax)) {
      return true;
    }
  }
  return false;
}

// Same operations under several names, or the same block of a tensor divided differently.
std::string_view twin_of(std::string_view name) {
  if (name == "te.nvfp4-row-scaled" || name == "torchao.nvfp4-training") return "te.nvfp4";
  if (name == "trtllm.nvfp4") return "flashinfer.nvfp4-fast";
  return name;
}

TEST_CASE("any_two_presets_differ_on_some_block_unless_they_are_the_same_operations") {
  for (const mx::nvfp4_variant& a : mx::nvfp4_presets::all) {
    for (const mx::nvfp4_variant& b : mx::nvfp4_presets::all) {
      if (&a >= &b || a.rows != b.rows) continue;
      INFO(a.about.name << " and " << b.about.name);
      CHECK(differ(a, b) == (twin_of(a.about.name) != twin_of(b.about.name)));
    }
  }
}

TEST_CASE("on_finite_blocks_that_do_not_underflow_flashinfer_is_transformer_engine") {
  const auto& te = *mx::preset_named(mx::nvfp4_presets::all, "te.nvfp4");
  const auto& flashinfer = *mx::preset_named(mx::nvfp4_presets::all, "flashinfer.nvfp4");
  const auto& reference = *mx::preset_named(mx::nvfp4_presets::all, "te.nvfp4-reference");
  hard_blocks source(3);
  for (int i = 0; i < 20000; ++i) {
    hard_block block = source.next(16, specials::none);
    if (block.tensor_amax < 0x1p-100F) continue;
    for (float& x : block.x) x = x == 0 ? 0.0F : x;
    const quantized expected = quantize(te, block.x, block.tensor_amax);
    if (expected.scale == 0) continue;
    REQUIRE(quantize(flashinfer, block.x, block.tensor_amax) == expected);
    const quantized found = quantize(reference, block.x, block.tensor_amax);
    REQUIRE(found == expected);
  }
}

TEST_CASE("decoding_follows_the_order_of_each_framework") {
  const auto decoded = [](const char* name, int code, int scale) {
    const mx::nvfp4_variant& v = *mx::preset_named(mx::nvfp4_presets::all, name);
    return mx::dequantize_element(v, static_cast<std::uint32_t>(code),
                                  static_cast<std::uint32_t>(scale), mx::tensor_of(v, 3.7F));
  };
  for (int scale = 0; scale < 0x7F; ++scale) {
    for (int code = 0; code < 16; ++code) {
      const float q = static_cast<float>(element_value(code)), s = scale_number(scale);
      const float p = 3.7F / 2688.0F, d = 1.0F / (2688.0F / 3.7F);
      CHECK(decoded("te.nvfp4", code, scale) == q * (s * 3.7F * (1.0F / 2688.0F)));
      CHECK(decoded("torchao.nvfp4", code, scale) == q * (s * p));
      CHECK(decoded("fouroversix.nvfp4-mse", code, scale) == q * s * 3.7F / 1536.0F);
      CHECK(decoded("vllm.nvfp4", code, scale) == q * s * d);
      CHECK(decoded("triton.nvfp4", code, scale) == q * s);
      CHECK(mx::bits_of(decoded("ggml.nvfp4", code, scale)) ==
            mx::bits_of(code == 8 ? 0.0F : q * s));
    }
  }
  CHECK(mx::fp32::is_nan(decoded("te.nvfp4", 3, 0x7F)));
  CHECK(decoded("ggml.nvfp4", 3, 0x7F) == 0.0F);
}

}  // namespace
