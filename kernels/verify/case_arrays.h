// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_arrays.h: the arrays of a case in device memory.
#pragma once
#include <vector>

#include "case_requests.h"
#include "device_array.h"
#include "gapped_cases.h"

namespace mx::kernels {

class case_arrays {
 public:
  case_arrays(const kernel_case& one, const case_input& input)
      : one_(one),
        empty_(empty_arrays(one)),
        x_(with_gaps(one, input).x),
        codes_(input.codes),
        scales_(input.scales),
        tensor_scale_(std::vector<float>{input.tensor_scale}),
        memory_{x_.data(), codes_.data(), scales_.data(), tensor_scale_.data(), {}} {
    for (const named_bytes& result : empty_) {
      results_.emplace_back(result.bytes);
      memory_.results.push_back(results_.back().data());
    }
  }

  [[nodiscard]] const case_memory& memory() const { return memory_; }

  /// Gives the results the bytes that they had before a launch.
  void empty_again() const {
    for (std::size_t k = 0; k < empty_.size(); ++k) refill(results_[k], empty_[k].bytes);
  }

  [[nodiscard]] std::vector<named_bytes> results() const {
    std::vector<named_bytes> found = empty_;
    for (std::size_t k = 0; k < found.size(); ++k) found[k].bytes = values_of(results_[k]);
    return results_in(one_, std::move(found));
  }

 private:
  kernel_case one_;
  std::vector<named_bytes> empty_;
  device_bytes x_, codes_, scales_;
  device_array<float> tensor_scale_;
  std::vector<device_bytes> results_;
  case_memory memory_;
};

}  // namespace mx::kernels
