// SPDX-License-Identifier: Apache-2.0
// kernels/bench/stopwatch.h: launch times by the device's own clock.
#pragma once
#include "../verify/device_array.h"

namespace mx::kernels {

/// Time between two points of the default stream.
class stopwatch {
 public:
  stopwatch() {
    expect_done(cudaEventCreate(&begin_), "cudaEventCreate");
    expect_done(cudaEventCreate(&end_), "cudaEventCreate");
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  ~stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  template <class Work>
  [[nodiscard]] double seconds_of(const Work& work) {
    expect_done(cudaEventRecord(begin_), "cudaEventRecord");
    work();
    expect_done(cudaEventRecord(end_), "cudaEventRecord");
    expect_done(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float milliseconds = 0;
    expect_done(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds / 1000;
  }

 private:
  cudaEvent_t begin_{}, end_{};
};

}  // namespace mx::kernels
