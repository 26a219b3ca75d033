// SPDX-License-Identifier: Apache-2.0
// sim/train/rate_schedule.cpp: cosines in 50 decimal digits, so that rounding to FP32 is the only
// rounding of the share.
#include "sim/train/rate_schedule.h"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "sim/train/optimizer.h"

namespace sim {
namespace {

float cosine_share(float final_fraction, int past, int whole) {
  using real = boost::multiprecision::cpp_bin_float_50;
  const real angle = boost::math::constants::pi<real>() * past / whole;
  const real height = (1 + boost::multiprecision::cos(angle)) / 2, least = final_fraction;
  return real(least + (1 - least) * height).convert_to<float>();
}

}  // namespace

float decayed_share(rate_decay decay, float final_fraction, int past, int whole) {
  switch (decay) {
    case rate_decay::constant:
      return 1;
    case rate_decay::linear:
      return 1.0F -
             (1.0F - final_fraction) * (static_cast<float>(past) / static_cast<float>(whole));
    case rate_decay::cosine:
      break;
  }
  return cosine_share(final_fraction, past, whole);
}

float learning_rate_at(const arm& a, const grpo_constants& g, int step) {
  const float rate = ramped_rate(learning_rate_of(a, g), g.ramp_steps, step);
  if (g.schedule == rate_decay::constant || step < g.ramp_steps) return rate;
  const int whole = g.steps - g.ramp_steps;
  return rate * decayed_share(g.schedule, g.final_fraction,
                              std::min(step - g.ramp_steps + 1, whole), whole);
}

}  // namespace sim
