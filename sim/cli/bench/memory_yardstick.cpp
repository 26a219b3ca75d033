// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/memory_yardstick.cpp: passes over memory, for every instruction set.
#include "sim/cli/bench/memory_yardstick.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "mx/tensor/bulk.h"
#include "mx/tensor/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cli/bench/memory_yardstick.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sim::cli::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<std::uint64_t, 8>;
using V = hn::Vec<D>;
constexpr std::size_t lanes = hn::MaxLanes(D());
constexpr std::size_t vector_bytes = lanes * sizeof(std::uint64_t);

HWY_INLINE V load(const unsigned char* p) {
  return hn::LoadU(D(), reinterpret_cast<const std::uint64_t*>(p));
}
HWY_INLINE void stream(V v, unsigned char* p) {
  for (std::size_t i = 0; i < 64; i += vector_bytes) {
    hn::Stream(v, D(), reinterpret_cast<std::uint64_t*>(p + i));
  }
}

template <bool Far, bool Near>
HWY_INLINE void fetch(const unsigned char* p, std::uint64_t far, std::uint64_t near) {
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  if (Far) __builtin_prefetch(reinterpret_cast<const void*>(at + far), 0, 2);
  if (Near) __builtin_prefetch(reinterpret_cast<const void*>(at + near), 0, 3);
}

/// Reads 512 bytes into four accumulators.
template <bool Far, bool Near>
HWY_INLINE void read_part(const unsigned char* p, const prefetch_distances& ahead, V (&sum)[4]) {
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  if (ahead.page > 0 && at % 4096 < 512) {
    __builtin_prefetch(reinterpret_cast<const void*>(at + ahead.page), 0, 3);
  }
#pragma GCC unroll 8
  for (std::size_t line = 0; line < 512; line += 64) {
    fetch<Far, Near>(p + line, ahead.far, ahead.near);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 64; i += vector_bytes) {
      const std::size_t k = (line + i) / vector_bytes % 4;
      sum[k] = hn::Or(sum[k], load(p + line + i));
    }
  }
}

HWY_INLINE V all_of(const V (&sum)[4]) {
  return hn::Or(hn::Or(sum[0], sum[1]), hn::Or(sum[2], sum[3]));
}

HWY_INLINE unsigned char* write_lines(V v, std::uint64_t lines, unsigned char* to) {
  for (std::uint64_t i = 0; i < lines; ++i, to += 64) stream(v, to);
  return to;
}

/// For each 128 lines read, `lines` are written: as many as possible after every 8, and the rest.
/// Every read affects what is written, or the compiler would remove it.
template <bool Far, bool Near>
void pass(const unsigned char* from, std::uint64_t bytes, const prefetch_distances& ahead,
          std::uint64_t lines, unsigned char* to) {
  V sum[4] = {hn::Zero(D()), hn::Zero(D()), hn::Zero(D()), hn::Zero(D())};
  for (std::uint64_t done = 0; done < bytes; done += 8192) {
    for (std::uint64_t part = 0; part < 8192; part += 512) {
      read_part<Far, Near>(from + done + part, ahead, sum);
      to = write_lines(all_of(sum), lines / 16, to);
    }
    to = write_lines(all_of(sum), lines % 16, to);
  }
  if (lines == 0) hn::StoreU(all_of(sum), D(), reinterpret_cast<std::uint64_t*>(to));
  hwy::FlushStream();
}

void read_write_memory(const unsigned char* from, std::uint64_t bytes,
                       const prefetch_distances& ahead, std::uint64_t lines, unsigned char* to) {
  const bool far = ahead.far > 0, near = ahead.near > 0;
  if (far && near) return pass<true, true>(from, bytes, ahead, lines, to);
  if (far) return pass<true, false>(from, bytes, ahead, lines, to);
  if (near) return pass<false, true>(from, bytes, ahead, lines, to);
  pass<false, false>(from, bytes, ahead, lines, to);
}
void write_memory(std::uint64_t bytes, unsigned char* to) {
  const V v = hn::Set(D(), 0x3F8000003F800000);
  for (std::uint64_t i = 0; i < bytes; i += 64) stream(v, to + i);
  hwy::FlushStream();
}

}  // namespace sim::cli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sim::cli {

HWY_EXPORT(read_write_memory);
HWY_EXPORT(write_memory);

double cpu_seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds_of(const std::function<void()>& work) {
  const double begin = cpu_seconds();
  work();
  return cpu_seconds() - begin;
}

double wall_seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

memory_yardstick::memory_yardstick(memory_pass pass, std::uint64_t bytes, const void* from,
                                   void* to, int lines)
    : pass_(pass),
      lines_(pass == memory_pass::read ? 0 : static_cast<std::uint64_t>(lines)),
      bytes_(bytes),
      from_(static_cast<const unsigned char*>(from)),
      to_(static_cast<unsigned char*>(to)) {
  constexpr prefetch_distances all[] = {
      {0, 0, 0},    {0, 1024, 0},     {0, 2048, 0},     {0, 4096, 0},     {0, 8192, 0},
      {8192, 0, 0}, {8256, 0, 0},     {16384, 0, 0},    {8256, 1088, 0},  {0, 0, 16448},
      {0, 0, 8256}, {0, 1088, 16448}, {4160, 0, 20544}, {8256, 0, 16448}, {8256, 1088, 16448}};
  std::vector<std::string> sets = mx::instruction_sets();
  if (sets.size() > 2) sets.resize(2);
  for (const std::string& set : sets) {
    for (const prefetch_distances& d : all) {
      if (pass == memory_pass::write && d.far + d.near + d.page > 0) continue;
      variants_.push_back({set, d, {}});
    }
  }
}

void memory_yardstick::pass_once(const variant& v) const {
  mx::use_instruction_set(v.instruction_set);
  switch (pass_) {
    case memory_pass::write:
      HWY_DYNAMIC_DISPATCH(write_memory)(bytes_, to_);
      break;
    case memory_pass::read:
    case memory_pass::read_write:
      HWY_DYNAMIC_DISPATCH(read_write_memory)(from_, bytes_, v.ahead, lines_, to_);
      break;
  }
  mx::use_instruction_set("");
}

void memory_yardstick::run() {
  for (variant& v : variants_) v.seconds.push_back(seconds_of([&] { pass_once(v); }));
}

memory_yardstick::figure memory_yardstick::best() const {
  figure result{"", 0};
  for (const variant& v : variants_) {
    const double seconds = median(v.seconds);
    if (!result.name.empty() && seconds >= result.seconds) continue;
    result.seconds = seconds;
    result.name = v.instruction_set;
    const prefetch_distances& d = v.ahead;
    if (d.far > 0) result.name += fmt::format(", prefetched {} bytes ahead into L2", d.far);
    if (d.near > 0) result.name += fmt::format(", prefetched {} bytes ahead", d.near);
    if (d.page > 0) result.name += fmt::format(", pages {} bytes ahead", d.page);
  }
  return result;
}

}  // namespace sim::cli
#endif  // HWY_ONCE
