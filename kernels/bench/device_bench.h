// SPDX-License-Identifier: Apache-2.0
// kernels/bench/device_bench.h: shared by the benches of matrices and of products.
#pragma once
#include <cstdint>

#include "../verify/device_array.h"
#include "../verify/expect_launched.h"
#include "benches.h"
#include "mx/kernels/quantize.h"
#include "mx/kernels/status.h"
#include "stopwatch.h"
#include "turns.h"

namespace mx::kernels {

/// Whether a launcher reports that this device does not support the request, which is no bug.
[[nodiscard]] inline bool lacks_device(const status& answer) {
  return answer.error == launch_error::architecture || answer.error == launch_error::no_device ||
         answer.error == launch_error::shared_memory;
}

///   errors  not_measurable or std::runtime_error with the launcher's sentence
inline void expect_done(const status& answer) {
  if (lacks_device(answer)) throw not_measurable(sentence_of(answer));
  expect_launched(answer);
}

/// Median seconds by the device's own clock.
[[nodiscard]] inline std::vector<double> device_seconds_of(const works& all) {
  stopwatch watch;
  return medians_by_turns(all, [&](const auto& work) { return watch.seconds_of(work); });
}

///   errors  not_measurable if fewer bytes are free
inline void expect_free(std::uint64_t bytes) {
  std::size_t free = 0, total = 0;
  expect_done(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  if (bytes <= free) return;
  throw not_measurable("it needs " + std::to_string(bytes >> 20) +
                       " MiB of the device's memory, and " + std::to_string(free >> 20) +
                       " are free");
}

/// Elements N(0, 1), the same bits on every run: 2^22 of them, repeated.
///   type      FP32, or BF16: its upper halves
///   elements  2^22, or a multiple of it by a power of two
[[nodiscard]] device_bytes normal_values(number_type type, std::int64_t elements, unsigned seed);

/// Read-only passes over the bytes: the fastest is the yardstick.
[[nodiscard]] works read_passes(const device_bytes& from);

[[nodiscard]] std::vector<figure> quantize_figures(std::string_view name, number_type type);
[[nodiscard]] std::vector<figure> decompose_figures(std::string_view name);
[[nodiscard]] std::vector<figure> product_figures(std::string_view name);

}  // namespace mx::kernels
