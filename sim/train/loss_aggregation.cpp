// SPDX-License-Identifier: Apache-2.0
// sim/train/loss_aggregation.cpp: see loss_aggregation.h.
#include "sim/train/loss_aggregation.h"

#include "sim/train/trainer.h"

namespace sim {

std::vector<float> token_shares(std::span<const sequence> batch, loss_aggregation aggregation,
                                int limit) {
  if (aggregation == loss_aggregation::token_mean) {
    return std::vector<float>(batch.size(), token_share(batch));
  }
  const auto share = [&](int tokens) {
    return 1.0F / (static_cast<float>(batch.size()) * static_cast<float>(tokens));
  };
  std::vector<float> result;
  for (const sequence& s : batch) {
    const bool own = aggregation == loss_aggregation::sequence_mean;
    result.push_back(share(own ? s.response() : limit));
  }
  return result;
}

void aggregated_value::begin(int tokens) {
  tokens_ += tokens;
  ++sequences_;
  if (aggregation_ == loss_aggregation::sequence_mean) token_factor_ = 1.0 / tokens;
}

double aggregated_value::value() const {
  switch (aggregation_) {
    case loss_aggregation::token_mean:
      return sum_ / tokens_;
    case loss_aggregation::sequence_mean:
      return sum_ / sequences_;
    case loss_aggregation::constant_length:
      break;
  }
  return sum_ / (static_cast<double>(sequences_) * limit_);
}

}  // namespace sim
