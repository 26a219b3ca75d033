// SPDX-License-Identifier: Apache-2.0
// sim/sweep/frozen_policy.cpp: see frozen_policy.h.
#include "sim/sweep/frozen_policy.h"

#include "sim/sweep/part_of.h"
#include "sim/train/frozen.h"

namespace sim {

std::vector<std::vector<sequence>> frozen_batches(const study& s,
                                                  const std::vector<float>& weights) {
  const setting of(s);
  const forward_weights fp32 = prepare_forward(of.table, weights, {});
  std::vector<std::vector<sequence>> batches;
  for (int b = 0; b < s.measurement.frozen_batches; ++b) {
    batches.push_back(frozen_batch(of, fp32, b));
  }
  return batches;
}

frozen_policy::frozen_policy(const study& s, shared_weights weights,
                             std::vector<std::vector<sequence>> batches, double most_kept)
    : setting_(s), weights_(std::move(weights)), batches_(std::move(batches)) {
  double bytes = 0;
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    std::vector<float> plain = plain_distributions(b);
    plain_.push_back(sums_of({}, b, plain));
    bytes += static_cast<double>(plain.size() * sizeof(float));
    if (bytes <= most_kept) kept_.push_back(std::move(plain));
  }
}

frozen_policy::comparison frozen_policy::under(const arm& a, double share) const {
  comparison sums;
  for (std::size_t b = 0; b < part_of(batches_.size(), share); ++b) {
    sums.of_arm +=
        b < kept_.size() ? sums_of(a, b, kept_[b]) : sums_of(a, b, plain_distributions(b));
    sums.of_fp32 += plain_[b];
  }
  return sums;
}

batch_pass frozen_policy::new_pass() const {
  return {setting_.table, setting_.rope, micro_batch_of(setting_.constants),
          setting_.constants.run.kept};
}

std::vector<float> frozen_policy::plain_distributions(std::size_t batch) const {
  batch_pass pass = new_pass();
  pass.take(batches_[batch]);
  pass.forward(prepare_forward(setting_.table, *weights_, {}), {});
  return pass.take_log_distributions();
}

distribution_sums frozen_policy::sums_of(const arm& a, std::size_t batch,
                                         const std::vector<float>& plain) const {
  const pass_products products =
      setting_.at_step(a.formats, stream::frozen_operands, static_cast<int>(batch))
          .of(pass::rollout);
  batch_pass pass = new_pass();
  pass.take(batches_[batch]);
  pass.forward(prepare_forward(setting_.table, *weights_, products), products);
  return distributions_beside(pass, setting_.table.shape().vocabulary, plain);
}

}  // namespace sim
