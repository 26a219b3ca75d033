// SPDX-License-Identifier: Apache-2.0
// sim/device/lane.cpp: see lane.h.
#include "sim/device/lane.h"

#include "sim/device/device_products.h"

namespace sim {

void expect_launched(const mx::kernels::status& answer) {
  if (!answer.is_done()) throw device_error(mx::kernels::sentence_of(answer));
}

void device_memory::grow(std::size_t bytes) {
  if (bytes <= bytes_) return;
  free_device_memory(at_);
  at_ = nullptr;
  bytes_ = 0;
  at_ = new_device_memory(bytes);
  bytes_ = bytes;
}

void lane::to_device(float* to, const float* from, std::ptrdiff_t stride, int lines,
                     int length) const {
  if (lines == 0 || length == 0) return;
  const auto count = static_cast<std::size_t>(lines);
  const std::size_t bytes = static_cast<std::size_t>(length) * sizeof(float);
  if (lines == 1 || stride == length) {
    copy_to_device(to, from, count * bytes, stream);
  } else {
    copy_lines_to_device(to, from, static_cast<std::size_t>(stride) * sizeof(float), count, bytes,
                         stream);
  }
}

std::unique_ptr<lane> lanes::taken() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return std::make_unique<lane>();
  std::unique_ptr<lane> mine = std::move(idle_.back());
  idle_.pop_back();
  return mine;
}

void lanes::give_back(std::unique_ptr<lane> done) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(done));
}

}  // namespace sim
