// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/host_tensor_thread.h: a thread of the grid with a tensor core, the counterpart
// of mx::kernels::tensor_thread.
#pragma once
#include <stdexcept>

#include "grid.h"
#include "tensor_core.h"

namespace kernels_test {

class host_tensor_thread : public host_thread {
 public:
  host_tensor_thread(const host_thread& of, tensor_core& core) : host_thread(of), core_(core) {
    core_.use_shared(shared<std::uint8_t>());
  }

  // Counters, copies and addresses are the tensor core's.
  [[nodiscard]] std::uint32_t shared_address(const void* of) const { return shared_offset(of); }

  void begin_counter(std::uint64_t* counter, int arrivals) const {
    if (arrivals != 1) throw std::logic_error("a counter of several arrivals");
    core_.begin_barrier(counter);
  }
  void show_counters() const {}
  void arrive_expecting(std::uint64_t* counter, int bytes) const {
    core_.expect_bytes(counter, static_cast<std::uint32_t>(bytes));
  }
  /// A warp's threads see the end of a phase together.
  void wait_for_phase(std::uint64_t* counter, int parity) const {
    const auto is_over = [&] {
      const bool polls = index() % 32 == 0;
      return all_words({polls && core_.poll(counter, parity) ? 1U : 0U})[0][0] != 0;
    };
    wait_until(is_over);
  }
  void copy_counted(void* to, const void* from, int bytes, std::uint64_t* counter) const {
    core_.copy_bulk(to, from, static_cast<std::size_t>(bytes), counter);
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
  void commit_tensor_work(std::uint64_t* counter) const { core_.commit(counter); }

 private:
  tensor_core& core_;
};

}  // namespace kernels_test
