// SPDX-License-Identifier: Apache-2.0
// tests/bindings/bindings_verify_test.cpp: any output of a kernel, of any length, gets a verdict or
// is refused; the library's own output is exact.
#include <array>
#include <cstring>
#include <random>

#include "coded_by_library.h"

namespace {

using extents = std::vector<std::uint64_t>;

struct declared_format {
  const char* name;
  const char* options;
};

constexpr std::array formats{
    declared_format{"mxfp4", ""},
    declared_format{"mxfp4", "packing=unpacked layout=128x4"},
    declared_format{"mxfp4", "packing=split-half scale-rule=rceil"},
    declared_format{"nvfp4", ""},
    declared_format{"nvfp4", "tensor-scale=given"},
    declared_format{"nvfp4", "layout=128x4"},
    declared_format{"e2m1:ue4m3:16:row", ""},
    declared_format{"mxfp8-e5m2", "rounding=stochastic seed=3"},
    declared_format{"mxfp6-e3m2", ""},
    declared_format{"mxint8", ""},
    declared_format{"fp8-1x128", ""},
    declared_format{"e3m2:e8m3:4x8", ""},
    declared_format{"mxfp4", "variant=torchao.rceil"},
    declared_format{"nvfp4", "variant=te.nvfp4"},
    declared_format{"mxfp4+double", ""},
    declared_format{"nvfp4+double", "scale-rule=rceil"},
    declared_format{"nvfp4+gain=16/17", "packing=unpacked"},
    declared_format{"mxfp4+mbs=64,8+of=0.5", "layout=128x4"},
    declared_format{"mxfp8-e4m3+mbs=64,12+rotate=64", ""},
};

/// Reads every part of a verdict.
void ask(const mx_verdict* v) {
  mx_verdict_facts facts{};
  facts.struct_size = sizeof facts;
  REQUIRE(mx_verdict_describe(v, &facts, nullptr) == mx_status_ok);
  CHECK((facts.explanations > 0) == (facts.kind == mx_verdict_explained));
  for (std::uint64_t i = 0; i < facts.explanations; ++i) {
    mx_explanation why{};
    why.struct_size = sizeof why;
    REQUIRE(mx_explanation_describe(v, i, &why, nullptr) == mx_status_ok);
    CHECK((why.changes >= 1 && why.changes <= 2 && why.telling < why.changes));
    for (std::uint64_t k = 0; k < why.changes; ++k) {
      mx_change change{};
      change.struct_size = sizeof change;
      REQUIRE(mx_change_describe(v, i, k, &change, nullptr) == mx_status_ok);
      CHECK(std::string(change.expected) != change.found);
    }
  }
  mx_places where{};
  where.struct_size = sizeof where;
  REQUIRE(mx_places_describe(v, &where, nullptr) == mx_status_ok);
  CHECK((where.pattern != nullptr) == (std::string(where.text) != ""));
  CHECK((where.blocks > 0) == (where.codes + where.scales + where.padding > 0));
  CHECK(where.codes + where.padding <= facts.codes);
  mx_difference first{};
  first.struct_size = sizeof first;
  const bool differs = mx_difference_describe(v, &first, nullptr) == mx_status_ok;
  CHECK(differs == (facts.kind != mx_verdict_exact));
}

/// A kernel's output, passed to the library.
struct kernel_output {
  const mx_format* format;
  const extents& shape;
  int axis;
  const library::floats& x;
  library::bytes codes = {}, scales = {}, tensor_scales = {}, macro_fractions = {};
  library::bytes residual_codes = {}, residual_scales = {}, residual_macro_fractions = {};

  [[nodiscard]] mx_coded arrays() {
    return {sizeof(mx_coded),
            library::buffer_of(codes),
            library::buffer_of(scales),
            library::buffer_of(tensor_scales),
            {nullptr, 0},
            library::buffer_of(macro_fractions),
            library::buffer_of(residual_codes),
            library::buffer_of(residual_scales),
            library::buffer_of(residual_macro_fractions)};
  }
  /// The status after reading every part of the verdict, and the verdict's kind.
  mx_status judge(int* kind) {
    const mx_shape s{shape.data(), static_cast<std::uint32_t>(shape.size()), axis};
    const mx_numbers numbers{x.data(), x.size() * sizeof(float), mx_number_fp32};
    const mx_coded found = arrays();
    mx_search search{sizeof search, 1};
    mx_verdict* made = nullptr;
    std::string text(500, '\0');
    mx_error error{text.data(), text.size(), 0};
    const mx_status status = mx_tensor_verify(format, &s, &numbers, &found, &search, &made, &error);
    INFO(text.c_str());
    CHECK(status != mx_status_internal);
    CHECK((made != nullptr) == (status == mx_status_ok));
    mx_verdict_facts facts{};
    facts.struct_size = sizeof facts;
    if (made != nullptr) ask(made);
    if (mx_verdict_describe(made, &facts, nullptr) == mx_status_ok) *kind = facts.kind;
    mx_verdict_destroy(made);
    return status;
  }
};

std::uint64_t elements_of(const extents& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) count *= extent;
  return count;
}

/// The library's output, in the arrays that a kernel writes.
bool quantized(kernel_output& out) {
  const mx_shape s{out.shape.data(), static_cast<std::uint32_t>(out.shape.size()), out.axis};
  const mx_numbers numbers{out.x.data(), out.x.size() * sizeof(float), mx_number_fp32};
  const library::coded_arrays arrays(out.format, s);
  if (arrays.get()->tensor_scales.bytes > 0) {
    auto* above = static_cast<float*>(arrays.get()->tensor_scales.data);
    std::fill_n(above, arrays.get()->tensor_scales.bytes / sizeof(float), 0.25F);
  }
  if (mx_tensor_quantize(out.format, &s, &numbers, arrays.get(), nullptr, nullptr) !=
      mx_status_ok) {
    return false;
  }
  const library::coded made = arrays.copy();
  if (made.arrays.empty()) return false;
  out.codes = made.arrays[0];
  out.scales = made.arrays[1];
  out.tensor_scales = made.arrays[2];
  out.macro_fractions = made.arrays[4];
  out.residual_codes = made.arrays[5];
  out.residual_scales = made.arrays[6];
  out.residual_macro_fractions = made.arrays[7];
  return true;
}

/// Changes some bytes, or adds or removes some.
void disturb(library::bytes& bytes, std::mt19937& draw) {
  const auto below = [&draw](std::size_t n) { return std::size_t{draw()} % n; };
  switch (below(4)) {
    case 0:
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(draw());
      return;
    case 1:
      if (!bytes.empty()) bytes[below(bytes.size())] ^= static_cast<std::uint8_t>(1 + below(255));
      return;
    case 2:
      bytes.resize(below(2 * bytes.size() + 3));
      return;
    default:
      return;
  }
}

const std::vector<extents> shapes{{1},        {31, 1},  {33},      {5, 80},   {0, 40}, {40, 0},
                                  {2, 3, 32}, {64, 64}, {3, 1, 7}, {16, 128}, {0}};

}  // namespace

TEST_CASE("what_the_library_made_is_exact") {
  int judged = 0;
  for (const declared_format& declared : formats) {
    const auto f = library::format(declared.name, declared.options);
    for (const extents& shape : shapes) {
      const library::floats x = library::numbers(elements_of(shape));
      for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
        kernel_output out{f.get(), shape, axis, x};
        if (!quantized(out)) continue;
        CAPTURE(declared.name, declared.options, shape, axis);
        int kind = -1;
        CHECK(out.judge(&kind) == mx_status_ok);
        CHECK(kind == mx_verdict_exact);
        ++judged;
      }
    }
  }
  CHECK(judged > 200);
}

TEST_CASE("whatever_a_kernel_wrote_there_is_a_verdict_or_a_refusal") {
  std::mt19937 draw(5);
  std::array<int, 4> seen{};
  for (int repeat = 0; repeat < 400; ++repeat) {
    const declared_format& declared = formats[draw() % formats.size()];
    const auto f = library::format(declared.name, declared.options);
    const extents& shape = shapes[draw() % shapes.size()];
    const library::floats x =
        library::numbers(elements_of(shape), static_cast<std::uint32_t>(draw()));
    const int axis = static_cast<int>(draw() % shape.size());
    kernel_output out{f.get(), shape, axis, x};
    if (!quantized(out)) continue;
    disturb(out.codes, draw);
    disturb(out.scales, draw);
    if (draw() % 4 == 0) disturb(out.tensor_scales, draw);
    if (draw() % 4 == 0) disturb(out.macro_fractions, draw);
    if (draw() % 4 == 0) disturb(out.residual_codes, draw);
    if (draw() % 4 == 0) disturb(out.residual_scales, draw);
    CAPTURE(repeat, declared.name, declared.options, shape, axis);
    int kind = 3;
    static_cast<void>(out.judge(&kind));
    ++seen[static_cast<std::size_t>(kind)];
  }
  for (const int count : seen) CHECK(count > 0);
}

TEST_CASE("a_tensor_scale_that_is_not_positive_and_finite_is_explained_with_both_numbers") {
  const extents shape{4, 80};
  const library::floats x = library::numbers(elements_of(shape));
  const mx_shape s{shape.data(), 2, 1};
  const mx_numbers numbers{x.data(), x.size() * sizeof(float), mx_number_fp32};
  for (const declared_format& declared :
       {declared_format{"nvfp4", ""}, declared_format{"e2m1:ue4m3:16:row", ""},
        declared_format{"e2m1:ue5m3:16:tensor", ""}}) {
    const auto f = library::format(declared.name, declared.options);
    kernel_output out{f.get(), shape, 1, x};
    REQUIRE(quantized(out));
    std::uint32_t right = 0;
    std::memcpy(&right, out.tensor_scales.data(), sizeof right);
    for (const std::uint32_t wrong : {0x00000000U, 0x80000000U, 0x7F800000U, 0xFF800000U,
                                      0x7FC00000U, 0xBF800000U, 0x80000001U}) {
      CAPTURE(declared.name, wrong);
      std::memcpy(out.tensor_scales.data(), &wrong, sizeof wrong);
      const mx_coded found = out.arrays();
      mx_search search{sizeof search, 1};
      mx_verdict* made = nullptr;
      REQUIRE(mx_tensor_verify(f.get(), &s, &numbers, &found, &search, &made, nullptr) ==
              mx_status_ok);
      ask(made);
      mx_change change{};
      change.struct_size = sizeof change;
      REQUIRE(mx_change_describe(made, 0, 0, &change, nullptr) == mx_status_ok);
      CHECK(std::string(change.dimension) == "tensor_scale");
      CHECK(std::string(change.found).find("not a positive finite number") != std::string::npos);
      mx_difference first{};
      first.struct_size = sizeof first;
      REQUIRE(mx_difference_describe(made, &first, nullptr) == mx_status_ok);
      CHECK(first.what == mx_differs_tensor_scale);
      CHECK((first.expected_scale == right && first.found_scale == wrong));
      mx_verdict_destroy(made);
    }
  }
}

TEST_CASE("products_without_elements_have_verdicts") {
  const auto m = library::model("blackwell.mxf4");
  library::bytes codes(64, 0x22), scales(4, 127);
  std::array<std::uint32_t, 4> d{};
  for (const auto& [rows, columns, k] :
       {std::array<std::uint64_t, 3>{0, 2, 64}, {2, 0, 64}, {2, 2, 0}, {0, 0, 0}}) {
    mx_product p{};
    p.struct_size = sizeof p;
    p.m = rows, p.n = columns, p.k = k;
    p.a.codes = {codes.data(), rows * k / 2}, p.b.codes = {codes.data(), columns * k / 2};
    p.a.scales = {scales.data(), rows * k / 32}, p.b.scales = {scales.data(), columns * k / 32};
    p.d = {d.data(), rows * columns * sizeof d[0]};
    for (const int declared : {mx_declared_model, mx_declared_formats}) {
      mx_verdict* made = nullptr;
      CAPTURE(rows, columns, k, declared);
      CHECK(mx_product_verify(m.get(), &p, nullptr, declared, &made, nullptr) == mx_status_ok);
      mx_verdict_facts facts{};
      facts.struct_size = sizeof facts;
      CHECK(mx_verdict_describe(made, &facts, nullptr) == mx_status_ok);
      CHECK((facts.kind == mx_verdict_exact && facts.elements == rows * columns));
      mx_verdict_destroy(made);
    }
  }
}
