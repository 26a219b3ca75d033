// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/decomposed_tensor.cpp: figures of tensors as JSON, and of one for the terminal.
#include "sim/cli/decompose/decomposed_tensor.h"

#include <fmt/format.h>

#include <cmath>

#include "golden/io/counted.h"
#include "golden/io/file.h"

namespace sim::cli {

double error_figures::ratio(double part) const { return part / energy.sums.total; }

double error_figures::cosine(double product, double one, double other) const {
  return product / (std::sqrt(one) * std::sqrt(other));
}

double error_figures::fraction(std::int64_t count) const {
  return static_cast<double>(count) / static_cast<double>(energy.elements);
}

double error_figures::sqnr_db() const {
  return 10 * std::log10(energy.sums.x_squared / energy.sums.total);
}

double error_figures::gain() const { return energy.sums.x_quantized / energy.sums.x_squared; }

double error_figures::floor() const { return energy.sums.deadzone + energy.sums.grid; }

namespace {

ordered_json figures_json(const error_figures& t) {
  const mx::energy_sums& s = t.energy.sums;
  const auto cosine = [&](double product, double one, double other) {
    return json_number(t.cosine(product, one, other));
  };
  return {{"blocks", t.energy.blocks},
          {"special_blocks", t.energy.special_blocks},
          {"sum_sq",
           {{"total", json_number(s.total)},
            {"scale", json_number(s.scale)},
            {"deadzone", json_number(s.deadzone)},
            {"grid", json_number(s.grid)},
            {"clip", json_number(s.clip)},
            {"scale_dead", json_number(s.scale_dead)}}},
          {"ratio",
           {{"scale", json_number(t.ratio(s.scale))},
            {"deadzone", json_number(t.ratio(s.deadzone))},
            {"grid", json_number(t.ratio(s.grid))},
            {"clip", json_number(t.ratio(s.clip))}}},
          {"cosine",
           {{"scale_deadzone", cosine(s.scale_deadzone, s.scale, s.deadzone)},
            {"scale_grid", cosine(s.scale_grid, s.scale, s.grid)},
            {"scale_clip", cosine(s.scale_clip, s.scale, s.clip)},
            {"deadzone_grid", cosine(s.deadzone_grid, s.deadzone, s.grid)},
            {"deadzone_clip", cosine(s.deadzone_clip, s.deadzone, s.clip)},
            {"grid_clip", cosine(s.grid_clip, s.grid, s.clip)}}},
          {"dead_fraction", json_number(t.fraction(t.energy.dead))},
          {"dead_fraction_actual", json_number(t.fraction(t.energy.dead_actual))},
          {"sqnr_db", json_number(t.sqnr_db())},
          {"gain", json_number(t.gain())},
          {"identity_violations", t.energy.identity_violations}};
}

}  // namespace

ordered_json json_of(const decomposed_tensor& t) {
  ordered_json json{{"name", t.name}, {"shape", t.shape}};
  json.update(figures_json(t));
  return json;
}

ordered_json json_of(const tensor_kind& kind) {
  ordered_json json{{"name", kind.name}, {"tensors", kind.tensors}};
  json.update(figures_json(kind));
  return json;
}

std::string shown_figure(double value, int width, int decimals) {
  return std::isnan(value) ? fmt::format("{:>{}}", "-", width)
                           : fmt::format("{:>{}.{}f}", value, width, decimals);
}

std::string text_of(const decomposed_tensor& t) {
  const mx::energy_sums& s = t.energy.sums;
  std::string text =
      fmt::format("{} {}: {}", golden::io::printable(t.name), ordered_json(t.shape).dump(),
                  golden::io::counted(t.energy.blocks, "block"));
  if (t.energy.special_blocks > 0) {
    text += fmt::format(", {} with NaN or Inf left out", t.energy.special_blocks);
  }
  if (t.energy.elements == 0) return text + "\n  nothing to decompose\n";
  text += fmt::format("\n  SQNR {} dB, gain {}\n", shown_figure(t.sqnr_db(), 0, 2),
                      shown_figure(t.gain(), 0, 5));
  text += fmt::format("  {:<10}{:>14}{:>12}\n", "part", "sum of squares", "of total");
  const auto row = [&](const char* name, double part) {
    text += fmt::format("  {:<10}{:>14.6g}{}\n", name, part, shown_figure(t.ratio(part), 12, 4));
  };
  row("total", s.total);
  row("scale", s.scale);
  row("deadzone", s.deadzone);
  row("grid", s.grid);
  row("clip", s.clip);
  text += fmt::format("  cosine of scale and grid {}\n",
                      shown_figure(t.cosine(s.scale_grid, s.scale, s.grid), 0, 4));
  text += fmt::format("  zeroed: {:.2f} % by the ideal scale, {:.2f} % by the real one\n",
                      100 * t.fraction(t.energy.dead), 100 * t.fraction(t.energy.dead_actual));
  return text + fmt::format("  elements whose parts do not add up exactly: {}\n",
                            t.energy.identity_violations);
}

}  // namespace sim::cli
