// SPDX-License-Identifier: Apache-2.0
// sim/policy/row_functions.cpp: the row functions for every target.
#include "sim/policy/row_functions.h"

#include <cmath>

#include "mx/tensor/fused_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/policy/row_functions.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "sim/policy/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sim::HWY_NAMESPACE {

void norm_rows(int rows, int width, readable_rows x, const float* weight, float epsilon,
               writable_rows y, float* inverse_rms) {
  for (int row = 0; row < rows; ++row) {
    const float* from = x.row(row);
    float* to = y.row(row);
    const float mean = dot(width, from, from) / static_cast<float>(width);
    inverse_rms[row] = 1.0F / std::sqrt(mean + epsilon);
    const V r = set(inverse_rms[row]);
    for (int i = 0; i < width; i += lanes) {
      store(hn::Mul(hn::Mul(load(from + i), r), load(weight + i)), to + i);
    }
  }
}

/// With n = x r and s = mean(n * dy * weight): dx = r (dy * weight - n s).
HWY_INLINE void norm_row_backward(int width, const float* x, float r, const float* weight,
                                  const float* dy, float* dx) {
  lane_sum sum;
  const V vr = set(r);
  for (int i = 0; i < width; i += 16) {
    for (int p = 0; p < parts; ++p) {
      const int at = i + p * lanes;
      const V n = hn::Mul(load(x + at), vr);
      sum.part[p] = fused(n, hn::Mul(load(dy + at), load(weight + at)), sum.part[p]);
    }
  }
  const V mean = set(sum.total() / static_cast<float>(width));
  for (int i = 0; i < width; i += lanes) {
    const V n = hn::Mul(load(x + i), vr);
    const V scaled = hn::Mul(load(dy + i), load(weight + i));
    store(hn::Mul(vr, hn::Sub(scaled, hn::Mul(n, mean))), dx + i);
  }
}

void norm_rows_backward(int rows, int width, const normed_rows& of, const float* weight,
                        readable_rows dy, writable_rows dx) {
  for (int row = 0; row < rows; ++row) {
    norm_row_backward(width, of.x.row(row), of.inverse_rms[row], weight, dy.row(row), dx.row(row));
  }
}

/// Sums over rows: lane = row mod 16, then the tree.
struct row_lanes {
  V lane[16];

  row_lanes() {
    for (V& sum : lane) sum = hn::Zero(D());
  }
  V total() {
    for (int distance = 8; distance > 0; distance /= 2) {
      for (int j = 0; j < distance; ++j) lane[j] = hn::Add(lane[j], lane[j + distance]);
    }
    return lane[0];
  }
};

void norm_weight_gradient(int rows, int width, const normed_rows& of, readable_rows dy,
                          float* dweight) {
  for (int i = 0; i < width; i += lanes) {
    row_lanes sum;
    for (int row = 0; row < rows; ++row) {
      const V n = hn::Mul(load(of.x.row(row) + i), set(of.inverse_rms[row]));
      sum.lane[row % 16] = fused(n, load(dy.row(row) + i), sum.lane[row % 16]);
    }
    store(sum.total(), dweight + i);
  }
}

void sum_columns(int rows, int width, readable_rows x, float* sums) {
  for (int i = 0; i < width; i += lanes) {
    row_lanes sum;
    for (int row = 0; row < rows; ++row) {
      sum.lane[row % 16] = hn::Add(sum.lane[row % 16], load(x.row(row) + i));
    }
    store(sum.total(), sums + i);
  }
}

float log_softmax_row(int width, const float* logits, float* log_probability, float* probability) {
  float largest = logits[0];
  for (int i = 1; i < width; ++i) largest = logits[i] > largest ? logits[i] : largest;
  lane_sum sum;
  for (int i = 0; i < width; i += 16) {
    for (int p = 0; p < parts; ++p) {
      const V shifted = hn::Sub(load(logits + i + p * lanes), set(largest));
      store(shifted, log_probability + i + p * lanes);
      sum.part[p] = hn::Add(sum.part[p], exponential_of(shifted));
    }
  }
  const V total = logarithm_of(set(sum.total()));
  lane_sum entropy;
  for (int i = 0; i < width; i += 16) {
    for (int p = 0; p < parts; ++p) {
      const int at = i + p * lanes;
      const V log_p = hn::Sub(load(log_probability + at), total);
      const V prob = exponential_of(log_p);
      store(log_p, log_probability + at);
      if (probability != nullptr) store(prob, probability + at);
      entropy.part[p] = fused(prob, hn::Neg(log_p), entropy.part[p]);
    }
  }
  return entropy.total();
}

float relative_entropy_row(int width, const float* p, const float* log_p, const float* log_q) {
  lane_sum sum;
  for (int i = 0; i < width; i += 16) {
    for (int part = 0; part < parts; ++part) {
      const int at = i + part * lanes;
      sum.part[part] =
          fused(load(p + at), hn::Sub(load(log_p + at), load(log_q + at)), sum.part[part]);
    }
  }
  return sum.total();
}

}  // namespace sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sim {

HWY_EXPORT(norm_rows);
HWY_EXPORT(norm_rows_backward);
HWY_EXPORT(norm_weight_gradient);
HWY_EXPORT(sum_columns);
HWY_EXPORT(log_softmax_row);
HWY_EXPORT(relative_entropy_row);

void rms_norm(int rows, int width, readable_rows x, const float* weight, float epsilon,
              writable_rows y, float* inverse_rms) {
  HWY_DYNAMIC_DISPATCH(norm_rows)(rows, width, x, weight, epsilon, y, inverse_rms);
}
void rms_norm_backward(int rows, int width, const normed_rows& of, const float* weight,
                       readable_rows dy, writable_rows dx) {
  HWY_DYNAMIC_DISPATCH(norm_rows_backward)(rows, width, of, weight, dy, dx);
}
void rms_norm_weight_gradient(int rows, int width, const normed_rows& of, readable_rows dy,
                              float* dweight) {
  HWY_DYNAMIC_DISPATCH(norm_weight_gradient)(rows, width, of, dy, dweight);
}
void column_sums(int rows, int width, readable_rows x, float* sums) {
  HWY_DYNAMIC_DISPATCH(sum_columns)(rows, width, x, sums);
}
float log_softmax(int width, const float* logits, float* log_probability, float* probability) {
  return HWY_DYNAMIC_DISPATCH(log_softmax_row)(width, logits, log_probability, probability);
}
float relative_entropy(int width, const float* p, const float* log_p, const float* log_q) {
  return HWY_DYNAMIC_DISPATCH(relative_entropy_row)(width, p, log_p, log_q);
}

}  // namespace sim
#endif  // HWY_ONCE
