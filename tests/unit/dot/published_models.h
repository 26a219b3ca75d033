// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/published_models.h: the published parameters of tensor cores, restated
// independently.
// Source: arXiv 2511.10909, tables 3 to 5; microsoft/MMA-Sim 2.1.
#pragma once
#include <string>
#include <utility>

#include "mx/number/formats.h"

namespace tests {

using mx::formats::binary16;

struct published_row {
  const char* models;  ///< architecture and instruction
  const char* input;
  mx::format format;
  int fused, fraction_bits, zero_f32, zero_f16;  ///< 0: no such output
  bool e8m13 = false;
};

inline const mx::format e8m13{8, 13, 127, mx::specials::ieee};

inline const published_row rows[] = {
    {"volta.mma", "f16", binary16, 4, 23, -131, -19},
    {"turing.mma", "f16", binary16, 8, 24, -132, -20},
    {"ampere.mma", "tf32", mx::formats::tf32, 4, 24, -132, 0},
    {"ampere.mma", "bf16", mx::formats::bfloat16, 8, 24, -132, 0},
    {"ampere.mma", "f16", binary16, 8, 24, -132, -20},
    {"ada.mma", "tf32", mx::formats::tf32, 4, 24, -132, 0},
    {"ada.mma", "bf16", mx::formats::bfloat16, 8, 24, -132, 0},
    {"ada.mma", "f16", binary16, 8, 24, -132, -20},
    {"ada.mma", "e4m3", mx::formats::e4m3, 16, 13, -132, -20, true},
    {"ada.mma", "e5m2", mx::formats::e5m2, 16, 13, -132, -20, true},
    {"hopper.mma", "tf32", mx::formats::tf32, 8, 25, -133, 0},
    {"hopper.mma", "bf16", mx::formats::bfloat16, 16, 25, -133, 0},
    {"hopper.mma", "f16", binary16, 16, 25, -133, -21},
    {"hopper.wgmma", "tf32", mx::formats::tf32, 8, 25, -133, 0},
    {"hopper.wgmma", "bf16", mx::formats::bfloat16, 16, 25, -133, 0},
    {"hopper.wgmma", "f16", binary16, 16, 25, -133, -21},
    {"hopper.wgmma", "e4m3", mx::formats::e4m3, 32, 13, -133, -21, true},
    {"hopper.wgmma", "e5m2", mx::formats::e5m2, 32, 13, -133, -21, true},
    {"blackwell.mma", "tf32", mx::formats::tf32, 8, 25, -133, 0},
    {"blackwell.mma", "bf16", mx::formats::bfloat16, 16, 25, -133, 0},
    {"blackwell.mma", "f16", binary16, 16, 25, -133, -21},
    {"blackwell.tcgen05", "tf32", mx::formats::tf32, 8, 25, -133, 0},
    {"blackwell.tcgen05", "bf16", mx::formats::bfloat16, 16, 25, -133, 0},
    {"blackwell.tcgen05", "f16", binary16, 16, 25, -133, -21},
    {"blackwell.tcgen05", "e4m3", mx::formats::e4m3, 32, 25, -133, -21},
    {"blackwell.tcgen05", "e5m2", mx::formats::e5m2, 32, 25, -133, -21},
    {"blackwell.tcgen05", "e2m3", mx::formats::e2m3, 32, 25, -133, -21},
    {"blackwell.tcgen05", "e3m2", mx::formats::e3m2, 32, 25, -133, -21},
    {"blackwell.tcgen05", "e2m1", mx::formats::e2m1, 32, 25, -133, -21},
    {"rtxblackwell.mma", "tf32", mx::formats::tf32, 8, 25, -133, 0},
    {"rtxblackwell.mma", "bf16", mx::formats::bfloat16, 16, 25, -133, 0},
    {"rtxblackwell.mma", "f16", binary16, 16, 25, -133, -21},
    {"rtxblackwell.mma", "e4m3", mx::formats::e4m3, 32, 25, -133, -21},
    {"rtxblackwell.mma", "e5m2", mx::formats::e5m2, 32, 25, -133, -21},
    {"rtxblackwell.mma", "e2m3", mx::formats::e2m3, 32, 25, -133, -21},
    {"rtxblackwell.mma", "e3m2", mx::formats::e3m2, 32, 25, -133, -21},
    {"rtxblackwell.mma", "e2m1", mx::formats::e2m1, 32, 25, -133, -21}};

inline const std::pair<std::string, mx::format> emulated_inputs[] = {
    {"hopper.mma.e4m3", mx::formats::e4m3},
    {"hopper.mma.e5m2", mx::formats::e5m2},
    {"blackwell.mma.e4m3", mx::formats::e4m3},
    {"blackwell.mma.e5m2", mx::formats::e5m2}};

inline const std::pair<std::string, mx::format> mx_inputs[] = {{"e2m1", mx::formats::e2m1},
                                                               {"e2m3", mx::formats::e2m3},
                                                               {"e3m2", mx::formats::e3m2},
                                                               {"e4m3", mx::formats::e4m3},
                                                               {"e5m2", mx::formats::e5m2}};

struct step_row {
  const char* name;
  mx::format format;
  int fused, parities;
};

inline const step_row late_rows[] = {{"cdna3.mfma.xf32.f32", mx::formats::tf32, 4, 1},
                                     {"cdna3.mfma.f16.f32", binary16, 8, 1},
                                     {"cdna3.mfma.bf16.f32", mx::formats::bfloat16, 8, 1},
                                     {"cdna3.mfma.bf16_1k.f32", mx::formats::bfloat16, 8, 1},
                                     {"cdna3.mfma.e4m3fnuz.f32", mx::formats::e4m3fnuz, 16, 2},
                                     {"cdna3.mfma.e5m2fnuz.f32", mx::formats::e5m2fnuz, 16, 2}};

inline const step_row exact_rows[] = {{"cdna1.mfma.f16.f32", binary16, 4, 0},
                                      {"cdna1.mfma.bf16.f32", mx::formats::bfloat16, 2, 0}};

inline const step_row flushed_rows[] = {{"cdna2.mfma.f16.f32", binary16, 4, 0},
                                        {"cdna2.mfma.bf16.f32", mx::formats::bfloat16, 2, 0},
                                        {"cdna2.mfma.bf16_1k.f32", mx::formats::bfloat16, 4, 0}};

}  // namespace tests
