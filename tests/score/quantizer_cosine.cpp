// SPDX-License-Identifier: Apache-2.0
// tests/score/quantizer_cosine.cpp: the test of a quantizer as it is often published: the values of
// codes and scales have nearly the direction of the input.
//
//   quantizer_cosine OUT INPUT FORMAT     linear scales; no order of sums is guaranteed
#include "scored_file.h"

namespace score {
namespace {

double double_of(const golden::number& n) {
  const double magnitude = static_cast<double>(n.value.magnitude);
  return n.kind != golden::number_kind::finite ? 0 : (n.value.negative ? -magnitude : magnitude);
}

std::vector<double> numbers_of(const golden::number_format& format) {
  std::vector<double> numbers;
  for (std::uint32_t code = 0; code < 256; ++code) {
    const bool exists = code >> format.width() == 0;
    numbers.push_back(exists ? double_of(format.decode(code)) : 0);
  }
  return numbers;
}

/// The cosine of two vectors squared, with its sign.
struct direction {
  double product = 0, left = 0, right = 0;

  void add(double a, double b) { product += a * b, left += a * a, right += b * b; }
  [[nodiscard]] bool is_above(double bound) const {
    return product > 0 && product * product > bound * bound * left * right;
  }
};

void test(const std::vector<std::string>& words) {
  if (words.size() != 3) throw std::invalid_argument("OUT INPUT FORMAT");
  const golden::io::tensor_file out = golden::io::load(words[0]);
  const golden::io::tensor_file input = golden::io::load(words[1]);
  const declared d = declared_by(words[2], "floor");
  const std::vector<double> elements = numbers_of(*d.rules.element),
                            scale_numbers = numbers_of(*d.rules.scale);
  const golden::io::tensor& x = input.tensors().front();
  const matrix given = matrix_of(x);
  const std::size_t halves = d.rules.element->width() == 4 ? 2 : 1;
  const std::size_t padded = d.blocks_in(given.columns) * d.block;
  const auto codes = array_of(out, x.name, "codes", given.rows * padded / halves);
  const auto scales = array_of(out, x.name, "scales", given.rows * padded / d.block);
  direction both;
  for (std::size_t i = 0; i < given.values.size(); ++i) {
    const std::size_t at = i / given.columns * padded + i % given.columns;
    const std::uint32_t byte = codes[at / halves];
    const std::uint32_t code = halves == 2 ? byte >> at % 2 * 4 & 15U : byte;
    both.add(elements[code] * scale_numbers[scales[at / d.block]], given.values[i]);
  }
  if (!both.is_above(0.97)) throw wrong_output("the cosine is at most 0.97");
}

}  // namespace
}  // namespace score

int main(int argc, char** argv) { return score::verdict_of(score::test, argc, argv); }
