// SPDX-License-Identifier: Apache-2.0
// kernels/bench/benches.h: runs the measures of measures.h on the device in use. Has not run on its
// hardware.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "figure.h"

namespace mx::kernels {

/// What stands in the way of a measurement and is no bug: the message says what, and how to mend
/// it.
struct not_measurable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Why no device can be used; empty where one can.
[[nodiscard]] std::string device_absence();

[[nodiscard]] device_in_use device_in_use_now();

/// A measure's figures: the first has its name, the names of others begin with `extra.`.
///   name    one of `measures`
///   errors  not_measurable: no device, or too little of its memory is free; std::runtime_error: a
///           CUDA call or a launch failed
[[nodiscard]] std::vector<figure> figures_of(std::string_view name);

}  // namespace mx::kernels
