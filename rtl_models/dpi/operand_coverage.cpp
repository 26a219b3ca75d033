// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/operand_coverage.cpp: coverage of the operands of dot products.
#include "rtl_models/dpi/operand_coverage.h"

#include <algorithm>

#include "mx/dot/product.h"

namespace hardware {
namespace {

enum class element_class : std::uint8_t { zero, subnormal, normal, max, nan, infinity };

element_class class_of(const mx::format& f, const mx::unpacked& value) {
  if (value.kind == mx::kind::nan) return element_class::nan;
  if (value.kind == mx::kind::infinite) return element_class::infinity;
  if (value.is_zero()) return element_class::zero;
  if (value.floor_log2() < f.emin()) return element_class::subnormal;
  const mx::unpacked max = mx::unpacked::positive(f.max_significand(), f.emax() - f.fraction_bits);
  return mx::compare_magnitudes(value, max) < 0 ? element_class::normal : element_class::max;
}

/// Classes of a format, in the order of element_class.
std::vector<std::string> classes_of(const mx::format& f) {
  std::vector<std::string> names{"zero", "subnormal", "normal", "max"};
  if (f.has_nan()) names.emplace_back("nan");
  if (f.specials == mx::specials::ieee) names.emplace_back("infinity");
  return names;
}

const std::vector<std::string>& signs() {
  static const std::vector<std::string> names{"positive", "negative"};
  return names;
}

/// Index of a class with a sign in crossed(classes_of(f), signs()).
int class_and_sign(const mx::format& f, std::uint32_t code) {
  return static_cast<int>(class_of(f, mx::decode(f, code))) * 2 +
         (mx::is_negative(f, code) ? 1 : 0);
}

bool has_infinities(const mx::dot_model& model) {
  return model.a.specials == mx::specials::ieee || model.b.specials == mx::specials::ieee;
}

std::vector<std::uint32_t> named_scales_of(const mx::dot_model& model) {
  if (model.block == 0) return {};
  const mx::format& f = model.scale;
  const std::uint32_t one = static_cast<std::uint32_t>(f.bias) << f.fraction_bits;
  const std::uint32_t last = f.magnitude_mask();
  return {0, 1, one - 1, one, one + 1, last - 1, last};
}

/// Labels of the point `special`; a model has the first of them if it has scales, the last if its
/// elements have infinities.
constexpr int nan_scale_a = 0, nan_scale_b = 1, nan_scale_above_zeros = 2;
constexpr const char* scale_labels_of_special[] = {"nan_scale_a", "nan_scale_b",
                                                   "nan_scale_above_zeros"};

std::vector<std::string> special_labels(const mx::dot_model& model) {
  std::vector<std::string> labels;
  if (model.block > 0) {
    labels.assign(std::begin(scale_labels_of_special), std::end(scale_labels_of_special));
  }
  if (has_infinities(model)) labels.emplace_back("nan_of_infinities");
  return labels;
}

bool is_nan(const mx::format& f, std::uint32_t code) {
  return mx::decode(f, code).kind == mx::kind::nan;
}
bool holds_nan(const mx::format& f, std::span<const std::uint32_t> codes) {
  return std::ranges::any_of(codes, [&](std::uint32_t code) { return is_nan(f, code); });
}

}  // namespace

operand_coverage::operand_coverage(const mx::dot_model& model, coverage_bins& bins)
    : model_(model),
      named_scales_(named_scales_of(model)),
      a_(add_elements("a", model.a, bins)),
      b_(add_elements("b", model.b, bins)),
      c_(bins.add_point("c", crossed(classes_of(model.sum.result), signs()))),
      special_(bins.add_point("special", special_labels(model))) {}

operand_coverage::element_point operand_coverage::add_elements(const std::string& name,
                                                               const mx::format& of,
                                                               coverage_bins& bins) const {
  return {of, bins.add_point(name, crossed(crossed(classes_of(of), signs()), scale_labels()))};
}

std::vector<std::string> operand_coverage::scale_labels() const {
  if (model_.block == 0) return {"unscaled"};
  std::vector<std::string> labels;
  for (const std::uint32_t code : named_scales_) labels.push_back("scale_" + std::to_string(code));
  labels.emplace_back("scale_other");
  return labels;
}

void operand_coverage::sample(const dot_sample& words, std::uint32_t result,
                              coverage_bins& bins) const {
  sample_elements(a_, words.a, words.scale_a, bins);
  sample_elements(b_, words.b, words.scale_b, bins);
  bins.hit(c_ + class_and_sign(model_.sum.result, words.c));
  sample_special(words, result, bins);
}

void operand_coverage::sample_elements(const element_point& point,
                                       std::span<const std::uint32_t> codes,
                                       std::span<const std::uint32_t> scales,
                                       coverage_bins& bins) const {
  const int labels = model_.block == 0 ? 1 : static_cast<int>(named_scales_.size()) + 1;
  for (std::size_t k = 0; k < codes.size(); ++k) {
    bins.hit(point.first + class_and_sign(point.of, codes[k]) * labels + scale_index(scales, k));
  }
}

int operand_coverage::scale_index(std::span<const std::uint32_t> scales, std::size_t k) const {
  if (model_.block == 0) return 0;
  const std::uint32_t code = scales[k / static_cast<std::size_t>(model_.block)];
  return static_cast<int>(std::ranges::find(named_scales_, code) - named_scales_.begin());
}

void operand_coverage::sample_special(const dot_sample& words, std::uint32_t result,
                                      coverage_bins& bins) const {
  bool any_nan = is_nan(model_.sum.result, words.c);
  for (std::size_t i = 0; i < words.scale_a.size(); ++i) {
    const bool in_a = is_nan(model_.scale, words.scale_a[i]);
    const bool in_b = is_nan(model_.scale, words.scale_b[i]);
    if (in_a) bins.hit(special_ + nan_scale_a);
    if (in_b) bins.hit(special_ + nan_scale_b);
    if ((in_a || in_b) && is_zero_block(words, i)) bins.hit(special_ + nan_scale_above_zeros);
    any_nan = any_nan || in_a || in_b;
  }
  if (!has_infinities(model_) || !is_nan(model_.sum.result, result) || any_nan) return;
  if (holds_nan(model_.a, words.a) || holds_nan(model_.b, words.b)) return;
  bins.hit(special_ + static_cast<int>(special_labels(model_).size()) - 1);
}

/// Whether every product of a block is zero.
bool operand_coverage::is_zero_block(const dot_sample& words, std::size_t block) const {
  const auto size = static_cast<std::size_t>(model_.block);
  const std::size_t end = std::min(words.a.size(), (block + 1) * size);
  for (std::size_t k = block * size; k < end; ++k) {
    if (!mx::decode(model_.a, words.a[k]).is_zero() &&
        !mx::decode(model_.b, words.b[k]).is_zero()) {
      return false;
    }
  }
  return true;
}

}  // namespace hardware
