// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/dot_coverage.cpp: functional coverage of dot products under a model.
#include "rtl_models/dpi/dot_coverage.h"

#include "mx/dot/dot.h"

namespace hardware {
namespace {

/// Observes every step that adds products, of elements or of zeros that fill it.
class every_step : public mx::step_observer {
 public:
  every_step(const step_coverage& to, coverage_bins& bins, int k) : to_(to), bins_(bins), k_(k) {}

  void end(const mx::unpacked& sum, const mx::unpacked& discarded, mx::loss why,
           std::uint32_t result) {
    wanted = steps;
    mx::step_observer::end(sum, discarded, why, result);
    const bool adds_products = record.first_k != mx::step_record::no_products;
    if (adds_products && record.first_k < k_) to_.sample(record, bins_);
  }

 private:
  const step_coverage& to_;
  coverage_bins& bins_;
  int k_;
};

using operand = mx::dot_operand<std::uint32_t, std::uint32_t>;

}  // namespace

dot_coverage::dot_coverage(const mx::dot_model& model)
    : model_(model), operands_(model, bins_), steps_(model, bins_) {}

std::uint32_t dot_coverage::sample(const dot_sample& words) {
  const int k = static_cast<int>(words.a.size());
  every_step observer(steps_, bins_, k);
  const std::uint32_t result =
      mx::dot_observed(model_, operand{{words.a.data()}, {words.scale_a.data()}},
                       operand{{words.b.data()}, {words.scale_b.data()}}, k, words.c, observer);
  operands_.sample(words, result, bins_);
  ++samples_;
  return result;
}

bool dot_coverage::merge(const dot_coverage& other) {
  if (!(model_ == other.model_) || !bins_.merge(other.bins_)) return false;
  samples_ += other.samples_;
  return true;
}

std::string dot_coverage::report() const {
  const std::size_t all = bins_.all().size(), hit = all - bins_.holes().size();
  return std::to_string(samples_) + " dot products, " + std::to_string(hit) + " of " +
         std::to_string(all) + " bins hit\n" + bins_.report();
}

}  // namespace hardware
