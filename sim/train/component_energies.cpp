// SPDX-License-Identifier: Apache-2.0
// sim/train/component_energies.cpp: energies of the error components in each linear's operands.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "mx/tensor/energy.h"
#include "sim/policy/element_functions.h"
#include "sim/train/frozen.h"

namespace sim {
namespace {

/// An operand's role, and whether blocks run along its rows or, within a sequence, its columns.
enum class role : std::uint8_t { x, w_forward, w_dgrad, dy_dgrad, dy_wgrad, x_wgrad };
constexpr std::array<const char*, 6> role_names{"x",        "w_forward", "w_dgrad",
                                                "dy_dgrad", "dy_wgrad",  "x_wgrad"};

std::string metric_name(role r, const char* part) {
  return fmt::format("energy.{}.{}", role_names[static_cast<std::size_t>(r)], part);
}

/// Experts of a layer count as one linear.
std::string layer_name(const product_place& at) {
  return fmt::format("{}.{}", at.layer, sim::name_of(at.which));
}

class energy_table {
 public:
  mx::error_energy& at(role r, const product_place& of) { return energies_[{r, layer_name(of)}]; }
  [[nodiscard]] std::vector<metric_row> rows(const std::string& arm) const;

 private:
  std::map<std::pair<role, std::string>, mx::error_energy> energies_;
};

double decibels(double ratio) {
  float lanes[16] = {static_cast<float>(ratio)};
  logarithm(16, lanes, lanes);
  return 10 * double{lanes[0]} / 2.302585092994046;
}

void append_rows(const std::string& arm, role r, const std::string& layer,
                 const mx::error_energy& e, std::vector<metric_row>& rows) {
  const mx::energy_sums& s = e.sums;
  const auto elements = static_cast<double>(e.elements);
  const auto row = [&](const char* part, double value) {
    rows.push_back(
        {"frozen", arm, std::nullopt, 1, "", layer, metric_name(r, part), value, std::nullopt});
  };
  row("elements", elements);
  row("identity_violations", static_cast<double>(e.identity_violations));
  if (s.total == 0) return;
  row("scale", s.scale / s.total);
  row("deadzone", s.deadzone / s.total);
  row("grid", s.grid / s.total);
  row("clip", s.clip / s.total);
  row("scale_dead", s.scale_dead / s.total);
  row("scale_deadzone", s.scale_deadzone / s.total);
  row("deadzone_grid", s.deadzone_grid / s.total);
  if (s.deadzone + s.grid > 0) row("total_over_floor", s.total / (s.deadzone + s.grid));
  if (s.scale > 0 && s.grid > 0) {
    row("cosine_scale_grid", s.scale_grid / std::sqrt(s.scale * s.grid));
  }
  row("sqnr_db", decibels(s.x_squared / s.total));
  row("dead_fraction", static_cast<double>(e.dead) / elements);
  row("dead_fraction_actual", static_cast<double>(e.dead_actual) / elements);
  row("gain", s.x_quantized / s.x_squared);
}

std::vector<metric_row> energy_table::rows(const std::string& arm) const {
  std::vector<metric_row> result;
  std::map<role, mx::error_energy> all;
  for (const auto& [key, energy] : energies_) {
    append_rows(arm, key.first, key.second, energy, result);
    all[key.first] += energy;
  }
  for (const auto& [r, energy] : all) append_rows(arm, r, "all", energy, result);
  return result;
}

enum class direction : std::uint8_t { along_rows, along_columns };

/// Energies of a matrix whose blocks run along its rows, or along its columns.
mx::error_energy energy_of(mx::scale_rule rule, direction blocks, const operand_view& m) {
  const auto rows = static_cast<std::uint64_t>(m.rows),
             columns = static_cast<std::uint64_t>(m.columns);
  std::vector<float> dense;
  if (m.stride != m.columns) {
    for (int row = 0; row < m.rows; ++row) {
      const float* x = m.data + row * m.stride;
      dense.insert(dense.end(), x, x + m.columns);
    }
  }
  const float* data = m.stride == m.columns ? m.data : dense.data();
  const mx::blocked_shape shape = blocks == direction::along_rows
                                      ? mx::blocked_shape{.rows = rows, .length = columns}
                                      : mx::blocked_shape{.length = rows, .inner = columns};
  return mx::decompose_tensor({mx::block_formats::mxfp4, rule}, mx::number_type::fp32, data, shape);
}

/// An operand of a linear, and the direction of its blocks.
struct operand_use {
  role as;
  product_place of;
  direction blocks;
  operand_view m;
};

using operand_visit = std::function<void(const operand_use&)>;

/// What is measured of operands while they are in memory, to be added later in an order of its own.
using deferred_sum = std::function<void()>;
using operand_measure = std::function<deferred_sum(const operand_use&)>;

void visit_weights(const setting& s, const std::vector<float>& weights,
                   const operand_visit& visit) {
  for (int layer = 0; layer < s.table.shape().layers; ++layer) {
    for (const product_place& at : s.table.linears_of(layer)) {
      const parameter& p = s.table.at(at);
      const operand_view w{weights.data() + p.offset, p.rows, p.columns, p.columns};
      visit({role::w_forward, at, direction::along_rows, w});
      visit({role::w_dgrad, at, direction::along_columns, w});
    }
  }
}

/// Along rows as the first role, along the columns of each sequence as the second.
void visit_both(const decoder& d, operand_use use, role along_columns, const operand_visit& visit) {
  visit(use);
  const operand_view whole = use.m;
  use.as = along_columns;
  use.blocks = direction::along_columns;
  const std::vector<int> first = d.product_rows(1, use.of);
  for (std::size_t i = 0; i + 1 < first.size(); ++i) {
    if (first[i] == first[i + 1]) continue;  // no token of the sequence chose the expert
    use.m = whole.between(first[i], first[i + 1]);
    visit(use);
  }
}

/// Every operand of one batch in FP32. The backward pass has them from the last layer on; sums are
/// added from the first, so that their bits do not depend on it.
void measure_operands(const setting& s, const frozen_reference& reference,
                      const operand_measure& measure) {
  visit_weights(s, reference.weights, [&](const operand_use& use) { measure(use)(); });
  const forward_weights forward = prepare_forward(s.table, reference.weights, {});
  const backward_weights backward = prepare_backward(s.table, reference.weights, {});
  const std::vector<sequence>& batch = reference.batches.front();
  const std::vector<float>& advantage = reference.advantage.front();
  decoder d(s.table, s.rope);
  d.take(batch);
  d.forward(forward, {});
  std::vector<std::vector<deferred_sum>> sums(static_cast<std::size_t>(s.table.shape().layers));
  const auto measure_layer = [&](int layer) {
    const auto visit = [&](const operand_use& use) {
      sums[static_cast<std::size_t>(layer)].push_back(measure(use));
    };
    for (const product_place& at : s.table.linears_of(layer)) {
      const decoder_operand x = d.input_of(at), dy = d.output_gradient_of(at);
      if (x.rows == 0) continue;  // an expert without tokens
      visit_both(d, {role::x, at, direction::along_rows, x}, role::x_wgrad, visit);
      visit_both(d, {role::dy_dgrad, at, direction::along_rows, dy}, role::dy_wgrad, visit);
    }
  };
  d.backward(
      forward, backward, {},
      [&](int i, int, const token_outcome&) { return advantage[static_cast<std::size_t>(i)]; },
      measure_layer);
  for (const std::vector<deferred_sum>& layer : sums) {
    for (const deferred_sum& add : layer) add();
  }
}

/// A recipe in place of MXFP4: the energy of its whole error, over that of the deadzone and the
/// grid of MXFP4 with an exact scale. No value for arms of several formats, and for random
/// rounding.
std::optional<mx::operand> single_recipe(const arm& a) {
  const mx::operand f = a.formats.forward.data;
  const pass_format both{f, f};
  const bool single = f.is_coded() && f.toggle == mx::toggle::none && !is_drawn(f) &&
                      a.noise == rollout_noise::none &&
                      under_fma(a.formats) == arithmetic{both, both, both, both};
  return single ? std::optional{f} : std::nullopt;
}

/// Sum of the squares of Q(x) - x.
double error_energy_of(const mx::operand& f, const operand_use& use) {
  const operand_view& m = use.m;
  std::vector<float> q(static_cast<std::size_t>(m.rows) * static_cast<std::size_t>(m.columns));
  const mx::operand_values out{q.data(), m.columns};
  const bool along_rows = use.blocks == direction::along_rows;
  if (use.as == role::w_forward || use.as == role::w_dgrad) {
    mx::fake_quantize(f, mx::operand_matrix{m.rows, m.columns, along_rows ? 1 : 0, m.data}, out);
  } else if (along_rows) {
    mx::fake_quantize(f, mx::operand_rows{m.rows, m.columns, m.data, m.stride}, out);
  } else {
    mx::fake_quantize(f, mx::operand_columns{m.rows, m.columns, m.data, m.stride}, out);
  }
  double sum = 0;
  for (int row = 0; row < m.rows; ++row) {
    for (int column = 0; column < m.columns; ++column) {
      const double e = double{q[static_cast<std::size_t>(row * m.columns + column)]} -
                       double{m.data[row * m.stride + column]};
      sum += e * e;
    }
  }
  return sum;
}

struct error_over_floor {
  double total = 0, floor = 0;
};

std::vector<metric_row> recipe_rows(const setting& s, const frozen_reference& reference,
                                    const std::string& name, const mx::operand& f) {
  std::map<std::pair<role, std::string>, error_over_floor> energies;
  measure_operands(s, reference, [&](const operand_use& use) {
    const mx::energy_sums parts = energy_of(mx::scale_rule::rceil, use.blocks, use.m).sums;
    const double total = error_energy_of(f, use), floor = parts.deadzone + parts.grid;
    return [&energies, as = use.as, of = use.of, total, floor] {
      for (const std::string& where : {layer_name(of), std::string("all")}) {
        error_over_floor& e = energies[{as, where}];
        e.total += total;
        e.floor += floor;
      }
    };
  });
  std::vector<metric_row> rows;
  for (const auto& [key, e] : energies) {
    if (e.floor == 0) continue;
    rows.push_back({"frozen", name, std::nullopt, 1, "", key.second,
                    metric_name(key.first, "total_over_floor"), e.total / e.floor, std::nullopt});
  }
  return rows;
}

}  // namespace

std::vector<metric_row> component_energies(const setting& s, const frozen_reference& reference,
                                           const arm& a) {
  const auto recipe = single_recipe(a);
  if (!recipe) return {};
  if (!is_plain_microscaled(a)) return recipe_rows(s, reference, a.name, *recipe);
  const mx::scale_rule rule = a.formats.forward.data.recipe.rules.rule;
  energy_table table;
  measure_operands(s, reference, [&](const operand_use& use) {
    return [&table, as = use.as, of = use.of, energy = energy_of(rule, use.blocks, use.m)] {
      table.at(as, of) += energy;
    };
  });
  return table.rows(a.name);
}

}  // namespace sim
