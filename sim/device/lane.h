// SPDX-License-Identifier: Apache-2.0
// sim/device/lane.h: a stream of a device with memory for the operands of one call at a time.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "sim/device/device_calls.h"

namespace sim {

///   errors  device_error with the launcher's sentence
void expect_launched(const mx::kernels::status& answer);

/// Device memory that grows.
class device_memory {
 public:
  device_memory() = default;
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  ~device_memory() { free_device_memory(at_); }

  /// Memory of at least so many elements; what it held is lost if it grows.
  template <class T>
  [[nodiscard]] T* of(std::size_t count) {
    grow(count * sizeof(T));
    return static_cast<T*>(at_);
  }

 private:
  void grow(std::size_t bytes);

  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

struct lane {
  lane() : stream(new_stream()) {}
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;
  ~lane() { end_stream(stream); }

  /// Copies lines of a host matrix to dense ones on the device, or back; wait() ends all copies.
  ///   stride  of the host's lines, in elements
  void to_device(float* to, const float* from, std::ptrdiff_t stride, int lines, int length) const;
  template <class T>
  void to_device(T* to, std::span<const T> from) const {
    if (!from.empty()) {
      copy_to_device(to, from.data(), from.size_bytes(), stream);
    }
  }
  void to_host(float* to, const float* from, std::size_t count) const {
    copy_to_host(to, from, count * sizeof(float), stream);
  }
  void wait() const { wait_for(stream); }

  mx::kernels::stream stream;
  device_memory left, right, result, table, workspace;
};

/// As many lanes as calls at once.
class lanes {
 public:
  /// Calls work(lane) with one that no other call uses.
  template <class Work>
  void with_lane(const Work& work) {
    std::unique_ptr<lane> mine = taken();
    work(*mine);
    give_back(std::move(mine));
  }

 private:
  [[nodiscard]] std::unique_ptr<lane> taken();
  void give_back(std::unique_ptr<lane> done);

  std::mutex mutex_;
  std::vector<std::unique_ptr<lane>> idle_;
};

}  // namespace sim
