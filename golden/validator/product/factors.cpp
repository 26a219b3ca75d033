// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/factors.cpp: what else a kernel may multiply its sums by.
#include "factors.h"

#include <set>
#include <string>

namespace golden::validator {
namespace {

std::string words_of_scales(const mx::sum_factors& f) {
  if (f.a != 1 && f.b != 1) return "both tensor scales";
  if (f.a != 1) return "the tensor scale of A";
  return f.b != 1 ? "the tensor scale of B" : "";
}

/// "alpha", "both tensor scales", "alpha and the tensor scale of A", "none"
std::string words_of(const mx::sum_factors& f, const std::string& scales) {
  if (f.alpha == 1) return scales.empty() ? "none" : scales;
  return scales.empty() ? "alpha" : "alpha and " + scales;
}
std::string words_of(const mx::sum_factors& f) { return words_of(f, words_of_scales(f)); }

/// Collects combined factors, each once.
class factor_list {
 public:
  explicit factor_list(const mx::sum_factors& declared)
      : declared_(declared), seen_{mx::bits_of(mx::combined(declared))} {}

  void add(std::string_view dimension, const std::string& expected, const std::string& found,
           float alpha) {
    if (!seen_.insert(mx::bits_of(alpha)).second) return;
    list_.push_back({{dimension, expected, found}, alpha});
  }

  void add_parts() {
    enum : unsigned { no_alpha = 1, no_a = 2, no_b = 4 };
    for (const unsigned without : {1U, 2U, 4U, 3U, 5U, 6U, 7U}) {
      mx::sum_factors rest = declared_;
      if ((without & no_alpha) != 0) rest.alpha = 1;
      if ((without & no_a) != 0) rest.a = 1;
      if ((without & no_b) != 0) rest.b = 1;
      add("tensor_scale", words_of(declared_), words_of(rest), mx::combined(rest));
    }
  }

  void add_reciprocals() {
    const std::string scales = words_of_scales(declared_);
    if (scales.empty()) return;
    const float inverse = mx::fp32::divide(1, mx::combined({1, declared_.a, declared_.b}));
    add("tensor_scale", words_of(declared_),
        words_of(declared_, "the reciprocal of " + scales),
        mx::fp32::multiply(declared_.alpha, inverse));
  }

  void add_orders() {
    const auto [alpha, a, b] = declared_;
    const std::string expected = "alpha times the product of both tensor scales";
    add("operation_order", expected, "alpha times the tensor scale of A, then of B",
        mx::fp32::multiply(mx::fp32::multiply(alpha, a), b));
    add("operation_order", expected, "alpha times the tensor scale of B, then of A",
        mx::fp32::multiply(mx::fp32::multiply(alpha, b), a));
  }

  [[nodiscard]] std::vector<factor_hypothesis> taken() { return std::move(list_); }

 private:
  const mx::sum_factors& declared_;
  std::set<std::uint32_t> seen_;
  std::vector<factor_hypothesis> list_;
};

}  // namespace

std::vector<factor_hypothesis> factors_beside(const mx::sum_factors& declared) {
  factor_list list(declared);
  list.add_parts();
  list.add_reciprocals();
  list.add_orders();
  return list.taken();
}

}  // namespace golden::validator
