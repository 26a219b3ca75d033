// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/memory_yardstick.h: the least cost of a pass over memory on this machine.
#pragma once
#include <time.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sim::cli {

/// CPU seconds of the calling thread, or of the process: the load of other ones is not counted.
[[nodiscard]] double cpu_seconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID);

/// The CPU seconds that a call of work takes, and its seconds of wall-clock time.
[[nodiscard]] double seconds_of(const std::function<void()>& work);
[[nodiscard]] double wall_seconds_of(const std::function<void()>& work);

/// Median; of an even number, the upper middle one.
[[nodiscard]] double median(std::vector<double> numbers);

enum class memory_pass : std::uint8_t {
  read,        ///< every byte
  write,       ///< every byte, past the caches
  read_write,  ///< every byte read, and written past the caches what a quantizer writes
};

/// Cache lines that a quantizer writes for each 128 that it reads: codes and scales.
///   four_bits_of_32  MXFP4         four_bits_of_16  NVFP4
///   bytes_of_32      MXFP8, MXFP6, MXINT8; 4 bytes of scale for 128 are the same
namespace lines_written {
inline constexpr int four_bits_of_32 = 17, four_bits_of_16 = 18, bytes_of_32 = 33;
}

/// Of prefetches, in bytes; 0: none.
///   far, near  of every line into the second level of cache, and into the first
///   page       of one line of every page of 4 KiB, so that its translation is there
struct prefetch_distances {
  std::uint64_t far, near, page;
};

/// The fastest of several variants: the two widest instruction sets, without prefetching and with
/// prefetching at several distances.
class memory_yardstick {
 public:
  /// from, to  of `bytes` and, for read_write, lines/128 of that; a multiple of 8192, lines of 64
  memory_yardstick(memory_pass pass, std::uint64_t bytes, const void* from, void* to,
                   int lines = lines_written::four_bits_of_32);

  /// Times every variant once.
  void run();

  struct figure {
    std::string name;
    double seconds;
  };
  /// The variant with the smallest median.
  [[nodiscard]] figure best() const;

 private:
  struct variant {
    std::string instruction_set;
    prefetch_distances ahead;
    std::vector<double> seconds;
  };
  void pass_once(const variant& v) const;

  memory_pass pass_;
  std::uint64_t lines_, bytes_;
  const unsigned char* from_;
  unsigned char* to_;
  std::vector<variant> variants_;
};

}  // namespace sim::cli
