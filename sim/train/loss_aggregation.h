// SPDX-License-Identifier: Apache-2.0
// sim/train/loss_aggregation.h: the weight of a response token in the loss of an update.
// Source: arXiv 2402.03300 (sequence mean), 2503.14476 (token mean), 2503.20783 (constant length).
#pragma once
#include <span>
#include <vector>

#include "sim/study/study.h"
#include "sim/task/sequence.h"

namespace sim {

/// Of each response token of a sequence, by sequence; `batch` are an update's sequences.
///   limit    tokens of the longest possible response
///   returns  1 / (tokens of all), 1 / (sequences * its own tokens), or 1 / (sequences * limit)
[[nodiscard]] std::vector<float> token_shares(std::span<const sequence> batch,
                                              loss_aggregation aggregation, int limit);

/// The aggregated value of updates that together have a batch's sequences and equally many each.
/// Under token_mean that of all their tokens at once.
class aggregated_value {
 public:
  aggregated_value(loss_aggregation aggregation, int limit)
      : aggregation_(aggregation), limit_(limit) {}

  /// Begins a sequence of so many response tokens, which the following values are of.
  void begin(int tokens);
  void take(double value) { sum_ += token_factor_ * value; }
  [[nodiscard]] double value() const;

 private:
  loss_aggregation aggregation_;
  int limit_, tokens_ = 0, sequences_ = 0;
  double token_factor_ = 1, sum_ = 0;
};

}  // namespace sim
