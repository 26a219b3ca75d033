// SPDX-License-Identifier: Apache-2.0
// tests/kernels/host_tensor_thread.h: a thread of the grid with a tensor core, as
// mx::kernels::tensor_thread is on a device.
#pragma once
#include "grid.h"
#include "tensor_core.h"

namespace kernels_test {

class host_tensor_thread : public host_thread {
 public:
  host_tensor_thread(const host_thread& of, tensor_core& core) : host_thread(of), core_(core) {
    core_.use_shared(shared<std::uint8_t>());
  }

  [[nodiscard]] std::uint32_t shared_address(const void* of) const { return shared_offset(of); }

  void begin_barrier(std::uint64_t& barrier) const { core_.begin_barrier(&barrier); }
  void publish_barriers() const {}
  void publish_shared() const {}
  void expect_bytes(std::uint64_t& barrier, std::uint32_t bytes) const {
    core_.expect_bytes(&barrier, bytes);
  }
  /// A warp's threads see the end of a phase together.
  void wait_for(std::uint64_t& barrier, int parity) const {
    const auto is_over = [&] {
      const bool polls = index() % 32 == 0;
      return all_words({polls && core_.poll(&barrier, parity) ? 1U : 0U})[0][0] != 0;
    };
    wait_until(is_over);
  }
  template <class T>
  void copy_bulk(T& to, const T& from, std::uint64_t& barrier) const {
    core_.copy_bulk(&to, &from, sizeof(T), &barrier);
  }

  void allot_tensor_memory(std::uint32_t& base) const {
    if (index() % 32 == 0) core_.allot(base);
  }
  void release_tensor_memory(std::uint32_t base) const {
    if (index() % 32 == 0) core_.release(base);
  }
  void load_tensor_memory(std::uint32_t (&to)[16], std::uint32_t from) const {
    core_.load(index(), to, from, 16);
  }
  void store_tensor_memory(std::uint32_t to, const std::uint32_t (&from)[16]) const {
    core_.store(index(), to, from, 16);
  }
  void wait_for_tensor_loads() const { core_.wait_for_loads(index()); }
  void wait_for_tensor_stores() const { core_.wait_for_stores(index()); }
  void tensor_before_barrier() const {}
  void tensor_after_barrier() const {}

  void copy_to_tensor_memory(std::uint32_t to, std::uint64_t from) const {
    core_.copy_scales(to, from);
  }
  template <mx::kernels::native_kind Kind>
  void multiply_tensors(std::uint32_t d, std::uint64_t a, std::uint64_t b,
                        std::uint32_t instruction, std::uint32_t scales_a,
                        std::uint32_t scales_b) const {
    core_.multiply<Kind>({d, a, b, instruction, scales_a, scales_b});
  }
  void commit_tensor_work(std::uint64_t& barrier) const { core_.commit(&barrier); }

 private:
  tensor_core& core_;
};

}  // namespace kernels_test
