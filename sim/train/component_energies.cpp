// SPDX-License-Identifier: Apache-2.0
// sim/train/component_energies.cpp: energies of the error components in each linear's operands.
#include <fmt/format.h>

#include <cmath>

#include "mx/tensor/energy.h"
#include "sim/policy/row_functions.h"
#include "sim/train/frozen.h"

namespace sim {
namespace {

/// An operand's role, and whether blocks run along its rows or, within a sequence, its columns.
enum class role : std::uint8_t { x, w_forward, w_dgrad, dy_dgrad, dy_wgrad, x_wgrad };
constexpr std::array<const char*, 6> role_names{"x",        "w_forward", "w_dgrad",
                                                "dy_dgrad", "dy_wgrad",  "x_wgrad"};

class energy_table {
 public:
  mx::error_energy& at(role r, int layer, linear l) {
    return energies_[{r, fmt::format("{}.{}", layer, sim::name_of(l))}];
  }
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
    rows.push_back({"frozen", arm, std::nullopt, 1, "", layer,
                    fmt::format("energy.{}.{}", role_names[static_cast<std::size_t>(r)], part),
                    value, std::nullopt});
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

void add_weights(const setting& s, const std::vector<float>& weights, mx::scale_rule rule,
                 energy_table& table) {
  for (int layer = 0; layer < s.table.shape().layers; ++layer) {
    for (const linear l : all_linears) {
      const parameter& p = s.table.layer(layer).of(l);
      const operand_view w{weights.data() + p.offset, p.rows, p.columns, p.columns};
      table.at(role::w_forward, layer, l) += energy_of(rule, direction::along_rows, w);
      table.at(role::w_dgrad, layer, l) += energy_of(rule, direction::along_columns, w);
    }
  }
}

/// Along rows for the first role, along the columns of each sequence for the second.
void add_operand(mx::scale_rule rule, const decoder& d, int sequences, const operand_view& m,
                 mx::error_energy& along_rows, mx::error_energy& along_columns) {
  along_rows += energy_of(rule, direction::along_rows, m);
  for (int i = 0; i < sequences; ++i) {
    along_columns +=
        energy_of(rule, direction::along_columns, m.between(d.first_row(i), d.first_row(i + 1)));
  }
}

}  // namespace

std::vector<metric_row> component_energies(const setting& s, const frozen_reference& reference,
                                           const arm& a) {
  if (!is_plain_microscaled(a)) return {};
  const mx::scale_rule rule = a.formats.forward.data.recipe.rules.rule;
  energy_table table;
  add_weights(s, reference.weights, rule, table);
  const forward_weights forward = prepare_forward(s.table, reference.weights, {});
  const backward_weights backward = prepare_backward(s.table, reference.weights, {});
  const std::vector<sequence>& batch = reference.batches.front();
  const std::vector<float>& advantage = reference.advantage.front();
  decoder d(s.table, s.rope);
  d.take(batch);
  d.forward(forward, {});
  d.backward(forward, backward, {}, [&](int i, int, const token_outcome&) {
    return advantage[static_cast<std::size_t>(i)];
  });
  const int sequences = static_cast<int>(batch.size());
  for (int layer = 0; layer < s.table.shape().layers; ++layer) {
    for (const linear l : all_linears) {
      add_operand(rule, d, sequences, d.input_of(layer, l), table.at(role::x, layer, l),
                  table.at(role::x_wgrad, layer, l));
      add_operand(rule, d, sequences, d.output_gradient_of(layer, l),
                  table.at(role::dy_dgrad, layer, l), table.at(role::dy_wgrad, layer, l));
    }
  }
  return table.rows(a.name);
}

}  // namespace sim
