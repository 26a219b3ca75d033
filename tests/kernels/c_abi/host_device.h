// SPDX-License-Identifier: Apache-2.0
// tests/kernels/c_abi/host_device.h: a device layer of libmxprism_cuda without a device: the
// kernels' bodies on the CPU.
#pragma once
#include <string>

#include "mx/kernels/status.h"

namespace kernels_test {

/// What the layer does, set by a test.
///   missing  the part that is missing; empty: none
///   fails    the answer of every launch; done: that of the bodies
///   stream   of the last launch
///   cleared  bytes set to zero since the test began
struct host_device {
  std::string missing;
  mx::kernels::status fails;
  mx::kernels::stream stream = nullptr;
  std::uint64_t cleared = 0;
  int launches = 0;
};

[[nodiscard]] host_device& device();

}  // namespace kernels_test
