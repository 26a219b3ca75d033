// SPDX-License-Identifier: Apache-2.0
// tests/policy/slow_products.h: the quantized products of a step by their definition: operands line
// by line with the keys of their random bits, sums by fused multiply-adds or by the core of
// mx::gemm.
#pragma once
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "mx/dot/gemm.h"
#include "mx/spelling.h"
#include "tiny_policy.h"

namespace test {

using floats = std::vector<float>;

/// Lines along k as values, or as codes of a model.
struct slow_lines {
  int count = 0, k = 0;
  floats values{};
  int padded = 0, blocks = 0;
  std::vector<std::uint8_t> codes{}, scales{};
  floats tensor_scales{};
};

inline floats transposed(const floats& x, int rows, int columns) {
  floats result(x.size());
  for (int i = 0; i < rows * columns; ++i) {
    result[static_cast<std::size_t>(i % columns * rows + i / columns)] =
        x[static_cast<std::size_t>(i)];
  }
  return result;
}

/// Tokens of a sequence, by their positions.
struct slow_rows {
  int sequence = 0;
  std::vector<int> positions{};

  [[nodiscard]] int count() const { return static_cast<int>(positions.size()); }
};

/// The first tokens of a sequence.
inline slow_rows first_rows(int sequence, int count) {
  slow_rows rows{sequence};
  for (int t = 0; t < count; ++t) rows.positions.push_back(t);
  return rows;
}

class slow_products {
 public:
  slow_products(const tiny_policy& policy, const sim::step_arithmetic& a)
      : policy_(policy), arithmetic_(a) {}

  /// Y = X W^T of rollout or forward: rows x outputs.
  [[nodiscard]] floats forward(sim::pass pass, const sim::product_place& at, const slow_rows& rows,
                               const floats& x) const {
    const sim::pass_products p = products_at(pass, at);
    return product(p, row_lines(p, owner(at), rows, x), weight_lines(p, p.format, at, 1));
  }

  /// dX = dY W: rows x inputs.
  [[nodiscard]] floats dgrad(const sim::product_place& at, const slow_rows& rows,
                             const floats& dy) const {
    const sim::pass_products p = products_at(sim::pass::dgrad, at);
    slow_lines w;
    if (p.format.source == sim::operand_source::own) {
      w = weight_lines(p, p.format, at, 0);
    } else {
      const sim::pass_products of_forward = products_at(sim::pass::forward, at);
      const slow_lines by_rows = weight_lines(of_forward, of_forward.format, at, 1);
      w = {by_rows.k, by_rows.count, transposed(by_rows.values, by_rows.count, by_rows.k)};
    }
    return product(p, row_lines(p, at, rows, dy), w);
  }

  /// The X of a sequence in wgrad before it is quantized along the tokens.
  [[nodiscard]] floats input_of_wgrad(const sim::product_place& at, const slow_rows& rows,
                                      const floats& x) const {
    if (arithmetic_.formats.wgrad.source == sim::operand_source::own) return x;
    sim::pass_products of_forward = products_at(sim::pass::forward, at);
    of_forward.format.model = mx::model_named("fp32.fma");
    return row_lines(of_forward, owner(at), rows, x).values;
  }

  /// dW = dY^T X of one product's sequences: outputs x inputs.
  ///   x  input_of_wgrad of its sequences
  [[nodiscard]] floats wgrad(const sim::product_place& at, int index, int rows, const floats& dy,
                             const floats& x) const {
    const sim::pass_products p = products_at(sim::pass::wgrad, at);
    const slow_lines left = column_lines(p, sim::operand_role::data, at, index, rows, dy);
    if (p.format.source == sim::operand_source::forward) {
      const int columns = static_cast<int>(x.size()) / rows;
      return product(p, left, {columns, rows, transposed(x, rows, columns)});
    }
    return product(p, left, column_lines(p, sim::operand_role::other, owner(at), index, rows, x));
  }

 private:
  /// The format that the first rule about an operand gives it; null without one.
  [[nodiscard]] const mx::operand* ruled(const sim::pass_format& f, sim::pass pass, bool other,
                                         const sim::product_place& at) const {
    const std::string weight = policy_.table.at(at).name;
    const std::string name = weight.substr(0, weight.rfind(".weight"));
    for (const sim::format_rule& rule : f.rules) {
      const bool about = rule.passes.at(static_cast<std::size_t>(pass)) &&
                         (other ? rule.operands[1] : rule.operands[0]);
      if (about && matches(name, rule.names)) return &rule.format;
    }
    return nullptr;
  }

  [[nodiscard]] bool matches(const std::string& name, const std::string& expression) const {
    const auto found = matches_.find({name, expression});
    if (found != matches_.end()) return found->second;
    return matches_[{name, expression}] = std::regex_match(name, std::regex(expression));
  }

  /// The products of a pass at a place: those with a rule have its format on its sides.
  [[nodiscard]] sim::pass_products products_at(sim::pass pass, const sim::product_place& at) const {
    sim::pass_products p = products_without_rules(pass, at);
    for (const bool other : {false, true}) {
      const mx::operand* format = ruled(p.format, pass, other, at);
      if (format == nullptr) continue;
      (other ? p.format.other : p.format.data) = *format;
      p.format.model = mx::model_named("fp32.fma");
      p.format.rotation = {};
    }
    p.format.rules.clear();
    return p;
  }

  /// The same without rules: exempt ones have their own format on both sides.
  [[nodiscard]] sim::pass_products products_without_rules(sim::pass pass,
                                                          const sim::product_place& at) const {
    sim::pass_products p = arithmetic_.of(pass);
    const sim::exempt_products e = p.format.exempt;
    p.format.exempt = {};
    const bool attention = name_of(at.which)[1] == '\0';  // "q", "k", "v", "o"
    const bool of_part =
        e.part == (attention ? sim::layer_part::attention : sim::layer_part::feed_forward);
    if (at.layer + 1 > e.first && at.layer < e.layers - e.last && !of_part) return p;
    if (e.is_empty()) return p;
    p.format.data = p.format.other = e.format;
    p.format.model = mx::model_named("fp32.fma");
    p.format.rotation = {};
    return p;
  }

  /// The first linear with the same X.
  [[nodiscard]] static sim::product_place owner(sim::product_place at) {
    using enum sim::linear;
    const sim::linear l = at.which;
    at.which = l == k || l == v ? q : l == up ? gate : l;
    return at;
  }

  [[nodiscard]] static bool has_values(const sim::pass_format& f) {
    return f.model->name == "fp32.fma";
  }

  [[nodiscard]] static floats rotated(const sim::pass_format& f, floats lines, int k) {
    for (std::size_t at = 0; at < lines.size(); at += static_cast<std::size_t>(k)) {
      mx::rotate(f.rotation, lines.data() + at, k);
    }
    return lines;
  }

  /// Lines whose values, or codes, `quantize` writes into one of its arguments.
  template <class Quantize>
  [[nodiscard]] static slow_lines lines(const sim::pass_format& f, const mx::operand& o, int count,
                                        int k, const Quantize& quantize) {
    slow_lines result{count, k, floats(static_cast<std::size_t>(count * k))};
    if (has_values(f) || !o.is_coded()) {
      quantize(result, nullptr);
      return result;
    }
    const int block = o.recipe.format().columns;
    result.blocks = (k + block - 1) / block;
    result.padded = result.blocks * block;
    result.codes.resize(static_cast<std::size_t>(count * result.padded));
    result.scales.resize(static_cast<std::size_t>(count * result.blocks));
    result.tensor_scales.assign(static_cast<std::size_t>(count), 1.0F);
    const mx::operand_codes out{result.codes.data(), result.scales.data(),
                                result.tensor_scales.data()};
    quantize(result, &out);
    return result;
  }

  [[nodiscard]] slow_lines row_lines(const sim::pass_products& p, const sim::product_place& at,
                                     const slow_rows& of, const floats& x) const {
    const mx::operand f = p.operand(sim::operand_role::data, at);
    const int rows = of.count(), k = static_cast<int>(x.size()) / rows;
    const int block = f.recipe.format().columns;
    const floats from = rotated(p.format, x, k);
    std::vector<std::uint64_t> first;
    for (const int t : of.positions) {
      first.push_back(static_cast<std::uint64_t>((of.sequence * some_key.tokens + t) *
                                                 ((k + block - 1) / block)));
    }
    const mx::operand_rows m{rows, k, from.data(), k, first.data()};
    return lines(p.format, f, rows, k, [&](slow_lines& to, const mx::operand_codes* codes) {
      if (codes != nullptr) return mx::quantize(f, m, *codes);
      mx::fake_quantize(f, m, {to.values.data(), k});
    });
  }

  [[nodiscard]] slow_lines weight_lines(const sim::pass_products& p, const sim::pass_format& format,
                                        const sim::product_place& at, int axis) const {
    const mx::operand f = p.operand(sim::operand_role::other, at);
    const sim::parameter& w = policy_.table.at(at);
    const floats master(policy_.weights.begin() + w.offset,
                        policy_.weights.begin() + w.offset + w.count());
    const floats from =
        axis == 1 ? rotated(format, master, w.columns)
                  : transposed(rotated(format, transposed(master, w.rows, w.columns), w.rows),
                               w.columns, w.rows);
    const int count = axis == 1 ? w.rows : w.columns, k = axis == 1 ? w.columns : w.rows;
    const mx::operand_matrix m{w.rows, w.columns, axis, from.data()};
    return lines(format, f, count, k, [&](slow_lines& to, const mx::operand_codes* codes) {
      if (codes == nullptr) {
        mx::fake_quantize(f, m, {to.values.data(), w.columns});
        if (axis == 0) to.values = transposed(to.values, w.rows, w.columns);
        return;
      }
      mx::quantize(f, m, *codes);
      if (f.recipe.format().has_tensor_scale()) {
        std::ranges::fill(to.tensor_scales, to.tensor_scales.front());
      }
    });
  }

  [[nodiscard]] slow_lines column_lines(const sim::pass_products& p, sim::operand_role role,
                                        const sim::product_place& at, int index, int rows,
                                        const floats& x) const {
    const mx::operand f = p.operand(role, at);
    const int columns = static_cast<int>(x.size()) / rows, block = f.recipe.format().columns;
    const int size = std::max(1, p.format.rotation.size);
    const int k = (rows + size - 1) / size * size;
    floats padded = x;
    padded.resize(static_cast<std::size_t>(k * columns));
    const floats from =
        transposed(rotated(p.format, transposed(padded, k, columns), k), columns, k);
    const int tokens = some_key.tokens * p.format.sequences;
    const int numbered = (tokens + size - 1) / size * size;
    const auto first =
        static_cast<std::uint64_t>(index * ((numbered + block - 1) / block) * columns);
    const mx::operand_columns m{k, columns, from.data(), columns, first};
    return lines(p.format, f, columns, k, [&](slow_lines& to, const mx::operand_codes* codes) {
      if (codes == nullptr) {
        mx::fake_quantize(f, m, {to.values.data(), columns});
        to.values = transposed(to.values, k, columns);
        return;
      }
      mx::quantize(f, m, *codes);
      if (f.recipe.format().has_tensor_scale()) {
        std::ranges::fill(to.tensor_scales, to.tensor_scales.front());
      }
    });
  }

  /// A's lines times B's: a.count x b.count.
  [[nodiscard]] static floats product(const sim::pass_products& p, const slow_lines& a,
                                      const slow_lines& b) {
    floats d;
    for (int i = 0; i < a.count; ++i) {
      for (int j = 0; j < b.count; ++j) {
        d.push_back(has_values(p.format) ? sum_of_values(a, i, b, j)
                                         : sum_of_codes(p.format, a, i, b, j));
      }
    }
    return d;
  }

  [[nodiscard]] static float sum_of_values(const slow_lines& a, int i, const slow_lines& b, int j) {
    float sum = 0;
    for (int k = 0; k < a.k; ++k) {
      sum = mx::fused_multiply_add(a.values[static_cast<std::size_t>(i * a.k + k)],
                                   b.values[static_cast<std::size_t>(j * b.k + k)], sum);
    }
    return sum;
  }

  [[nodiscard]] static float sum_of_codes(const sim::pass_format& f, const slow_lines& a, int i,
                                          const slow_lines& b, int j) {
    mx::gemm_plan plan{f.model->model};
    if (!f.data.is_coded()) {
      const auto line = [](const slow_lines& of, int at) {
        std::vector<std::uint16_t> codes;
        for (int k = 0; k < of.k; ++k) {
          const float value = of.values[static_cast<std::size_t>(at * of.k + k)];
          codes.push_back(static_cast<std::uint16_t>(mx::bits_of(value) >> 16));
        }
        return codes;
      };
      const auto x = line(a, i), y = line(b, j);
      return mx::float_of(mx::gemm_element(plan, mx::dot_operand<std::uint16_t>{{x.data()}},
                                           mx::dot_operand<std::uint16_t>{{y.data()}}, a.k, 0));
    }
    plan.alpha = mx::fp32::multiply(a.tensor_scales[static_cast<std::size_t>(i)],
                                    b.tensor_scales[static_cast<std::size_t>(j)]);
    const auto line = [](const slow_lines& of, int at) {
      return mx::dot_operand<std::uint8_t>{{of.codes.data() + at * of.padded},
                                           {of.scales.data() + at * of.blocks}};
    };
    return mx::float_of(mx::gemm_element(plan, line(a, i), line(b, j), a.k, 0));
  }

  const tiny_policy& policy_;
  sim::step_arithmetic arithmetic_;
  mutable std::map<std::pair<std::string, std::string>, bool> matches_;
};

}  // namespace test
