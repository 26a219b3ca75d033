// SPDX-License-Identifier: Apache-2.0
// tests/score/product_bits.cpp: the test of a product as a kernel's author writes it: every word of
// D against the exact result of a model, from numbers that the test quantizes itself.
//
//   product_bits OUT INPUT FORMAT MODEL     INPUT has a (M, K) and b (K, N), OUT has d (M, N)
#include "golden/reference/device_models.h"
#include "scored_file.h"

namespace score {
namespace {

/// Rows of a factor, as a dot product takes them.
struct coded_factor {
  std::vector<std::vector<std::uint32_t>> codes, scales;
  float tensor_scale = 1;
};

coded_factor coded(const declared& d, const matrix& x) {
  coded_factor f;
  f.tensor_scale = tensor_scale_of(d, x);
  for (std::size_t r = 0; r < x.rows; ++r) {
    const std::vector<float> row = x.row(r);
    f.codes.emplace_back();
    f.scales.emplace_back();
    for (std::size_t b = 0; b < d.blocks_in(x.columns); ++b) {
      const golden::quantized_block block = block_of(d, row, b, f.tensor_scale);
      f.codes.back().insert(f.codes.back().end(), block.codes.begin(), block.codes.end());
      f.scales.back().push_back(block.scale.code);
    }
  }
  return f;
}

golden::device_model model_of(const std::string& name, const declared& d) {
  if (const golden::device_model* device = golden::find_device_model(name)) return *device;
  const auto model =
      golden::generic_model(name, *d.rules.element, *d.rules.element, d.rules.scale, d.block);
  if (!model) throw std::invalid_argument("no model " + name);
  return *model;
}

/// RNE32 of the product of two FP32 patterns; NaN and Inf are unchanged by a positive factor.
std::uint32_t times(std::uint32_t word, float factor) {
  const float x = golden::float_of(word);
  if (factor == 1.0F || !golden::is_finite(x)) return word;
  const golden::signed_value a = golden::value_of(x), b = golden::value_of(factor);
  const golden::rational magnitude = a.magnitude * b.magnitude;
  return golden::bits_of(golden::rounded_like(a.negative ? -magnitude : magnitude, x));
}

void expect_words(const std::vector<std::uint32_t>& found, const coded_factor& a,
                  const coded_factor& b, const golden::device_model& model) {
  const float alpha = golden::float_of(times(golden::bits_of(a.tensor_scale), b.tensor_scale));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t m = i / b.codes.size(), n = i % b.codes.size();
    const golden::word_codes word{a.codes[m], b.codes[n], 0, a.scales[m], b.scales[n]};
    if (found[i] == times(golden::dot(model, word), alpha)) continue;
    throw wrong_output("d [" + std::to_string(m) + ", " + std::to_string(n) + "]");
  }
}

void test(const std::vector<std::string>& words) {
  if (words.size() != 4) throw std::invalid_argument("OUT INPUT FORMAT MODEL");
  const golden::io::tensor_file out = golden::io::load(words[0]);
  const golden::io::tensor_file input = golden::io::load(words[1]);
  const declared d = declared_by(words[2], "floor");
  const matrix a = matrix_of(input.at("a")), b = matrix_of(input.at("b")).transposed();
  const auto found = patterns_of(array_of(out, "", "d", 4 * a.rows * b.rows));
  expect_words(found, coded(d, a), coded(d, b), model_of(words[3], d));
}

}  // namespace
}  // namespace score

int main(int argc, char** argv) { return score::verdict_of(score::test, argc, argv); }
