// SPDX-License-Identifier: Apache-2.0
// kernels/verify/user_cases.cpp: the selection from the tables of our own kernels.
#include "user_cases.h"

#include <set>

namespace mx::kernels {
namespace {

product_case& product_of(product_case& one) { return one; }
product_case& product_of(word_product& one) { return one.product; }

template <class Case>
std::vector<Case> each_once(const std::vector<Case>& all) {
  std::set<std::string> names;
  std::vector<Case> once;
  for (Case one : all) {
    product_case& product = product_of(one);
    product.name = product.name.substr(0, product.name.rfind('.')) + ".library";
    product.kernel = gemm_kernel::core;
    if (names.insert(product.name).second) once.push_back(std::move(one));
  }
  return once;
}

/// A case with results by rows and by columns as one of either.
kernel_case half_of(kernel_case both, wanted results, const std::string& word) {
  both.name = both.name.substr(0, both.name.rfind('.')) + ".both-" + word;
  both.results = results;
  return both;
}

}  // namespace

std::vector<kernel_case> user_cases(const std::vector<kernel_case>& all) {
  std::vector<kernel_case> chosen;
  for (const kernel_case& one : all) {
    if (one.gap > 0) continue;  // a library's requests have no strides
    const bool is_quantized = one.what == operation::quantize;
    if (is_quantized && one.results == wanted::both) {
      chosen.push_back(half_of(one, wanted::rows, "rows"));
      chosen.push_back(half_of(one, wanted::columns, "columns"));
    } else if (is_quantized || one.what == operation::dequantize) {
      chosen.push_back(one);
    }
  }
  return chosen;
}

std::vector<product_case> user_cases(const std::vector<product_case>& all) {
  std::vector<product_case> dense = all;
  std::erase_if(dense, [](const product_case& one) { return one.gap > 0; });
  return each_once(dense);
}

std::vector<word_product> user_cases(const std::vector<word_product>& all) {
  return each_once(all);
}

std::vector<golden_blocks> user_cases(const std::vector<golden_blocks>& all) { return all; }

std::vector<corrected_case> user_cases(const std::vector<corrected_case>& /*all*/) { return {}; }

std::vector<value_case> user_cases(const std::vector<value_case>& /*all*/) { return {}; }

std::vector<grouped_case> user_cases(const std::vector<grouped_case>& /*all*/) { return {}; }

}  // namespace mx::kernels
