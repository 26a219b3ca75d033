// SPDX-License-Identifier: Apache-2.0
// tests/policy/slow_step.h: forward and backward pass of one sequence at a time, in order, with
// quantized products by their definition; the rest is sim/policy/row_functions.h, as in the
// decoder.
#pragma once
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "sim/policy/attention_rows.h"
#include "sim/policy/element_functions.h"
#include "sim/policy/row_functions.h"
#include "slow_products.h"

namespace test {

/// The figures of a sequence: a leaf of the gradient, and its response tokens' outcomes. The
/// gradients of linears belong to the last sequence of wgrad's product, as the sum over all of its
/// sequences.
struct slow_figures {
  floats gradient, outcomes;
};

class slow_step {
 public:
  slow_step(const tiny_policy& policy, const sim::step_arithmetic& a)
      : table_(policy.table),
        rope_(policy.rope),
        w_(policy.weights),
        sequences_(a.formats.wgrad.sequences),
        products_(policy, a) {}

  /// As test::gradient_of for sequence `index` of a batch.
  [[nodiscard]] slow_figures operator()(const sim::sequence& s, int index,
                                        sim::pass pass = sim::pass::forward) {
    tokens_ = s.length();
    index_ = index;
    leaf_.assign(w_.size(), 0.0F);
    states_.clear();
    floats x;
    for (const sim::token_id t : s.tokens) append(x, row(table_.embedding(), t));
    for (int layer = 0; layer < table_.shape().layers; ++layer) x = forward(pass, layer, x);
    slow_figures result;
    floats dx = head(s, x, result.outcomes);
    for (int layer = table_.shape().layers - 1; layer >= 0; --layer) dx = backward(layer, dx);
    for (int t = 0; t < tokens_; ++t) {
      sim::add(d(), dx.data() + t * d(),
               at(leaf_, table_.embedding()) + s.tokens[static_cast<std::size_t>(t)] * d());
    }
    result.gradient = leaf_;
    return result;
  }

 private:
  /// A feed-forward part on its rows.
  ///   slots  of the rows among those of all tokens; the rows themselves without experts
  struct part_state {
    slow_rows rows;
    std::vector<int> slots{};
    floats x{}, gate{}, up{}, hidden{}, out{};
  };
  struct layer_state {
    floats x, rms, normed, q_raw, k_raw, v, q, k, q_rms, k_rms, probability, attention, middle,
        middle_rms, normed_middle;
    floats router_probability, slot_weight;
    std::vector<int> expert_of_slot;
    std::vector<part_state> parts;  ///< of each expert, or the one
  };

  [[nodiscard]] int d() const { return table_.shape().width; }
  [[nodiscard]] floats zeros(int columns) const {
    return floats(static_cast<std::size_t>(tokens_ * columns));
  }
  [[nodiscard]] static float* at(floats& v, const sim::parameter& p) { return v.data() + p.offset; }
  [[nodiscard]] const float* weight(const sim::parameter& p) const { return w_.data() + p.offset; }
  [[nodiscard]] floats row(const sim::parameter& p, int r) const {
    const float* first = weight(p) + r * p.columns;
    return {first, first + p.columns};
  }
  static void append(floats& to, const floats& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  /// Norm over rows of the parameter's width.
  [[nodiscard]] floats normed(const sim::parameter& p, const floats& x, floats& rms) const {
    const int rows = static_cast<int>(x.size()) / p.columns;
    floats y(x.size());
    rms.resize(static_cast<std::size_t>(rows));
    sim::rms_norm(rows, p.columns, {x.data(), p.columns}, weight(p), table_.shape().norm_epsilon,
                  {y.data(), p.columns}, rms.data());
    return y;
  }
  [[nodiscard]] floats norm_backward(const sim::parameter& p, const floats& x, const floats& rms,
                                     floats dy) {
    const int rows = static_cast<int>(x.size()) / p.columns, n = p.columns;
    const sim::normed_rows of{{x.data(), n}, rms.data()};
    sim::rms_norm_weight_gradient(rows, n, of, {dy.data(), n}, at(leaf_, p));
    sim::rms_norm_backward(rows, n, of, weight(p), {dy.data(), n}, {dy.data(), n});
    return dy;
  }

  template <class Rotate>
  void rotate_heads(int heads, floats& x, const Rotate& rotate) const {
    const int hd = table_.shape().head_width;
    for (int i = 0; i < tokens_ * heads; ++i) {
      rotate(hd, x.data() + i * hd, rope_.cosine(i / heads), rope_.sine(i / heads));
    }
  }

  /// The transpose of a head's rows, 32 slots wide.
  [[nodiscard]] floats slots(const floats& x, int column, int stride) const {
    const int hd = table_.shape().head_width;
    floats result(static_cast<std::size_t>(hd * span));
    for (int t = 0; t < tokens_; ++t) {
      for (int c = 0; c < hd; ++c) {
        result[static_cast<std::size_t>(c * span + t)] =
            x[static_cast<std::size_t>(t * stride + column + c)];
      }
    }
    return result;
  }

  /// Of the token at a position.
  [[nodiscard]] sim::attention_shape attention_of(int t) const {
    return {.width = table_.shape().head_width,
            .keys = t + 1,
            .span = span,
            .score_scale = sim::score_scale(table_.shape())};
  }

  void attend(layer_state& s) const {
    const sim::policy_shape& shape = table_.shape();
    const int hd = shape.head_width, queries = table_.query_width(), keys = table_.key_width();
    s.attention = zeros(queries);
    s.probability = zeros(shape.heads * span);
    for (int head = 0; head < shape.heads; ++head) {
      const int shared = head / (shape.heads / shape.kv_heads) * hd;
      const floats k = slots(s.k, shared, keys);
      for (int t = 0; t < tokens_; ++t) {
        sim::attend(attention_of(t),
                    {.query = s.q.data() + t * queries + head * hd,
                     .keys_transposed = k.data(),
                     .values = {s.v.data() + shared, keys}},
                    {.probability = s.probability.data() + (t * shape.heads + head) * span,
                     .out = s.attention.data() + t * queries + head * hd});
      }
    }
  }

  [[nodiscard]] floats forward(sim::pass pass, int layer, const floats& x) {
    using enum sim::linear;
    const sim::layer_parameters& p = table_.layer(layer);
    const auto product = [&](sim::linear l, const floats& from) {
      return products_.forward(pass, {layer, l}, first_rows(index_, tokens_), from);
    };
    layer_state s;
    s.x = x;
    s.normed = normed(p.input_norm, x, s.rms);
    s.q_raw = biased(p.biases[0], product(q, s.normed));
    s.k_raw = biased(p.biases[1], product(k, s.normed));
    s.v = biased(p.biases[2], product(v, s.normed));
    s.q = p.q_norm.columns == 0 ? s.q_raw : normed(p.q_norm, s.q_raw, s.q_rms);
    s.k = p.k_norm.columns == 0 ? s.k_raw : normed(p.k_norm, s.k_raw, s.k_rms);
    rotate_heads(table_.shape().heads, s.q, sim::rotate);
    rotate_heads(table_.shape().kv_heads, s.k, sim::rotate);
    attend(s);
    s.middle = sum(product(o, s.attention), x);
    s.normed_middle = normed(p.post_norm, s.middle, s.middle_rms);
    const floats fed_forward = feed_forward(pass, layer, s);
    states_.push_back(s);
    return sum(fed_forward, s.middle);
  }

  [[nodiscard]] floats feed_forward(sim::pass pass, int layer, layer_state& s) const {
    const sim::parameter& router = table_.layer(layer).router;
    if (router.count() == 0) {
      s.parts.push_back({first_rows(index_, tokens_), {}, s.normed_middle});
      compute(pass, layer, 0, s.parts.back());
      return s.parts.back().out;
    }
    route(router, s);
    const int chosen = table_.shape().experts.chosen;
    floats slots(s.expert_of_slot.size() * static_cast<std::size_t>(d()));
    for (int e = 0; e < router.rows; ++e) {
      part_state part{{index_}};
      for (int slot = 0; slot < std::ssize(s.expert_of_slot); ++slot) {
        if (s.expert_of_slot[static_cast<std::size_t>(slot)] != e) continue;
        part.slots.push_back(slot);
        part.rows.positions.push_back(slot / chosen);
        append(part.x, row_of(s.normed_middle, slot / chosen));
      }
      if (!part.slots.empty()) compute(pass, layer, e, part);
      put(part.slots, part.out, slots);
      s.parts.push_back(part);
    }
    return sum_of_slots(s, slots, true);
  }

  void compute(sim::pass pass, int layer, int expert, part_state& part) const {
    using enum sim::linear;
    const auto product = [&](sim::linear l, const floats& from) {
      return products_.forward(pass, {layer, l, expert}, part.rows, from);
    };
    part.gate = product(gate, part.x);
    part.up = product(up, part.x);
    part.hidden = part.gate;
    sim::gated(std::ssize(part.gate), part.gate.data(), part.up.data(), part.hidden.data());
    part.out = product(down, part.hidden);
  }

  /// Experts of each token by a sort of their probabilities, then by their indices.
  void route(const sim::parameter& router, layer_state& s) const {
    const sim::expert_mixture& of = table_.shape().experts;
    const floats w(weight(router), weight(router) + router.count());
    const floats logits = plain_product(s.normed_middle, w, d());
    for (int t = 0; t < tokens_; ++t) {
      floats p(logits.begin() + t * of.count, logits.begin() + (t + 1) * of.count);
      const float largest = *std::ranges::max_element(p);
      float whole = 0;
      for (float& v : p) whole += v = sim::exponential(v - largest);
      for (float& v : p) v /= whole;
      append(s.router_probability, p);
      std::vector<int> order;
      for (int e = 0; e < of.count; ++e) order.push_back(e);
      const auto likelier = [&](int a, int b) {
        return p[static_cast<std::size_t>(a)] > p[static_cast<std::size_t>(b)];
      };
      std::ranges::stable_sort(order, likelier);
      order.resize(static_cast<std::size_t>(of.chosen));
      std::ranges::sort(order);
      float over = 0;
      for (const int e : order) over += p[static_cast<std::size_t>(e)];
      if (of.weights == sim::expert_weights::over_all) over = 1;
      for (const int e : order) {
        s.expert_of_slot.push_back(e);
        s.slot_weight.push_back(p[static_cast<std::size_t>(e)] / over);
      }
    }
  }

  [[nodiscard]] floats row_of(const floats& x, int row) const {
    return {x.begin() + row * d(), x.begin() + (row + 1) * d()};
  }
  void put(const std::vector<int>& slots, const floats& rows, floats& to) const {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      std::ranges::copy(row_of(rows, static_cast<int>(i)), to.begin() + slots[i] * d());
    }
  }

  /// Each token's slots, one after the other.
  [[nodiscard]] floats sum_of_slots(const layer_state& s, const floats& slots,
                                    bool weighted) const {
    const int chosen = table_.shape().experts.chosen;
    floats result = zeros(d());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::size_t slot = i / static_cast<std::size_t>(d());
      const std::size_t token = slot / static_cast<std::size_t>(chosen);
      const float v = weighted ? s.slot_weight[slot] * slots[i] : slots[i];
      result[token * static_cast<std::size_t>(d()) + i % static_cast<std::size_t>(d())] += v;
    }
    return result;
  }

  /// Rows with a bias, which a family may lack.
  [[nodiscard]] floats biased(const sim::parameter& p, floats rows) const {
    for (std::size_t i = 0; i < rows.size() && p.columns > 0; ++i) {
      rows[i] += weight(p)[i % static_cast<std::size_t>(p.columns)];
    }
    return rows;
  }
  /// The gradient of a bias: rows are added in 16 lanes, then in pairs of lanes, the halves
  /// together.
  void add_bias(const sim::parameter& p, const floats& dy) {
    for (int column = 0; column < p.columns; ++column) {
      floats lane(16, 0.0F);
      for (int t = 0; t < tokens_; ++t) {
        lane[static_cast<std::size_t>(t % 16)] +=
            dy[static_cast<std::size_t>(t * p.columns + column)];
      }
      for (std::size_t half = 8; half > 0; half /= 2) {
        for (std::size_t j = 0; j < half; ++j) lane[j] += lane[j + half];
      }
      at(leaf_, p)[column] = lane[0];
    }
  }

  /// x + y in the decoder's order: the product first.
  [[nodiscard]] static floats sum(floats x, const floats& y) {
    sim::add(std::ssize(x), y.data(), x.data());
    return x;
  }

  /// Final norm and head: outcomes, and the gradient of the last layer's output.
  [[nodiscard]] floats head(const sim::sequence& s, const floats& x, floats& outcomes) {
    const sim::parameter& e = table_.head();
    const int vocabulary = e.rows;
    floats rms;
    const floats y = normed(table_.final_norm(), x, rms);
    const floats logits = plain_product(y, floats(weight(e), weight(e) + e.count()), d());
    floats dlogits = zeros(vocabulary), log_p(32), p(32);
    for (int t = 0; t < s.response(); ++t) {
      const std::ptrdiff_t at = s.prompt + t - 1;
      const sim::token_id next = s.tokens[static_cast<std::size_t>(at + 1)];
      sim::token_outcome outcome;
      outcome.entropy = sim::log_softmax(vocabulary, logits.data() + at * vocabulary, log_p.data(),
                                         dlogits.data() + at * vocabulary);
      outcome.log_probability = log_p[next];
      dlogits[static_cast<std::size_t>(at * vocabulary + next)] -= 1.0F;
      sim::scale(vocabulary, some_weight(index_, t, outcome), dlogits.data() + at * vocabulary);
      outcomes.insert(outcomes.end(), {outcome.log_probability, outcome.entropy});
    }
    const floats dw = plain_product(transposed(dlogits, tokens_, vocabulary),
                                    transposed(y, tokens_, d()), tokens_);
    std::ranges::copy(dw, at(leaf_, e));
    const floats by_columns = transposed(floats(weight(e), weight(e) + e.count()), vocabulary, d());
    return norm_backward(table_.final_norm(), x, rms,
                         plain_product(dlogits, by_columns, vocabulary));
  }

  /// Lines times lines in FP32.
  [[nodiscard]] static floats plain_product(const floats& a, const floats& b, int k) {
    floats result;
    for (std::size_t i = 0; i < a.size(); i += static_cast<std::size_t>(k)) {
      for (std::size_t j = 0; j < b.size(); j += static_cast<std::size_t>(k)) {
        float sum = 0;
        for (std::size_t n = 0; n < static_cast<std::size_t>(k); ++n) {
          sum = mx::fused_multiply_add(a[i + n], b[j + n], sum);
        }
        result.push_back(sum);
      }
    }
    return result;
  }

  void add_weight(int layer, sim::linear l, const floats& dy, const floats& x) {
    add_weight({layer, l}, first_rows(index_, tokens_), dy, x);
  }
  void add_weight(const sim::product_place& place, const slow_rows& rows, const floats& dy,
                  const floats& x) {
    packed_rows& packed = packed_[{place.layer, place.which, place.expert}];
    append(packed.dy, dy);
    if (rows.count() > 0) append(packed.x, products_.input_of_wgrad(place, rows, x));
    packed.rows += rows.count();
    if ((index_ + 1) % sequences_ != 0) return;
    const packed_rows all = std::exchange(packed, {});
    if (all.rows == 0) return;  // a leaf of zeros
    std::ranges::copy(products_.wgrad(place, index_ / sequences_, all.rows, all.dy, all.x),
                      at(leaf_, table_.at(place)));
  }

  [[nodiscard]] floats backward(int layer, const floats& dy) {
    using enum sim::linear;
    const sim::layer_parameters& p = table_.layer(layer);
    const layer_state& s = states_[static_cast<std::size_t>(layer)];
    const auto product = [&](sim::linear l, const floats& of) {
      return products_.dgrad({layer, l}, first_rows(index_, tokens_), of);
    };
    const floats dmiddle = sum(dy, norm_backward(p.post_norm, s.middle, s.middle_rms,
                                                 feed_forward_backward(layer, s, dy)));
    floats dq, dk, dv;
    attend_backward(s, product(o, dmiddle), dq, dk, dv);
    rotate_heads(table_.shape().heads, dq, sim::rotate_back);
    rotate_heads(table_.shape().kv_heads, dk, sim::rotate_back);
    if (p.q_norm.columns > 0) dq = norm_backward(p.q_norm, s.q_raw, s.q_rms, dq);
    if (p.k_norm.columns > 0) dk = norm_backward(p.k_norm, s.k_raw, s.k_rms, dk);
    add_bias(p.biases[0], dq);
    add_bias(p.biases[1], dk);
    add_bias(p.biases[2], dv);
    const floats dnormed = sum(sum(product(q, dq), product(k, dk)), product(v, dv));
    add_weight(layer, q, dq, s.normed);
    add_weight(layer, k, dk, s.normed);
    add_weight(layer, v, dv, s.normed);
    add_weight(layer, o, dmiddle, s.attention);
    return sum(dmiddle, norm_backward(p.input_norm, s.x, s.rms, dnormed));
  }

  [[nodiscard]] floats feed_forward_backward(int layer, const layer_state& s, const floats& dy) {
    const sim::parameter& router = table_.layer(layer).router;
    if (router.count() == 0) return part_backward(layer, 0, s.parts.front(), dy);
    const std::size_t width = static_cast<std::size_t>(d());
    const int chosen = table_.shape().experts.chosen;
    floats dslots(s.expert_of_slot.size() * width), dweight(s.expert_of_slot.size());
    for (int e = 0; e < router.rows; ++e) {
      const part_state& part = s.parts[static_cast<std::size_t>(e)];
      floats dpart;
      for (std::size_t i = 0; i < part.slots.size(); ++i) {
        const auto slot = static_cast<std::size_t>(part.slots[i]);
        floats row = row_of(dy, part.slots[i] / chosen);
        const floats out = row_of(part.out, static_cast<int>(i));
        dweight[slot] = static_cast<float>(sim::inner_product(row.data(), out.data(), d()));
        for (float& v : row) v *= s.slot_weight[slot];
        append(dpart, row);
      }
      put(part.slots, part_backward(layer, e, part, dpart), dslots);
    }
    const floats dlogits = route_backward(s, dweight);
    const floats w(weight(router), weight(router) + router.count());
    std::ranges::copy(plain_product(transposed(dlogits, tokens_, router.rows),
                                    transposed(s.normed_middle, tokens_, d()), tokens_),
                      at(leaf_, router));
    return sum(sum_of_slots(s, dslots, false),
               plain_product(dlogits, transposed(w, router.rows, d()), router.rows));
  }

  [[nodiscard]] floats part_backward(int layer, int expert, const part_state& part,
                                     const floats& dy) {
    using enum sim::linear;
    const auto product = [&](sim::linear l, const floats& of) {
      return part.rows.count() == 0 ? floats{} : products_.dgrad({layer, l, expert}, part.rows, of);
    };
    const floats dhidden = product(down, dy);
    floats dgate = dhidden, dup = dhidden;
    sim::gated_backward(std::ssize(dhidden), part.gate.data(), part.up.data(), dhidden.data(),
                        dgate.data(), dup.data());
    add_weight({layer, gate, expert}, part.rows, dgate, part.x);
    add_weight({layer, up, expert}, part.rows, dup, part.x);
    add_weight({layer, down, expert}, part.rows, dy, part.hidden);
    return sum(product(gate, dgate), product(up, dup));
  }

  /// d loss / d logits of the router.
  [[nodiscard]] floats route_backward(const layer_state& s, const floats& dweight) const {
    const sim::expert_mixture& of = table_.shape().experts;
    floats result;
    for (int t = 0; t < tokens_; ++t) {
      const float* p = s.router_probability.data() + t * of.count;
      const int* expert = s.expert_of_slot.data() + t * of.chosen;
      const float *w = s.slot_weight.data() + t * of.chosen, *dw = dweight.data() + t * of.chosen;
      float over = 0, inner = 0, mean = 0;
      for (int i = 0; i < of.chosen; ++i) over += p[expert[i]];
      for (int i = 0; i < of.chosen; ++i) inner += dw[i] * w[i];
      if (of.weights == sim::expert_weights::over_all) {
        over = 1;
        inner = 0;
      }
      floats dp(static_cast<std::size_t>(of.count));
      for (int i = 0; i < of.chosen; ++i) {
        float& v = dp[static_cast<std::size_t>(expert[i])];
        v = (dw[i] - inner) / over;
        mean += p[expert[i]] * v;
      }
      for (int e = 0; e < of.count; ++e) {
        result.push_back(p[e] * (dp[static_cast<std::size_t>(e)] - mean));
      }
    }
    return result;
  }

  void attend_backward(const layer_state& s, const floats& dattention, floats& dq, floats& dk,
                       floats& dv) const {
    const sim::policy_shape& shape = table_.shape();
    const int hd = shape.head_width, queries = table_.query_width(), keys = table_.key_width();
    dq = zeros(queries);
    dk = zeros(keys);
    dv = zeros(keys);
    for (int head = 0; head < shape.heads; ++head) {
      const int shared = head / (shape.heads / shape.kv_heads) * hd;
      const floats values = slots(s.v, shared, keys);
      for (int t = 0; t < tokens_; ++t) {
        const int column = t * queries + head * hd;
        sim::attend_backward(attention_of(t),
                             {.query = s.q.data() + column,
                              .keys = {s.k.data() + shared, keys},
                              .values_transposed = values.data(),
                              .probability = s.probability.data() + (t * shape.heads + head) * span,
                              .dout = dattention.data() + column},
                             {.dquery = dq.data() + column,
                              .dkeys = {dk.data() + shared, keys},
                              .dvalues = {dv.data() + shared, keys}});
      }
    }
  }

  /// Operands of wgrad: the tokens of its product's sequences so far.
  struct packed_rows {
    floats dy, x;
    int rows = 0;
  };

  static constexpr int span = 32;

  const sim::parameter_table& table_;
  const sim::rope_table& rope_;
  const floats& w_;
  int sequences_;
  slow_products products_;
  std::map<std::tuple<int, sim::linear, int>, packed_rows> packed_;
  int tokens_ = 0, index_ = 0;
  floats leaf_;
  std::vector<layer_state> states_;
};

}  // namespace test
