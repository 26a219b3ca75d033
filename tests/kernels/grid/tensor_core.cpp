// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/tensor_core.cpp: tensor memory, its barriers and instructions.
#include "tensor_core.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mx/dot/dot.h"
#include "tensor_operands.h"

namespace kernels_test {
namespace {

using namespace mx::kernels;

constexpr int lanes = 128, columns = 512;

}  // namespace

tensor_core::tensor_core(moments when)
    : when_(when), cells_(std::size_t{lanes} * columns, 0xA5A5A5A5) {}

void tensor_core::begin_barrier(const void* barrier) {
  expect(barriers_.emplace(barrier, barrier_state{}).second, "a barrier begun twice");
}

void tensor_core::end_phase_if_over(barrier_state& barrier) {
  if (barrier.pending > 0 || barrier.bytes != 0) return;
  barrier.pending = 1;
  ++barrier.phase;
}

void tensor_core::arrive(const void* barrier) {
  barrier_state& state = barriers_.at(barrier);
  --state.pending;
  expect(state.pending >= 0, "a barrier arrived at twice in a phase");
  end_phase_if_over(state);
}

void tensor_core::expect_bytes(const void* barrier, std::uint32_t bytes) {
  barriers_.at(barrier).bytes += bytes;
  arrive(barrier);
}

bool tensor_core::poll(const void* barrier, int parity) {
  run_copies(barrier);
  run_instructions(barrier);
  return (barriers_.at(barrier).phase & 1) != parity;
}

void tensor_core::copy_bulk(void* to, const void* from, std::size_t bytes, const void* barrier) {
  expect(bytes % 16 == 0 && reinterpret_cast<std::uintptr_t>(from) % 16 == 0 &&
             reinterpret_cast<std::uintptr_t>(to) % 16 == 0,
         "a copy that is not of 16 bytes each");
  copies_.push_back({to, from, bytes, barrier});
  if (when_.copies == moments::moment::early) run_copies(barrier);
}

void tensor_core::run_copies(const void* barrier) {
  const auto due = [&](const pending_copy& copy) { return copy.barrier == barrier; };
  for (const pending_copy& copy : copies_) {
    if (!due(copy)) continue;
    std::memcpy(copy.to, copy.from, copy.bytes);
    barrier_state& state = barriers_.at(barrier);
    state.bytes -= static_cast<std::int64_t>(copy.bytes);
    end_phase_if_over(state);
  }
  std::erase_if(copies_, due);
}

void tensor_core::allot(std::uint32_t& base) {
  expect(!allotted_, "all of tensor memory allotted twice");
  allotted_ = true;
  base = 0;
}

void tensor_core::release(std::uint32_t base) {
  expect(allotted_ && base == 0, "tensor memory released that was not allotted");
  allotted_ = false;
}

std::uint32_t& tensor_core::cell(std::uint32_t address, int lane, int column) {
  const int at_lane = static_cast<int>(address >> 16) + lane;
  const int at_column = static_cast<int>(address & 0xFFFF) + column;
  expect(allotted_ && at_lane < lanes && at_column < columns, "a cell outside tensor memory");
  const auto row = static_cast<std::size_t>(at_lane);
  return cells_[row * columns + static_cast<std::size_t>(at_column)];
}

void tensor_core::load(int thread, std::uint32_t* to, std::uint32_t from, int count) {
  expect(from >> 16 == static_cast<std::uint32_t>(thread / 32 % 4 * 32), "another warp's lanes");
  std::fill_n(to, count, 0xDEADBEEF);
  loads_[thread].push_back({from, to, std::vector<std::uint32_t>(static_cast<std::size_t>(count))});
}

void tensor_core::store(int thread, std::uint32_t to, const std::uint32_t* from, int count) {
  expect(to >> 16 == static_cast<std::uint32_t>(thread / 32 % 4 * 32), "another warp's lanes");
  stores_[thread].push_back({to, nullptr, {from, from + count}});
}

void tensor_core::wait_for_loads(int thread) {
  for (const pending_cells& load : loads_[thread]) {
    for (std::size_t i = 0; i < load.from.size(); ++i) {
      load.to[i] = cell(load.address, thread % 32, static_cast<int>(i));
    }
  }
  loads_[thread].clear();
}

void tensor_core::wait_for_stores(int thread) {
  for (const pending_cells& store : stores_[thread]) {
    for (std::size_t i = 0; i < store.from.size(); ++i) {
      cell(store.address, thread % 32, static_cast<int>(i)) = store.from[i];
    }
  }
  stores_[thread].clear();
}

void tensor_core::start(std::function<void()> run, const void* barrier) {
  started_.push_back({std::move(run), barrier});
  if (when_.instructions == moments::moment::late) return;
  while (!started_.empty()) run_instructions(started_.front().barrier);
}

/// All up to the first commit to a barrier, if any; up to null: one instruction.
void tensor_core::run_instructions(const void* up_to) {
  const auto last = std::find_if(started_.begin(), started_.end(),
                                 [&](const started& one) { return one.barrier == up_to; });
  if (last == started_.end()) return;
  for (auto count = last - started_.begin() + 1; count > 0; --count) {
    const started one = std::move(started_.front());
    started_.pop_front();
    one.run();
  }
}

/// ".32x128b" with ".warpx4": 32 lines of 16 bytes to as many lanes, four times.
void tensor_core::copy_scales(std::uint32_t to, std::uint64_t from) {
  start(
      [this, to, from] {
        const matrix_in_shared words(from);
        for (int lane = 0; lane < lanes; ++lane) {
          for (int i = 0; i < 4; ++i) {
            std::memcpy(&cell(to, lane, i), shared_ + words.offset(lane % 32, i * 4), 4);
          }
        }
      },
      nullptr);
}

void tensor_core::commit(const void* barrier) {
  start([this, barrier] { arrive(barrier); }, barrier);
}

/// "Layout of the scale factor A matrix": line l in lane l mod 32 and column l / 32, in each
/// quarter.
std::uint8_t tensor_core::scale(std::uint32_t address, int line, int byte) {
  const std::uint32_t word = cell(address, line % 32, line / 32);
  for (int quarter = 1; quarter < 4; ++quarter) {
    expect(cell(address, line % 32 + 32 * quarter, line / 32) == word, "quarters that differ");
  }
  return static_cast<std::uint8_t>(word >> (8 * byte));
}

/// Lines of a matrix in shared memory, with scales in tensor memory.
std::vector<tensor_core::scaled_line> tensor_core::lines_of(std::uint64_t codes,
                                                            std::uint32_t scales, int count,
                                                            int first, int blocks) {
  const matrix_in_shared matrix(codes);
  std::vector<scaled_line> lines(static_cast<std::size_t>(count));
  for (int l = 0; l < count; ++l) {
    scaled_line& to = lines[static_cast<std::size_t>(l)];
    for (int k = 0; k < 64; ++k) {
      const int byte = shared_[matrix.offset(l, k / 2)];
      to.codes[k] = static_cast<std::uint8_t>(byte >> (k % 2 * 4) & 15);
    }
    for (int i = 0; i < blocks; ++i) to.scales[i] = scale(scales, l, first + i);
  }
  return lines;
}

template <native_kind Kind>
void tensor_core::multiply_now(const tensor_operands& o) {
  constexpr mx::dot_model model = native_model<Kind>;
  const fp4_instruction is(o.instruction, Kind);
  const auto a = lines_of(o.a, o.scales_a, is.rows, is.first_a, 64 / model.block);
  const auto b = lines_of(o.b, o.scales_b, is.columns, is.first_b, 64 / model.block);
  for (int m = 0; m < is.rows; ++m) {
    const scaled_line& row = a[static_cast<std::size_t>(m)];
    for (int n = 0; n < is.columns; ++n) {
      const scaled_line& column = b[static_cast<std::size_t>(n)];
      std::uint32_t& sum = cell(o.d, m, n);
      sum = mx::dot(model, row.codes, column.codes, 64, sum, row.scales, column.scales);
    }
  }
}

template <native_kind Kind>
void tensor_core::multiply(const tensor_operands& operands) {
  start([this, operands] { multiply_now<Kind>(operands); }, nullptr);
}

template void tensor_core::multiply<native_kind::mxf4>(const tensor_operands& operands);
template void tensor_core::multiply<native_kind::mxf4nvf4>(const tensor_operands& operands);

}  // namespace kernels_test
