// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/bench.h: performance of this machine, relative to a yardstick of the same run.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/terminal/command.h"

namespace sim::cli {

/// ratio above 1: better than the yardstick; no value where the yardstick is missing.
struct bench_result {
  std::string name;
  double value = 0;
  std::string unit, yardstick;
  std::optional<double> yardstick_value, ratio;
};

/// A figure beside its yardstick's, of which more is better.
[[nodiscard]] inline bench_result beside(const std::string& name, double value,
                                         const std::string& unit, const std::string& yardstick,
                                         double yardstick_value) {
  return {name, value, unit, yardstick, yardstick_value, value / yardstick_value};
}

/// Prints figures as text or JSON.
void print_results(const std::vector<bench_result>& results, output form);

/// 256 MiB of FP32 to MXFP4, relative to the fastest pass that reads and writes the same bytes;
/// then other roundings, formats and BF16, threads, and every instruction set.
[[nodiscard]] std::vector<bench_result> bench_quantize();

/// 64 MiB of FP32 as eighteen public kernels quantize them, relative to the same: their median,
/// then the slowest and each.
[[nodiscard]] std::vector<bench_result> bench_presets();

/// MXFP4 to 256 MiB of FP32, relative to the fastest write of the same bytes.
[[nodiscard]] std::vector<bench_result> bench_dequantize();

/// Error components of 256 MiB of FP32 in MXFP4, relative to the fastest read of the same bytes.
[[nodiscard]] std::vector<bench_result> bench_decompose();

/// One step of RL training of the default study in MXFP4, relative to the same step with FP32
/// products; then the FP32 step relative to sgemm's rate, and watched, and the other arms.
[[nodiscard]] std::vector<bench_result> bench_train_step();

/// One FP32 step of 512 sequences of up to 32 tokens on two threads, relative to sgemm's rate on
/// two.
[[nodiscard]] std::vector<bench_result> bench_train_batch();

/// Products of MXFP4, 1024 x 1024 x 4096, relative to OpenBLAS' sgemm of the same shape; then to
/// the peak of the machine's dot instruction, and with two threads.
[[nodiscard]] std::vector<bench_result> bench_sequential_gemm();
[[nodiscard]] std::vector<bench_result> bench_blackwell_gemm();
/// The same with exponents of scales uniform in [-8, 8] on both sides.
[[nodiscard]] std::vector<bench_result> bench_spread_gemm();

/// The same in NVFP4 under `blackwell.mxf4nvf4`, and with any normal exponent of UE4M3 in the
/// scales.
[[nodiscard]] std::vector<bench_result> bench_nvfp4_gemm();
[[nodiscard]] std::vector<bench_result> bench_spread_nvfp4_gemm();

/// Names of the benches of tensor cores that add in steps: products of that shape relative to
/// sgemm, and words relative to one mx::dot call each.
[[nodiscard]] std::vector<std::string> step_benches();
/// Results of one of them; empty for another name.
[[nodiscard]] std::vector<bench_result> bench_steps(const std::string& name);

/// A million random words of 64 products under `blackwell.mxf4`, relative to one mx::dot call each.
[[nodiscard]] std::vector<bench_result> bench_dot();

/// The process of `mxprism dot` on a file of two million such words, relative to one thread's read
/// of the file's bytes.
[[nodiscard]] std::vector<bench_result> bench_dot_command();

/// The Verilated mx_dot under `blackwell.mxf4`, one lane, a word a cycle, relative to bench_dot().
[[nodiscard]] std::vector<bench_result> bench_rtl_dot();

}  // namespace sim::cli
