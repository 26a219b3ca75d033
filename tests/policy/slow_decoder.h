// SPDX-License-Identifier: Apache-2.0
// tests/policy/slow_decoder.h: an independent forward pass of the decoder, in binary64, one number
// at a time, as the architectures (Llama, Qwen2, Qwen3, with experts) define it; it shares only the
// table of names with sim/policy, and knows a family by the parameters that it has.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "finite_differences.h"
#include "sim/policy/parameters.h"
#include "sim/task/sequence.h"

namespace test {

class slow_decoder {
 public:
  slow_decoder(const sim::parameter_table& table, const doubles& weights)
      : table_(table), shape_(table.shape()), w_(weights) {}

  /// Log-probabilities over the vocabulary after each token.
  [[nodiscard]] std::vector<doubles> log_distributions(
      const std::vector<sim::token_id>& tokens) const {
    std::vector<doubles> x;
    for (const sim::token_id t : tokens) x.push_back(row(table_.embedding(), t));
    for (int i = 0; i < shape_.layers; ++i) add_layer(table_.layer(i), x);
    for (doubles& v : x) v = log_softmax(product(table_.head(), norm(table_.final_norm(), v)));
    return x;
  }

 private:
  [[nodiscard]] doubles row(const sim::parameter& p, int r) const {
    const auto begin = w_.begin() + p.offset + static_cast<std::ptrdiff_t>(r) * p.columns;
    return {begin, begin + p.columns};
  }

  [[nodiscard]] doubles product(const sim::parameter& p, const doubles& x) const {
    doubles y(static_cast<std::size_t>(p.rows));
    const double* w = w_.data() + p.offset;
    for (double& sum : y) {
      for (const double v : x) sum += *w++ * v;
    }
    return y;
  }

  [[nodiscard]] doubles norm(const sim::parameter& p, const doubles& x) const {
    double squares = 0;
    for (const double v : x) squares += v * v;
    const double r =
        1 / std::sqrt(squares / static_cast<double>(x.size()) + double{shape_.norm_epsilon});
    doubles y = x;
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] *= r * w_[static_cast<std::size_t>(p.offset) + i];
    }
    return y;
  }

  [[nodiscard]] doubles biased(const sim::parameter& p, doubles y) const {
    if (p.columns > 0) add(row(p, 0), y);
    return y;
  }

  /// Head `h` of a row, normed, and rotated for position t.
  [[nodiscard]] doubles head(const sim::parameter& p, const doubles& x, int h, int t) const {
    const auto width = static_cast<std::size_t>(shape_.head_width), half = width / 2;
    const auto begin = x.begin() + h * shape_.head_width;
    const doubles raw(begin, begin + shape_.head_width);
    const doubles a = p.columns == 0 ? raw : norm(p, raw);
    doubles y(width);
    for (std::size_t j = 0; j < half; ++j) {
      const double angle =
          t * std::pow(shape_.rope_theta, -2.0 * static_cast<double>(j) / shape_.head_width);
      y[j] = a[j] * std::cos(angle) - a[half + j] * std::sin(angle);
      y[half + j] = a[half + j] * std::cos(angle) + a[j] * std::sin(angle);
    }
    return y;
  }

  [[nodiscard]] static doubles log_softmax(doubles x) {
    double sum = 0;
    for (const double v : x) sum += std::exp(v);
    for (double& v : x) v -= std::log(sum);
    return x;
  }

  /// Attention output of the tokens, all heads side by side.
  [[nodiscard]] std::vector<doubles> attention(const sim::layer_parameters& p,
                                               const std::vector<doubles>& x) const {
    std::vector<doubles> q, k, v, out;
    for (const doubles& row_of_x : x) {
      const doubles n = norm(p.input_norm, row_of_x);
      q.push_back(biased(p.biases[0], product(p.of(sim::linear::q), n)));
      k.push_back(biased(p.biases[1], product(p.of(sim::linear::k), n)));
      v.push_back(biased(p.biases[2], product(p.of(sim::linear::v), n)));
    }
    for (int t = 0; t < static_cast<int>(x.size()); ++t) {
      out.emplace_back();
      for (int h = 0; h < shape_.heads; ++h) append_head(p, q, k, v, t, h, out.back());
    }
    return out;
  }

  void append_head(const sim::layer_parameters& p, const std::vector<doubles>& q,
                   const std::vector<doubles>& k, const std::vector<doubles>& v, int t, int h,
                   doubles& out) const {
    const int shared = h * shape_.kv_heads / shape_.heads;
    const doubles query = head(p.q_norm, q[static_cast<std::size_t>(t)], h, t);
    doubles sum(query.size());
    double total = 0;
    for (int j = 0; j <= t; ++j) {
      const doubles key = head(p.k_norm, k[static_cast<std::size_t>(j)], shared, j);
      double dot = 0;
      for (std::size_t c = 0; c < key.size(); ++c) dot += query[c] * key[c];
      const double e = std::exp(dot / std::sqrt(static_cast<double>(shape_.head_width)));
      total += e;
      for (std::size_t c = 0; c < sum.size(); ++c) {
        sum[c] += e * v[static_cast<std::size_t>(j)]
                       [static_cast<std::size_t>(shared * shape_.head_width) + c];
      }
    }
    for (const double s : sum) out.push_back(s / total);
  }

  void add_layer(const sim::layer_parameters& p, std::vector<doubles>& x) const {
    const std::vector<doubles> attended = attention(p, x);
    for (std::size_t t = 0; t < x.size(); ++t) {
      add(product(p.of(sim::linear::o), attended[t]), x[t]);
      const doubles n = norm(p.post_norm, x[t]);
      if (p.router.count() == 0) {
        add(feed_forward(p, 0, n), x[t]);
      } else {
        add(mixture(p, n), x[t]);
      }
    }
  }

  [[nodiscard]] doubles feed_forward(const sim::layer_parameters& p, int expert,
                                     const doubles& n) const {
    const doubles gate = product(p.of(sim::linear::gate, expert), n);
    doubles hidden = product(p.of(sim::linear::up, expert), n);
    for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] *= gate[i] / (1 + std::exp(-gate[i]));
    return product(p.of(sim::linear::down, expert), hidden);
  }

  /// The sum of the likeliest experts' parts, by a sort of all.
  [[nodiscard]] doubles mixture(const sim::layer_parameters& p, const doubles& n) const {
    const sim::expert_mixture& of = shape_.experts;
    const doubles log_p = log_softmax(product(p.router, n));
    std::vector<std::pair<double, int>> order;
    for (int e = 0; e < of.count; ++e) order.emplace_back(-std::exp(log_p[std::size_t(e)]), e);
    std::ranges::sort(order);
    order.resize(static_cast<std::size_t>(of.chosen));
    double whole = 0;
    for (const auto& [minus_p, e] : order) whole -= minus_p;
    if (of.weights == sim::expert_weights::over_all) whole = 1;
    doubles sum(n.size());
    for (const auto& [minus_p, e] : order) {
      doubles part = feed_forward(p, e, n);
      for (double& v : part) v *= -minus_p / whole;
      add(part, sum);
    }
    return sum;
  }

  static void add(const doubles& y, doubles& x) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }

  const sim::parameter_table& table_;
  const sim::policy_shape& shape_;
  const doubles& w_;
};

}  // namespace test
