// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/host_arithmetic_test.cpp: tensors have the same bits whatever the arithmetic of
// the calling program and of its threads (mx/tensor/ieee_arithmetic.h).
#include "mx/tensor/ieee_arithmetic.h"

#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "mx/recipe_words.h"
#include "mx/tensor/coded_tensor.h"
#include "tensor_bytes.h"
#include "unit/host_arithmetic.h"

namespace {

struct named_format {
  const char *name, *scale_rule = nullptr;
};
/// With scales of several bytes, searched ones, corrections, and values that are subnormal under
/// small scales.
constexpr named_format formats[] = {
    {"mxfp4"},           {"mxfp8-e4m3"},   {"mxfp6-e2m3"},     {"mxint8"},
    {"nvfp4"},           {"fp8-1x128"},    {"mxfp4", "mse"},   {"nvfp4", "4over6-mse"},
    {"mxfp4+mbs=128,8"}, {"mxfp4+of=0.5"}, {"mxfp4+rotate=32"}};
constexpr const char* variants[] = {"torchao-0.18.rceil", "te.mxfp8",         "te.nvfp4",
                                    "vllm.nvfp4",         "flashinfer.nvfp4", "aiter.even",
                                    "triton.v2.up",       "ggml.mxfp4"};

/// Presets have tables and vectors from 4096 blocks on.
constexpr std::uint64_t rows = 300, length = 512;
const mx::tensor_axes axes{{rows, length}, 1};

/// Any finite numbers, in half of the rows small ones: subnormal, or with subnormal values once
/// they are coded.
std::vector<float> drawn() {
  std::mt19937 random(7);
  std::vector<float> x(rows * length);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool small = i / length % 2 == 0;
    const auto exponent = static_cast<std::uint32_t>(random() % (small ? 6 : 200));
    x[i] = mx::float_of((random() & 0x807FFFFF) | exponent << 23);
  }
  return x;
}

/// What a recipe gives for a tensor: its arrays, and the patterns of the values that they
/// decode to.
struct outcome {
  tests::tensor_bytes coded;
  std::vector<std::uint32_t> values;
  friend bool operator==(const outcome&, const outcome&) = default;
};

outcome outcome_of(const mx::recipe& r, const std::vector<float>& x) {
  const mx::coded_shape s = mx::coded_shape_of(r, axes);
  outcome found{{r, s}, {}};
  mx::quantize_tensor(r, s, mx::number_type::fp32, x.data(), nullptr, found.coded.places());
  std::vector<float> values(x.size());
  mx::dequantize_tensor(r, s, found.coded.constant(), values.data());
  for (const float value : values) found.values.push_back(mx::bits_of(value));
  return found;
}

/// Whether find() finds the same in every host.
template <class Find>
bool is_same_in_every_host(const Find& find) {
  const auto expected = find();
  bool same = true;
  tests::in_every_host([&] { same = same && find() == expected; });
  return same;
}

void compare(const mx::recipe_words& words) {
  INFO(words.format.value_or("") << " " << words.variant.value_or(""));
  const mx::recipe r = mx::recipe_spelled(words);
  const std::vector<float> x = drawn();
  CHECK(is_same_in_every_host([&] { return outcome_of(r, x); }));
}

}  // namespace

TEST_CASE("the_scope_restores_what_held_before_it") {
  CHECK(mx::ieee_arithmetic::holds());
  tests::in_every_host([] {
    const bool changed = !mx::ieee_arithmetic::holds();
    bool inside = false;
    {
      const mx::ieee_arithmetic scope;
      inside = mx::ieee_arithmetic::holds();
    }
    CHECK((changed && inside && !mx::ieee_arithmetic::holds()));
  });
}

TEST_CASE("codes_and_values_do_not_depend_on_the_host's_arithmetic") {
  for (const named_format& format : formats) {
    mx::recipe_words words;
    words.format = format.name;
    if (format.scale_rule != nullptr) words.scale_rule = format.scale_rule;
    compare(words);
  }
}

TEST_CASE("presets_do_not_depend_on_the_host's_arithmetic") {
  for (const char* variant : variants) {
    mx::recipe_words words;
    words.variant = variant;
    compare(words);
  }
}

TEST_CASE("energies_do_not_depend_on_the_host's_arithmetic") {
  const std::vector<float> x = drawn();
  for (const char* format : {"mxfp4", "mxfp8-e4m3", "nvfp4", "mxint8"}) {
    INFO(format);
    mx::recipe_words words;
    words.format = format;
    const mx::recipe r = mx::recipe_spelled(words);
    CHECK(is_same_in_every_host(
        [&] { return mx::decompose_tensor(r, axes, mx::number_type::fp32, x.data(), nullptr); }));
  }
}
