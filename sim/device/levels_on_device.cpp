// SPDX-License-Identifier: Apache-2.0
// sim/device/levels_on_device.cpp: see levels_on_device.h.
#include "sim/device/levels_on_device.h"

namespace sim {

levels_on_device::levels_on_device(lane& own, const level_rows& of) : own_(own), of_(of) {
  while ((of.first + of.count) >> addresses_.size() != 0) addresses_.push_back(nullptr);
  auto* at = own.result.of<float>(addresses_.size() * of.size());
  for (std::size_t level = 0; level < addresses_.size(); ++level, at += of.size()) {
    addresses_[level] = at;
    if ((of.first >> level & 1) != 0) {
      own.to_device(at, host_level(level), of.n, of.rows, of.n);
    }
  }
}

void levels_on_device::return_to_host() const {
  for (std::size_t level = 0; level < addresses_.size(); ++level) {
    if (((of_.first + of_.count) >> level & 1) != 0) {
      own_.to_host(host_level(level), addresses_[level], of_.size());
    }
  }
}

}  // namespace sim
