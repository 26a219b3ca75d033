// SPDX-License-Identifier: Apache-2.0
// sim/sweep/point_figures.cpp: see point_figures.h.
#include "sim/sweep/point_figures.h"

#include <fmt/format.h>

#include <cmath>

#include "mx/tensor/coded_tensor.h"
#include "sim/study/input_error.h"
#include "sim/study/sha256.h"
#include "sim/sweep/part_of.h"
#include "sim/sweep/product_error.h"
#include "sim/sweep/swept_policy.h"
#include "sim/sweep/total_error.h"

namespace sim {
namespace {

/// Of what a row's values mean: another version has other keys.
constexpr int row_version = 4;

/// To the nearest millionth: the last bits of log10 are those of one C library.
double decibels(double signal, double noise) {
  return std::round(1e7 * std::log10(signal / noise)) / 1e6;
}

std::uint64_t rows_measured(const swept_tensor& t, double share) { return part_of(t.rows, share); }

void set_total(const measured_work& w, sweep_row& row) {
  total_sums sums;
  for (const swept_tensor& t : w.input->tensors) {
    const std::uint64_t rows = rows_measured(t, w.share);
    const std::vector<float> x = rows_of(t, 0, rows);
    sums += total_error(w.point->operand, x.data(), static_cast<int>(rows),
                        static_cast<int>(t.columns));
  }
  row.set("sqnr_db", decibels(sums.x_squared, sums.error));
  row.set("error", sums.error / sums.x_squared);
  row.set("gain", sums.x_quantized / sums.x_squared);
  row.set("bias", sums.quantized_magnitude / sums.x_magnitude - 1);
  row.set("zeroed", static_cast<double>(sums.zeroed) / static_cast<double>(sums.elements));
  row.set("not_finite", static_cast<double>(sums.not_finite));
}

mx::error_energy energy_of(const measured_work& w) {
  mx::error_energy all;
  for (const swept_tensor& t : w.input->tensors) {
    const mx::tensor_axes rows{{rows_measured(t, w.share), t.columns}, 1};
    all += mx::decompose_tensor(w.point->recipe(), rows, t.type, t.numbers, nullptr);
  }
  return all;
}

void set_components(const measured_work& w, sweep_row& row) {
  const mx::error_energy e = energy_of(w);
  const mx::energy_sums& s = e.sums;
  const auto elements = static_cast<double>(e.elements);
  const auto cosine = [](double product, double one, double other) {
    return product / std::sqrt(one * other);
  };
  row.set("sqnr_db", decibels(s.x_squared, s.total));
  row.set("error", s.total / s.x_squared);
  row.set("gain", s.x_quantized / s.x_squared);
  row.set("zeroed", static_cast<double>(e.dead_actual) / elements);
  row.set("zeroed_ideal", static_cast<double>(e.dead) / elements);
  row.set("scale_share", s.scale / s.total);
  row.set("deadzone_share", s.deadzone / s.total);
  row.set("grid_share", s.grid / s.total);
  row.set("clip_share", s.clip / s.total);
  row.set("cos_scale_deadzone", cosine(s.scale_deadzone, s.scale, s.deadzone));
  row.set("cos_scale_grid", cosine(s.scale_grid, s.scale, s.grid));
  row.set("cos_deadzone_clip", cosine(s.deadzone_clip, s.deadzone, s.clip));
  row.set("cos_grid_clip", cosine(s.grid_clip, s.grid, s.clip));
  row.set("special_blocks", static_cast<double>(e.special_blocks));
  row.set("violations", static_cast<double>(e.identity_violations));
}

std::vector<float> corner(const swept_tensor& t, int first, int rows, int columns) {
  const std::vector<float> x =
      rows_of(t, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(rows));
  std::vector<float> out;
  for (int row = 0; row < rows; ++row) {
    const auto line = x.begin() + static_cast<std::ptrdiff_t>(row * t.columns);
    out.insert(out.end(), line, line + columns);
  }
  return out;
}

void set_product(const sweep_study& s, const measured_work& w, sweep_row& row) {
  const sweep_product& p = s.product;
  const bool own = w.b == w.input;
  const product_operands x{p.m, p.n, p.k, corner(w.input->tensors.front(), 0, p.m, p.k),
                           corner(w.b->tensors.front(), own ? p.m : 0, p.n, p.k)};
  const product_sums sums = product_error(w.point->operand, *w.point->plan, x);
  row.set("product_db", decibels(sums.exact, sums.error));
  row.set("accumulation_db", decibels(sums.coded, sums.accumulation));
}

void expect_extent(const swept_input& in, int rows, int columns) {
  const swept_tensor& t = in.tensors.front();
  if (t.rows >= static_cast<std::uint64_t>(rows) &&
      t.columns >= static_cast<std::uint64_t>(columns)) {
    return;
  }
  throw input_error(
      "input {}: the product needs {} rows of {} numbers, '{}' has {} of {}; take a smaller "
      "[product], or a larger tensor",
      in.of.name, rows, columns, t.name, t.rows, t.columns);
}

}  // namespace

std::string key_of(const sweep_study& s, const measured_work& w) {
  std::string text = fmt::format("{} {} {} {}", row_version, w.point->key, w.input->hash, w.share);
  for (const sweep_measure m : measures_on(s, w.input->of)) {
    text += fmt::format(" {}", static_cast<int>(m));
  }
  if (!w.input->policy && s.measures_what(sweep_measure::product)) {
    // Of the input itself B is other rows than of another one with the same numbers.
    const std::string b = w.b == w.input ? "rows below" : w.b->hash;
    text += fmt::format(" {} {} {} {}", s.product.m, s.product.n, s.product.k, b);
  }
  return sha256_of(text).substr(0, 20);
}

sweep_row figures_of(const sweep_study& s, const measured_work& w) {
  sweep_row row;
  row.key = w.key;
  if (w.input->policy) {
    w.input->policy->measure(*w.point, w.share, row);
    return row;
  }
  const bool in_parts = s.measures_what(sweep_measure::components) && w.point->recipe().is_plain();
  if (!in_parts || s.measures_what(sweep_measure::total)) set_total(w, row);
  if (in_parts) set_components(w, row);
  if (s.measures_what(sweep_measure::product) && w.point->plan) set_product(s, w, row);
  return row;
}

void expect_operands(const sweep_study& s, const swept_input& a, const swept_input& b) {
  if (a.policy || !s.measures_what(sweep_measure::product)) return;
  const sweep_product& p = s.product;
  expect_extent(a, &a == &b ? p.m + p.n : p.m, p.k);
  if (&a != &b) expect_extent(b, p.n, p.k);
}

}  // namespace sim
