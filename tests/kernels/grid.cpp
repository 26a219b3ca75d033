// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid.cpp: blocks of fibers.
#include "grid.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

namespace kernels_test {
namespace {

namespace context = boost::context;

constexpr int warp_threads = 32;
constexpr std::size_t stack_bytes = std::size_t{128} << 10;

enum class at : std::uint8_t { work, exchange, barrier, end };

}  // namespace

/// The threads of one block.
class running_block {
 public:
  running_block(const grid_shape& shape, std::uint64_t number,
                const std::function<void(const host_thread&)>& body)
      : shape_(shape), number_(number), body_(body), threads_(shape.threads) {
    // What lies in shared memory at first is nobody's: a body that counts on zeros must fail.
    shared_.assign(shape.shared_bytes + 16, static_cast<std::byte>(0xA5));
  }

  void run() {
    context::pooled_fixedsize_stack stacks(stack_bytes);
    for (int i = 0; i < shape_.threads; ++i) {
      threads_[i].fiber = context::fiber(
          std::allocator_arg, stacks, [this, i](context::fiber&& back) { return live(i, back); });
    }
    while (threads_.front().where != at::end) {
      for (int first = 0; first < shape_.threads; first += warp_threads) run_warp(first);
      expect_all_at(0, shape_.threads, "a barrier");
    }
  }

  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] int size() const { return shape_.threads; }

  [[nodiscard]] std::uint32_t exchange(int index, std::uint32_t value, int mask) {
    thread& self = threads_[index];
    // A thread may be at its next exchange before its partner has read: two words, in turn.
    self.turn ^= 1;
    self.posted[self.turn] = value;
    leave(self, at::exchange);
    const int partner = index ^ mask;
    if (partner >= shape_.threads) throw std::logic_error("an exchange with no thread");
    return threads_[partner].posted[self.turn];
  }
  void wait(int index) { leave(threads_[index], at::barrier); }

  [[nodiscard]] void* shared_memory() {
    void* memory = shared_.data();
    std::size_t space = shared_.size();
    return std::align(16, shape_.shared_bytes, memory, space);
  }

 private:
  struct thread {
    context::fiber fiber, back;
    at where = at::work;
    int turn = 0;
    std::uint32_t posted[2] = {};
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
    one.fiber = std::move(one.fiber).resume();
    if (failure_) std::rethrow_exception(failure_);
  }

  /// Until all its threads are at a barrier, or at their end.
  void run_warp(int first) {
    const int last = std::min(first + warp_threads, shape_.threads);
    do {
      for (int i = first; i < last; ++i) resume(threads_[i]);
      expect_all_at(first, last, "an exchange");
    } while (threads_[first].where == at::exchange);
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
  std::exception_ptr failure_;
  std::vector<thread> threads_;
};

std::uint64_t host_thread::block() const { return of_.number(); }
int host_thread::block_size() const { return of_.size(); }
std::uint32_t host_thread::exchange(std::uint32_t value, int mask) const {
  return of_.exchange(index_, value, mask);
}
void host_thread::barrier() const { of_.wait(index_); }
void* host_thread::shared_memory() const { return of_.shared_memory(); }

void run_grid(const grid_shape& shape, const std::function<void(const host_thread&)>& body) {
  tbb::parallel_for(std::uint64_t{0}, shape.blocks,
                    [&](std::uint64_t number) { running_block(shape, number, body).run(); });
}

}  // namespace kernels_test
