// SPDX-License-Identifier: Apache-2.0
// kernels/bench/benches.h: runs the measures of measures.h on the current device. Has not run on
// its hardware.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "figure.h"

namespace mx::kernels {

/// A condition that prevents a measurement and is not a bug: the message names it and its
/// remedy.
struct not_measurable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Why no device is usable; empty if one is.
[[nodiscard]] std::string device_absence();

[[nodiscard]] device_in_use device_in_use_now();

/// Figures of a measure: the first has its name, the names of others begin with `extra.`.
///   name    one of `measures`
///   errors  not_measurable: no device, or too little free memory; std::runtime_error: a CUDA call
///           or a launch failed
[[nodiscard]] std::vector<figure> figures_of(std::string_view name);

}  // namespace mx::kernels
