// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/host_arithmetic_test.cpp: tensors have the same bits whatever the arithmetic of the
// calling program and of its threads (mx/tensor/ieee_arithmetic.h).
#include "mx/tensor/ieee_arithmetic.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "mx/recipe_words.h"
#include "mx/tensor/coded_tensor.h"
#include "unit/host_arithmetic.h"

namespace {

using bytes = std::vector<std::uint8_t>;

/// Presets, corrections, scales with several bytes, searched ones, and formats whose values under small scales
/// are subnormal.
struct named_format {
  const char *name, *scale_rule = nullptr;
};
constexpr named_format formats[] = {
    {"mxfp4"},           {"mxfp8-e4m3"},   {"mxfp6-e2m3"},     {"mxint8"},
    {"nvfp4"},           {"fp8-1x128"},    {"mxfp4", "mse"},   {"nvfp4", "4over6-mse"},
    {"mxfp4+mbs=128,8"}, {"mxfp4+of=0.5"}, {"mxfp4+rotate=32"}};
constexpr const char* variants[] = {"torchao-0.18.rceil", "te.mxfp8",         "te.nvfp4",
                                    "vllm.nvfp4",         "flashinfer.nvfp4", "aiter.even",
                                    "triton.v2.up",       "ggml.mxfp4"};

constexpr std::uint64_t rows = 64, length = 512;

/// Any finite numbers, in half of the rows small ones: subnormal, or with subnormal values once they are coded.
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

template <class Value>
void append(bytes& all, const Value* values, std::size_t count) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(values);
  all.insert(all.end(), first, first + count * sizeof(Value));
}

/// Everything that a recipe gives for a tensor: its arrays, its values, and the parts of its error.
bytes all_of(const mx::recipe& r, const std::vector<float>& x) {
  const mx::tensor_axes axes{{rows, length}, 1};
  const mx::coded_shape s = mx::coded_shape_of(r, axes);
  bytes codes(s.codes.bytes()), scales(s.scales.bytes()), fractions(s.macro_fractions.bytes()),
      above(s.tensor_scales.bytes()), amax(s.tensor_scales.bytes());
  bytes residual_codes = codes, residual_scales = scales, residual_fractions = fractions;
  std::vector<float> values(x.size());
  mx::quantize_tensor(r, s, mx::number_type::fp32, x.data(), nullptr,
                      {{codes.data(), scales.data(), fractions.data()},
                       {residual_codes.data(), residual_scales.data(), residual_fractions.data()},
                       above.data(),
                       amax.data()});
  mx::dequantize_tensor(r, s,
                        {{codes.data(), scales.data(), fractions.data()},
                         {residual_codes.data(), residual_scales.data(), residual_fractions.data()},
                         above.data(),
                         amax.data()},
                        values.data());
  bytes all;
  for (const bytes* part : {&codes, &scales, &fractions, &residual_codes, &residual_scales,
                            &residual_fractions, &above, &amax}) {
    append(all, part->data(), part->size());
  }
  append(all, values.data(), values.size());
  return all;
}

void compare(const mx::recipe_words& words) {
  INFO(words.format.value_or("") << " " << words.variant.value_or(""));
  const mx::recipe r = mx::recipe_spelled(words);
  const std::vector<float> x = drawn();
  const bytes expected = all_of(r, x);
  bool same = true;
  tests::in_every_host([&] { same = same && all_of(r, x) == expected; });
  CHECK(same);
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
    const auto energy = [&] {
      const mx::error_energy found =
          mx::decompose_tensor(r, {{rows, length}, 1}, mx::number_type::fp32, x.data(), nullptr);
      bytes all;
      append(all, &found, 1);
      return all;
    };
    const bytes expected = energy();
    bool same = true;
    tests::in_every_host([&] { same = same && energy() == expected; });
    CHECK(same);
  }
}
