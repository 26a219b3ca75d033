// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/fp32_numbers.cpp: FP32 as numbers of Python's, which the package does not
// convert by itself: NumPy and Python compute as the program has chosen, and may take subnormals
// for zero.
#include <nanobind/stl/vector.h>

#include <vector>

#include "golden/bindings/python/array.h"
#include "golden/bindings/python/module.h"

namespace python {
namespace {

using namespace nanobind::literals;

nb::bytes fp32_of(const std::vector<double>& numbers) {
  std::vector<float> rounded;
  for (const double number : numbers) rounded.push_back(static_cast<float>(number));
  return nb::bytes(rounded.data(), rounded.size() * sizeof(float));
}

std::vector<double> numbers_of(const read_bytes& fp32) {
  const std::vector<float> numbers = floats_in(fp32);
  return {numbers.begin(), numbers.end()};
}

}  // namespace

void add_fp32_numbers(bound_module& module) {
  module.def("fp32_of", &fp32_of, "numbers"_a, "The bytes of numbers in FP32.");
  module.def("numbers_of", &numbers_of, "fp32"_a.noconvert(), "The numbers of such bytes.");
}

}  // namespace python
