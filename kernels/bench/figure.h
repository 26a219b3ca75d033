// SPDX-License-Identifier: Apache-2.0
// kernels/bench/figure.h: a figure of a device beside its yardstick of the same run, as text and as
// JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace mx::kernels {

/// "NVIDIA H200", "9.0", "13.0", "13.0": as CUDA reports them.
struct device_in_use {
  std::string name, compute_capability, driver, runtime;
};

/// "NVIDIA H200, compute capability 9.0, driver 13.0, runtime 13.0"
[[nodiscard]] std::string text_of(const device_in_use& device);

///   name       of a measure, or `extra.` and more words
///   value      empty if not measured: `yardstick` then states why
///   yardstick  what ran beside it; if yardstick_value is missing, the reason
struct figure {
  std::string name;
  std::optional<double> value;
  std::string unit, yardstick;
  std::optional<double> yardstick_value;

  /// Above 1: faster than the yardstick.
  [[nodiscard]] std::optional<double> ratio() const {
    if (!value || !yardstick_value) return {};
    return *value / *yardstick_value;
  }
};

///   unknown  a goal is set, but the yardstick or the value is missing
enum class goal_state : unsigned char { none, reached, missed, unknown };

/// State of the goal of the measure that the figure is named after.
[[nodiscard]] goal_state state_of_goal(const figure& f);

/// "cuda.gemm.fp32.sequential    400.00 TOP/s  ratio 0.500; cuBLAS ...: 800.00; goal ratio 0.45,
/// value 350: reached"
[[nodiscard]] std::string text_of(const figure& f);

/// {"name", "value", "unit", "yardstick", "yardstick_value", "ratio", "goal_ratio", "goal_value",
/// "goal"}: null for missing ones.
[[nodiscard]] std::string json_of(const figure& f);

/// An array of them.
[[nodiscard]] std::string json_of(const std::vector<figure>& figures);

/// "device": NAME, "compute_capability": ..., "driver": ..., "runtime": ...
[[nodiscard]] std::string json_members_of(const device_in_use& device);

/// A quoted and escaped JSON string.
[[nodiscard]] std::string json_string(const std::string& text);

}  // namespace mx::kernels
