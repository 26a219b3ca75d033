// SPDX-License-Identifier: Apache-2.0
// tests/bindings/bindings_host_arithmetic_test.cpp: verdicts are the same whatever the arithmetic
// of the calling program and of its threads (mx/tensor/ieee_arithmetic.h).
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "coded_by_library.h"
#include "unit/host_arithmetic.h"

namespace {

constexpr std::uint64_t rows = 64, length = 256;
constexpr std::uint64_t extents[] = {rows, length};
constexpr mx_shape shape{extents, 2, 1};

float number_of(std::uint32_t bits) {
  float x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// Ordinary numbers; among them negative zeros, and subnormals that vanish beside them.
library::floats drawn() {
  library::floats x(rows * length);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    state = state * 1664525 + 1013904223;
    std::uint32_t bits = (state & 0x807FFFFF) | (120 + (state >> 24) % 8) << 23;
    if (i % 7 == 3) bits = 0x80000000;
    if (i % 11 == 5) bits = 0x80000001 | (state & 0x7FFFFF);
    x[i] = number_of(bits);
  }
  return x;
}

/// A verdict in words.
std::string text_of(mx_verdict* v) {
  mx_verdict_facts facts{};
  facts.struct_size = sizeof facts;
  REQUIRE(mx_verdict_describe(v, &facts, nullptr) == mx_status_ok);
  std::string text = facts.text;
  mx_verdict_destroy(v);
  return text;
}

std::string verdict_of(const mx_format* declared, const library::floats& x, const mx_coded& found) {
  const mx_numbers numbers{x.data(), x.size() * sizeof(float), mx_number_fp32};
  mx_verdict* made = nullptr;
  REQUIRE(mx_tensor_verify(declared, &shape, &numbers, &found, nullptr, &made, nullptr) ==
          mx_status_ok);
  return text_of(made);
}

/// A format's own output.
library::coded_arrays quantized(const mx_format* f, const library::floats& x) {
  library::coded_arrays made(f, shape);
  const mx_numbers numbers{x.data(), x.size() * sizeof(float), mx_number_fp32};
  REQUIRE(mx_tensor_quantize(f, &shape, &numbers, made.get(), nullptr, nullptr) == mx_status_ok);
  return made;
}

void compare(const library::floats& x, const mx_format* declared, mx_coded found,
             const std::string& expected) {
  found.tensor_amax = {nullptr, 0};  // no kernel's output
  CHECK(verdict_of(declared, x, found).find(expected) != std::string::npos);
  const std::string plain = verdict_of(declared, x, found);
  tests::in_every_host([&] { CHECK(verdict_of(declared, x, found) == plain); });
}

}  // namespace

TEST_CASE("a_kernel_that_loses_the_sign_of_zeros_is_told_from_one_that_flushes") {
  const auto f = library::format("mxfp4", "packing=unpacked");
  const library::floats x = drawn();
  const library::coded_arrays made = quantized(f.get(), x);
  auto* codes = static_cast<std::uint8_t*>(made.get()->codes.data);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x[i], sizeof bits);
    if (bits == 0x80000000) codes[i] = 0;
  }
  compare(x, f.get(), *made.get(), "-0 becomes +0");
}

TEST_CASE("another_rule_is_found_in_every_program") {
  struct kernel {
    const char *declared, *options, *variant, *expected;
  };
  const kernel kernels[] = {{"mxfp4", "", "scale-rule=rceil", "rceil"},
                            {"mxfp4", "", "variant=triton.v0.up", "verdict"},
                            {"mxfp8-e4m3", "", "variant=te.mxfp8", "verdict"},
                            {"nvfp4", "", "variant=vllm.nvfp4", "verdict"}};
  const library::floats x = drawn();
  for (const kernel& k : kernels) {
    INFO(k.declared << " " << k.variant);
    const auto declared = library::format(k.declared, k.options);
    const auto own = library::format(k.declared, k.variant);
    const library::coded_arrays made = quantized(own.get(), x);
    compare(x, declared.get(), *made.get(), k.expected);
  }
}

TEST_CASE("products_with_subnormal_results_have_the_same_verdict") {
  const auto m = library::model("fp32.fma", "a-format=bf16 b-format=bf16");
  constexpr std::uint64_t lines = 8, k = 16;
  std::vector<std::uint16_t> codes(lines * k);
  for (std::size_t i = 0; i < codes.size(); ++i)
    codes[i] = static_cast<std::uint16_t>(0x2000 + 37 * i);
  std::vector<std::uint32_t> d(lines * lines);
  mx_product p{};
  p.struct_size = sizeof p;
  p.m = p.n = lines, p.k = k;
  p.a = {{codes.data(), codes.size() * 2}, mx_codes_halves, k * 2, {nullptr, 0}};
  p.b = p.a;
  p.d = {d.data(), d.size() * sizeof d[0]};
  REQUIRE(mx_model_gemm(m.get(), &p, nullptr, nullptr) == mx_status_ok);
  for (std::size_t i = 0; i < d.size(); i += 3) ++d[i];
  const auto verdict = [&] {
    mx_verdict* made = nullptr;
    REQUIRE(mx_product_verify(m.get(), &p, nullptr, mx_declared_formats, &made, nullptr) ==
            mx_status_ok);
    return text_of(made);
  };
  const std::string plain = verdict();
  tests::in_every_host([&] { CHECK(verdict() == plain); });
}
