// SPDX-License-Identifier: Apache-2.0
// kernels/bench/measures.h: measures on a device, and their goals; the names are those of
// `mxprism bench`.
#pragma once
#include <string_view>

namespace mx::kernels {

///   goal_ratio  required multiple of the yardstick's rate; 0: no goal
///   goal_value  required value in the measure's unit; 0: no goal
struct measure {
  std::string_view name, work;
  double goal_ratio = 0, goal_value = 0;
};

inline constexpr measure measures[] = {
    {"cuda.quantize.mxfp4", "2^30 BF16 to MXFP4, the slower of floor and rceil", 0.85},
    {"cuda.quantize.mxfp4.fp32", "2^30 FP32 to MXFP4, the same", 0.85},
    {"cuda.decompose.mxfp4", "the error's parts of 2^30 FP32", 0.80},
    {"cuda.gemm.fp32.sequential", "a product of MXFP4, 8192^3, rounded to FP32 after each block",
     0.45, 350},
    {"cuda.gemm.blackwell.mxf4", "the same as Blackwell's tensor cores do it", 0.20},
    {"cuda.gemm.blackwell.mxf4.spread", "the same with scales far apart"}};

}  // namespace mx::kernels
