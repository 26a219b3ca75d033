// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/engines.cpp: counters, copies and products of four warps, restated from the
// PTX manual.
#include "engines.h"

#include <cstring>
#include <limits>
#include <stdexcept>

#include "mx/dot/mma.h"
#include "mx/dot/models.h"

namespace kernels_test {
namespace {

constexpr std::int32_t noise = 0x5A5A5A5A;
constexpr std::size_t core_matrix_line = 16;

/// Bits of a descriptor: 14 of the address, of the distance along k, of that along lines, in 16
/// bytes.
std::uint32_t field(std::uint64_t descriptor, int place) {
  return static_cast<std::uint32_t>(descriptor >> place & 0x3FFF) * 16;
}

/// Byte k of a line of the matrix that a descriptor names.
class named_matrix {
 public:
  named_matrix(std::uint64_t descriptor, const unsigned char* shared, std::size_t bytes)
      : shared_(shared),
        bytes_(bytes),
        address_(field(descriptor, 0)),
        along_k_(field(descriptor, 16)),
        along_lines_(field(descriptor, 32)) {
    constexpr std::uint64_t known =
        0x3FFF | std::uint64_t{0x3FFF} << 16 | std::uint64_t{0x3FFF} << 32;
    if ((descriptor & ~known) != 0)
      throw std::logic_error("a descriptor with swizzling, or of none");
  }

  [[nodiscard]] unsigned char at(int line, int k) const {
    const std::size_t lines = static_cast<std::size_t>(line) / 8 * along_lines_ +
                              static_cast<std::size_t>(line) % 8 * core_matrix_line;
    const std::size_t address = address_ + lines + static_cast<std::size_t>(k) / 16 * along_k_ +
                                static_cast<std::size_t>(k) % 16;
    if (address < engines::first_address || address - engines::first_address >= bytes_) {
      throw std::logic_error("a descriptor that points out of shared memory");
    }
    return shared_[address - engines::first_address];
  }

 private:
  const unsigned char* shared_;
  std::size_t bytes_;
  std::size_t address_, along_k_, along_lines_;
};

constexpr int product_length = 32;

std::int32_t sum_of_bytes(const named_matrix& a, int row, const named_matrix& b, int column) {
  std::int32_t sum = 0;
  for (int k = 0; k < product_length; ++k) {
    sum += static_cast<std::int8_t>(a.at(row, k)) * static_cast<std::int8_t>(b.at(column, k));
  }
  return sum;
}

float sum_of_e4m3(const named_matrix& a, int row, const named_matrix& b, int column) {
  static const mx::dot_model model = mx::model_named("hopper.wgmma.e4m3.f32")->model;
  std::uint8_t x[product_length], y[product_length];
  int any_of_x = 0, any_of_y = 0;
  for (int k = 0; k < product_length; ++k) {
    any_of_x |= x[k] = a.at(row, k);
    any_of_y |= y[k] = b.at(column, k);
  }
  if (any_of_x == 0 || any_of_y == 0) return 0;  // padding is most of a small product
  return mx::float_of(mx::dot(model, x, y, product_length, 0));
}

/// "Register Fragments for wgmma.mma_async": of thread `thread` of 128.
void multiply_now(int thread, const engines::product& of, const unsigned char* shared,
                  std::size_t bytes) {
  const named_matrix a(of.a, shared, bytes), b(of.b, shared, bytes);
  for (int i = 0; i < of.columns / 2; ++i) {
    const int row = thread / 32 * 16 + thread % 32 / 4 + (i % 4 >= 2 ? 8 : 0);
    const int column = i / 4 * 8 + thread % 4 * 2 + i % 2;
    if (of.sum != nullptr) of.sum[i] = sum_of_bytes(a, row, b, column);
    if (of.e4m3_sum != nullptr) of.e4m3_sum[i] = sum_of_e4m3(a, row, b, column);
  }
}

}  // namespace

engines::counter& engines::known(const void* at) {
  const auto found = counters_.find(at);
  if (found == counters_.end()) throw std::logic_error("an uninitialized counter");
  return found->second;
}

void engines::begin_counter(const void* at, int arrivals) {
  counters_[at] = {arrivals, arrivals, 0, 0, {}};
}

void engines::make(counter& of) {
  for (const pending_copy& copy : of.copies) {
    std::memcpy(copy.to, copy.from, copy.bytes);
    of.bytes_missing -= static_cast<std::int64_t>(copy.bytes);
  }
  of.copies.clear();
}

void engines::end_phase(counter& of) {
  if (of.missing != 0 || of.bytes_missing != 0) return;
  of.missing = of.arrivals;
  ++of.phase;
}

void engines::arrive(const void* at, int bytes) {
  counter& of = known(at);
  if (of.missing == 0) throw std::logic_error("more arrivals than a counter's phase has");
  of.bytes_missing += bytes;
  --of.missing;
  end_phase(of);
}

void engines::copy(void* to, const void* from, std::size_t bytes, const void* at) {
  counter& of = known(at);
  const auto odd = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 != 0; };
  if (odd(to) || odd(from) || bytes % 16 != 0) throw std::logic_error("a copy of odd bytes");
  of.copies.push_back({to, from, bytes});
  if (is_late_) return;
  make(of);
  end_phase(of);
}

bool engines::has_ended(const void* at, int parity) {
  counter& of = known(at);
  if (of.missing == 0) {
    make(of);
    end_phase(of);
  }
  return of.phase % 2 != parity;
}

void engines::fence(int thread) { workers_[thread].is_fenced = true; }

/// The four warps of a group issue the same instructions.
void engines::expect_same(int thread, const product& of) {
  std::vector<product>& begun = begun_by_group_[thread / 128];
  const std::size_t number = workers_[thread].begun++;
  if (number == begun.size()) begun.push_back(of);
  const product& first = begun[number];
  if (first.a != of.a || first.b != of.b || first.columns != of.columns ||
      (first.sum == nullptr) != (of.sum == nullptr)) {
    throw std::logic_error("threads of a warpgroup multiply other matrices");
  }
}

void engines::multiply(int thread, const product& of) {
  worker& self = workers_[thread];
  if (!self.is_fenced) throw std::logic_error("products without a fence");
  expect_same(thread, of);
  for (int i = 0; i < of.columns / 2; ++i) {
    if (of.sum != nullptr) of.sum[i] = noise;
    if (of.e4m3_sum != nullptr) of.e4m3_sum[i] = std::numeric_limits<float>::quiet_NaN();
  }
  self.open.push_back(of);
}

void engines::commit(int thread) {
  worker& self = workers_[thread];
  self.groups.push_back(std::move(self.open));
  self.open.clear();
}

bool engines::can_end(int thread, int newest) {
  const worker& self = workers_[thread];
  std::size_t needed = self.begun - self.open.size();
  for (int i = 0; i < newest && static_cast<std::size_t>(i) < self.groups.size(); ++i) {
    needed -= (self.groups.rbegin() + i)->size();
  }
  const int first = thread / 128 * 128;
  if (first / 32 + 4 > warps_) throw std::logic_error("a warpgroup of fewer than four warps");
  for (int other = first; other < first + 128; ++other) {
    if (workers_[other].begun < needed) return false;
  }
  return true;
}

void engines::end(int thread, int newest, const unsigned char* shared, std::size_t bytes) {
  worker& self = workers_[thread];
  for (; self.groups.size() > static_cast<std::size_t>(newest); self.groups.pop_front()) {
    for (const product& of : self.groups.front()) multiply_now(thread % 128, of, shared, bytes);
  }
  self.is_fenced = false;
}

}  // namespace kernels_test
