// SPDX-License-Identifier: Apache-2.0
// sim/assess/batch_sums.h: what one arm does to one batch of texts, as sums that add up over
// batches. Of gradients only inner products are kept, taken a layer at a time.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/metrics.h"
#include "sim/train/distribution_sums.h"
#include "sim/train/restricted_gradients.h"

namespace sim {

/// Inner products of an arm's gradient g and FP32's r.
struct gradient_sums {
  double gr = 0, gg = 0, rr = 0;
};

struct batch_sums {
  distribution_sums of_distributions;
  /// By restriction and part: "embedding", "0" and further layers, "final norm", "head" where it is
  /// no embedding.
  std::map<gradient_passes, std::map<std::string, gradient_sums>> of_gradients;
};

/// The name of the part of a gradient that begins at an offset.
[[nodiscard]] std::string part_at(const parameter_table& table, std::ptrdiff_t offset);

/// FP32 on one batch.
struct plain_batch {
  std::vector<float> log_distributions;  ///< of every predicted token
  std::vector<float> gradient;
};

/// Weights and batch, which must outlive the measurement.
class batch_measurement {
 public:
  ///   index  of the batch, which the random bits of operands depend on
  batch_measurement(const setting& s, const plain_policy& policy,
                    const std::vector<sequence>& batch, int index);

  [[nodiscard]] const plain_batch& plain() const noexcept { return plain_; }
  /// Any number of threads may call it at once.
  [[nodiscard]] batch_sums under(const arm& a) const;

 private:
  [[nodiscard]] batch_pass new_pass() const;
  [[nodiscard]] float weight() const noexcept { return share_; }
  [[nodiscard]] distribution_sums distributions_under(const arm& a, const step_arithmetic& at,
                                                      batch_pass& pass) const;

  const setting& s_;
  const plain_policy& policy_;
  const std::vector<sequence>& batch_;
  int index_;
  float share_;
  plain_batch plain_;
};

/// As one line of JSON, whose last member is the SHA-256 of the others.
///   identity  of the assessment
[[nodiscard]] std::string sums_text(const batch_sums& sums, const std::string& identity);
/// No value for another assessment's.
///   errors  json_error where the text is damaged
[[nodiscard]] std::optional<batch_sums> sums_in(std::string_view text, const std::string& identity);

/// The figures of one arm over all batches, each with the standard error that leaving out one batch
/// at a time gives; the names are those of figures at frozen weights.
[[nodiscard]] std::vector<metric_row> rows_of(const std::string& arm,
                                              const std::vector<batch_sums>& batches);

}  // namespace sim
