// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/corrected_test.cpp: products with a correction against
// mx::dot_with_second_pass and mx::dot_with_macro_epilogue over the values of their lines.
#include "gemm/corrected.h"

#include <string>
#include <vector>

#include "catch.h"
#include "gemm/fma_choice.h"
#include "gemm/request.h"
#include "products.h"
#include "tests/kernels/grid/host_gemm.h"

using namespace mx;
using namespace mx::kernels;
using kernels::lines_of_codes;
using kernels::scales;

namespace {

constexpr gemm_shape shape{10, 130, 160};

/// A line's values one by one, by a different method from the kernel's.
std::vector<float> values(const lines_of_codes& of, std::int64_t line) {
  std::vector<float> all;
  for (std::int64_t i = 0; i < shape.k; ++i) {
    const auto byte = static_cast<std::size_t>(line * of.line_bytes + i / 2);
    const auto block = static_cast<std::size_t>(line * (shape.k / 32) + i / 32);
    const auto code =
        static_cast<std::uint8_t>(i % 2 == 0 ? of.codes[byte] & 15 : of.codes[byte] >> 4);
    all.push_back(dequantize(e2m1{code}, e8m0{of.scales[block]}));
  }
  return all;
}

/// The same bits, or both NaN.
bool are_same(float x, float y) { return bits_of(x) == bits_of(y) || (x != x && y != y); }

struct corrected_product {
  lines_of_codes a, b, rest;
  std::vector<float> a_reciprocals, b_reciprocals, d;
  corrected_gemm_request request;

  corrected_product(gemm_correction correction, int span, scales kind) {
    dot_model model;
    model.block = 32;
    const auto drawn = [&](std::int64_t lines, std::uint64_t seed) {
      return kernels::drawn_lines(model, code_storage::pairs, lines, shape.k, kind, seed);
    };
    a = drawn(shape.m, 1), b = drawn(shape.n, 3), rest = drawn(shape.m, 5);
    const auto blocks = static_cast<std::size_t>((shape.k + span - 1) / span);
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.n) * blocks; ++i) {
      a_reciprocals.push_back(reciprocal_of_factor(kernels::drawn(7, i) % 256, 8));
      b_reciprocals.push_back(reciprocal_of_factor(kernels::drawn(8, i) % 256, 8));
    }
    d.assign(static_cast<std::size_t>(shape.m * shape.n), 77.0F);
    request = {correction,     shape, a.operand(),          b.operand(),          span,
               rest.operand(), 0.3F,  a_reciprocals.data(), b_reciprocals.data(), d.data()};
  }

  [[nodiscard]] float expected(std::int64_t row, std::int64_t column) const {
    const std::vector<float> x = values(a, row), y = values(b, column), r = values(rest, row);
    const int k = static_cast<int>(shape.k), span = request.span;
    if (request.correction == gemm_correction::second_pass) {
      return dot_with_second_pass(x.data(), r.data(), request.alpha, y.data(), k, span);
    }
    const std::int64_t blocks = (shape.k + span - 1) / span;
    return dot_with_macro_epilogue({x.data(), a_reciprocals.data() + row * blocks},
                                   {y.data(), b_reciprocals.data() + column * blocks}, k, span);
  }

  /// The kernel that ran, if all elements agree.
  [[nodiscard]] std::string kernel_that_agrees(gemm_kernel kernel) {
    request.kernel = kernel;
    const kernels_test::host_answer answer = kernels_test::gemm_corrected(request);
    if (!answer.status.is_done()) return sentence_of(answer.status);
    for (std::int64_t row = 0; row < shape.m; ++row) {
      for (std::int64_t column = 0; column < shape.n; ++column) {
        const float found = d[static_cast<std::size_t>(row * shape.n + column)];
        if (!are_same(found, expected(row, column))) return "another sum";
      }
    }
    return answer.kernels;
  }
};

std::string answer_to(const corrected_product& product) {
  return sentence_of(checked(product.request));
}

void expect_agreement(gemm_correction correction, int span, gemm_kernel kernel,
                      const std::string& name) {
  for (const scales kind : {scales::near, scales::spread, scales::far}) {
    CAPTURE(int(correction), span, int(kind));
    corrected_product product(correction, span, kind);
    CHECK(product.kernel_that_agrees(kernel) == name);
  }
}

}  // namespace

TEST_CASE("corrections_are_applied_while_they_accumulate") {
  for (const gemm_correction correction :
       {gemm_correction::second_pass, gemm_correction::macro_epilogue}) {
    for (const int span : {32, 48, 128, 1024}) {
      expect_agreement(correction, span, gemm_kernel::core, "core");
    }
    for (const int span : {5, 32, 100, 128, 1024}) {
      expect_agreement(correction, span, gemm_kernel::best, "fma");
      expect_agreement(correction, span, gemm_kernel::fma_small, "fma_small");
    }
  }
}

TEST_CASE("corrections_of_codes_in_wide_storage_are_the_core's") {
  corrected_product product(gemm_correction::second_pass, 32, scales::near);
  product.request.rest.storage = code_storage::halves;
  product.request.rest.line_bytes = shape.k * 2;
  CHECK(chosen_kernel(product.request) == gemm_kernel::core);
  product.request.kernel = gemm_kernel::fma;
  CHECK(answer_to(product) == "this correction by this kernel has no kernel");
  product.request.correction = gemm_correction::macro_epilogue;
  CHECK(answer_to(product) == "launched");
  product.request.kernel = gemm_kernel::mma;
  CHECK(answer_to(product) == "this correction by this kernel has no kernel");
}

TEST_CASE("corrections_without_their_numbers_are_refused") {
  corrected_product span(gemm_correction::second_pass, 32, scales::near), rest = span;
  corrected_product rows(gemm_correction::macro_epilogue, 32, scales::near), over = rows;
  span.request.span = 0;
  CHECK(answer_to(span) == "span is too small; it must be at least 1");
  rest.request.rest.codes = nullptr;
  CHECK(answer_to(rest) == "rest is a null pointer; give it memory of the device");
  rows.request.a_reciprocals = nullptr;
  CHECK(answer_to(rows).find("a_reciprocals is a null pointer") == 0);
  over.request.b_reciprocals = over.request.d;
  CHECK(answer_to(over).find("d overlaps") == 0);
}
