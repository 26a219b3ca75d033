// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/grid.cpp: blocks of fibers.
#include "grid.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <cstring>
#include <deque>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engines.h"
#include "fiber_stack.h"

namespace kernels_test {
namespace {

namespace context = boost::context;

constexpr int warp_threads = 32;
constexpr std::size_t stack_bytes = std::size_t{128} << 10;

/// Words that a thread exchanges with its warp: of A, then of B, as mma takes them.
struct shown_words {
  std::uint32_t word[8] = {};
};

/// 16 bytes of an asynchronous copy.
struct pending_copy {
  void* to;
  const void* from;
};

enum class at : std::uint8_t { work, exchange, wait, barrier, end };

}  // namespace

/// The threads of one block.
class running_block {
 public:
  running_block(const grid_shape& shape, std::uint64_t number,
                const std::function<void(const host_thread&)>& body)
      : shape_(shape),
        number_(number),
        body_(body),
        engines_(number, shape.threads),
        threads_(shape.threads) {
    // Shared memory starts undefined: a body that relies on zeros must fail.
    shared_.assign(shape.shared_bytes + 16, static_cast<std::byte>(0xA5));
  }

  void run() {
    context::pooled_fixedsize_stack stacks(stack_bytes);
    for (int i = 0; i < shape_.threads; ++i) {
      const auto lives = [this, i](context::fiber&& back) { return live(i, back); };
      threads_[i].calls.run(
          [&] { threads_[i].fiber = context::fiber(std::allocator_arg, stacks, lives); });
    }
    while (threads_.front().where != at::end) {
      run_to_barrier();
      expect_all_at(0, shape_.threads, "a barrier");
    }
  }

  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] int size() const { return shape_.threads; }

  /// The values that the threads of the warp exchanged in the same call, lane by lane.
  template <class Read>
  auto exchange(int index, const shown_words& own, const Read& read) {
    thread& self = threads_[index];
    // A thread may be at its next exchange before its partner has read: two slots, used in turn.
    self.turn ^= 1;
    self.posted[self.turn] = own;
    leave(self, at::exchange);
    const int first = index / warp_threads * warp_threads;
    return read([&](int lane) -> const shown_words& {
      if (first + lane >= shape_.threads) throw std::logic_error("an exchange with no thread");
      return threads_[first + lane].posted[self.turn];
    });
  }

  void copy_later(int index, const pending_copy& copy) { threads_[index].open.push_back(copy); }
  void commit(int index) {
    threads_[index].groups.push_back(std::move(threads_[index].open));
    threads_[index].open.clear();
  }
  void wait_for_copies(int index, int newest) {
    auto& groups = threads_[index].groups;
    for (; groups.size() > static_cast<std::size_t>(newest); groups.pop_front()) {
      for (const pending_copy& copy : groups.front()) std::memcpy(copy.to, copy.from, 16);
    }
  }
  void wait(int index) { leave(threads_[index], at::barrier); }
  /// Yields until other threads have made the condition true.
  template <class Condition>
  void wait_until(int index, const Condition& condition) {
    ++moves_;
    while (!condition()) leave(threads_[index], at::wait);
    ++moves_;
  }
  [[nodiscard]] engines& beside() { return engines_; }
  [[nodiscard]] std::size_t shared_bytes() const { return shape_.shared_bytes; }

  [[nodiscard]] std::uint32_t shared_offset(const void* of) {
    const auto* first = static_cast<const std::byte*>(shared_memory());
    return static_cast<std::uint32_t>(static_cast<const std::byte*>(of) - first);
  }
  [[nodiscard]] void* shared_memory() {
    void* memory = shared_.data();
    std::size_t space = shared_.size();
    return std::align(16, shape_.shared_bytes, memory, space);
  }

 private:
  struct thread {
    thread() = default;
    ~thread() {
      calls.run([this] { fiber = {}; });
    }
    thread(const thread&) = delete;
    thread& operator=(const thread&) = delete;

    fiber_stack calls;
    context::fiber fiber, back;
    at where = at::work;
    int turn = 0;
    shown_words posted[2];
    std::vector<pending_copy> open;
    std::deque<std::vector<pending_copy>> groups;
  };

  context::fiber live(int index, context::fiber& back) {
    thread& self = threads_[index];
    self.back = std::move(back);
    try {
      body_(host_thread(*this, index));
    } catch (const context::detail::forced_unwind&) {
      throw;
    } catch (...) {
      failure_ = std::current_exception();
    }
    self.where = at::end;
    return std::move(self.back);
  }

  static void leave(thread& self, at where) {
    self.where = where;
    self.back = std::move(self.back).resume();
  }

  void resume(thread& one) {
    one.where = at::work;
    one.calls.run([&one] { one.fiber = std::move(one.fiber).resume(); });
    if (failure_) std::rethrow_exception(failure_);
  }

  /// Resumes a warp until its threads meet; returns where.
  at step(int warp) {
    const int first = warp * warp_threads, last = std::min(first + warp_threads, shape_.threads);
    for (int i = first; i < last; ++i) resume(threads_[i]);
    expect_all_at(first, last, "an exchange");
    return threads_[first].where;
  }

  /// A device guarantees no order of warps between barriers: blocks alternately run all warps step
  /// by step; prefer the last runnable warp; and prefer the first, so that a missing barrier is
  /// detected in one of them.
  void run_to_barrier() {
    const int warps = (shape_.threads + warp_threads - 1) / warp_threads;
    std::vector<int> running(warps);
    for (int w = 0; w < warps; ++w) running[w] = number_ % 3 == 1 ? warps - 1 - w : w;
    while (!running.empty()) {
      const bool moved = number_ % 3 == 0 ? step_all(running) : run_first(running);
      if (!moved) throw std::logic_error("all threads wait for each other");
    }
  }
  /// Whether any of them has progressed.
  bool step_all(std::vector<int>& running) {
    const std::uint64_t before = moves_;
    bool moved = false;
    std::erase_if(running, [&](int w) {
      const at where = step(w);
      moved = moved || where != at::wait;
      return where == at::barrier || where == at::end;
    });
    return moved || moves_ != before;
  }
  bool run_first(std::vector<int>& running) {
    for (auto w = running.begin(); w != running.end(); ++w) {
      const std::uint64_t before = moves_;
      at where = step(*w);
      while (where == at::exchange) where = step(*w);
      if (where != at::wait) running.erase(w);
      if (where != at::wait || moves_ != before) return true;
    }
    return false;
  }

  void expect_all_at(int first, int last, const char* where) const {
    const auto elsewhere = [&](const thread& t) { return t.where != threads_[first].where; };
    if (std::any_of(threads_.begin() + first, threads_.begin() + last, elsewhere)) {
      throw std::logic_error(std::string("threads do not meet at ") + where);
    }
  }

  const grid_shape& shape_;
  std::uint64_t number_;
  const std::function<void(const host_thread&)>& body_;
  std::vector<std::byte> shared_;
  engines engines_;
  std::uint64_t moves_ = 0;  ///< waits begun and ended
  std::exception_ptr failure_;
  std::vector<thread> threads_;
};

namespace {

int byte_of(std::uint32_t word, int i) { return static_cast<std::int8_t>(word >> (8 * i)); }
int unsigned_byte_of(std::uint32_t word, int i) {
  return static_cast<std::uint8_t>(word >> (8 * i));
}

/// A lane's four sums: rows g and g + 8, columns 2t and 2t + 1, where g = lane / 4 and t = lane %
/// 4. A's word 2q + h of lane 4g + t has row g + 8h and k 16q + 4t to 16q + 4t + 3; B's word q has
/// the same k of column g. (PTX ISA, "Matrix Fragments for mma.m16n8k16" and "mma.m16n8k32", types
/// of 8 bits.)
template <int (*Byte)(std::uint32_t, int) = byte_of, class Shown>
void add_products(std::int32_t (&sum)[4], int lane, int quarters, std::int32_t start,
                  const Shown& shown) {
  for (int r = 0; r < 4; ++r) {
    sum[r] = start;
    const int row = lane / 4, column = lane % 4 * 2 + r % 2;
    for (int k = 0; k < 16 * quarters; ++k) {
      const int t = k % 16 / 4, q = k / 16;
      const std::uint32_t a = shown(row * 4 + t).word[2 * q + r / 2];
      const std::uint32_t b = shown(column * 4 + t).word[4 + q];
      sum[r] += Byte(a, k % 4) * Byte(b, k % 4);
    }
  }
}

}  // namespace

std::uint64_t host_thread::block() const { return of_.number(); }
int host_thread::block_size() const { return of_.size(); }
std::uint32_t host_thread::exchange(std::uint32_t value, int mask) const {
  return of_.exchange(index_, {{value}}, [&](const auto& shown) {
    return shown(index_ % warp_threads ^ mask).word[0];
  });
}
void host_thread::mma_k32(std::int32_t (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                          std::uint32_t b1, std::int32_t start) const {
  of_.exchange(index_, {{a[0], a[1], a[2], a[3], b0, b1}}, [&](const auto& shown) {
    add_products(sum, index_ % warp_threads, 2, start, shown);
  });
}
void host_thread::mma_k16(std::int32_t (&sum)[4], std::uint32_t a0, std::uint32_t a1,
                          std::uint32_t b, std::int32_t start) const {
  of_.exchange(index_, {{a0, a1, 0, 0, b, 0}}, [&](const auto& shown) {
    add_products(sum, index_ % warp_threads, 1, start, shown);
  });
}
void host_thread::any_k32(std::int32_t (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                          std::uint32_t b1) const {
  of_.exchange(index_, {{a[0], a[1], a[2], a[3], b0, b1}}, [&](const auto& shown) {
    add_products<unsigned_byte_of>(sum, index_ % warp_threads, 2, 0, shown);
  });
}
void host_thread::any_k16(std::int32_t (&sum)[4], std::uint32_t a0, std::uint32_t a1,
                          std::uint32_t b) const {
  of_.exchange(index_, {{a0, a1, 0, 0, b, 0}}, [&](const auto& shown) {
    add_products<unsigned_byte_of>(sum, index_ % warp_threads, 1, 0, shown);
  });
}
std::uint32_t host_thread::united(std::uint32_t word) const {
  for (int mask = 16; mask > 0; mask /= 2) word |= exchange(word, mask);
  return word;
}
void host_thread::commit_copies() const { of_.commit(index_); }
void host_thread::copy_bytes_later(void* to, const void* from) const {
  of_.copy_later(index_, {to, from});
}
void host_thread::wait_for_copies_but(int newest) const { of_.wait_for_copies(index_, newest); }
void host_thread::barrier() const { of_.wait(index_); }
void host_thread::wait_until(const std::function<bool()>& condition) const {
  of_.wait_until(index_, condition);
}
std::uint32_t host_thread::shared_offset(const void* of) const { return of_.shared_offset(of); }
std::array<lane_words, 32> host_thread::all_words(const lane_words& own) const {
  shown_words words;
  std::copy(own.begin(), own.end(), words.word);
  std::array<lane_words, 32> all{};
  of_.exchange(index_, words, [&](const auto& shown) {
    for (int lane = 0; lane < warp_threads; ++lane) {
      std::copy_n(shown(lane).word, own.size(), all[lane].begin());
    }
  });
  return all;
}
void* host_thread::shared_memory() const { return of_.shared_memory(); }

std::uint32_t host_thread::shared_address(const void* at) const {
  return engines::first_address + shared_offset(at);
}
void host_thread::begin_counter(std::uint64_t* counter, int arrivals) const {
  of_.beside().begin_counter(counter, arrivals);
}
void host_thread::arrive_expecting(std::uint64_t* counter, int bytes) const {
  of_.beside().arrive(counter, bytes);
}
void host_thread::copy_counted(void* to, const void* from, int bytes,
                               std::uint64_t* counter) const {
  of_.beside().copy(to, from, static_cast<std::size_t>(bytes), counter);
}
void host_thread::wait_for_phase(std::uint64_t* counter, int parity) const {
  of_.wait_until(index_, [&] { return of_.beside().has_ended(counter, parity); });
}
void host_thread::begin_products() const { of_.beside().fence(index_); }
void host_thread::commit_products() const { of_.beside().commit(index_); }
void host_thread::multiply(std::int32_t* sum, int columns, std::uint64_t a, std::uint64_t b) const {
  of_.beside().multiply(index_, {a, b, columns, sum, nullptr});
  warp_barrier();
}
void host_thread::multiply(float* sum, int columns, std::uint64_t a, std::uint64_t b) const {
  of_.beside().multiply(index_, {a, b, columns, nullptr, sum});
  warp_barrier();
}
void host_thread::wait_for_products_but(int newest) const {
  engines& beside = of_.beside();
  of_.wait_until(index_, [&] { return beside.can_end(index_, newest); });
  beside.end(index_, newest, static_cast<const unsigned char*>(shared_memory()),
             of_.shared_bytes());
}

void run_grid(const grid_shape& shape, const std::function<void(const host_thread&)>& body) {
  tbb::parallel_for(std::uint64_t{0}, shape.blocks,
                    [&](std::uint64_t number) { running_block(shape, number, body).run(); });
}

}  // namespace kernels_test
