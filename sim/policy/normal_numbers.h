// SPDX-License-Identifier: Apache-2.0
// sim/policy/normal_numbers.h: normal numbers of one tensor, and numbers with heavier tails, from
// its own random stream. All of it is arithmetic that IEEE 754 rounds: the same bits on every
// machine.
#pragma once
#include <cstddef>
#include <cstdint>

namespace sim {

/// out = deviation * standard normal numbers that depend only on key, word and tensor.
///   word  first counter word (random_streams.h)
void fill_normal(std::uint64_t key, std::uint32_t word, std::uint32_t tensor, float deviation,
                 float* out, std::ptrdiff_t count);

/// The numbers of fill_normal, each divided by the root of a mean of `degrees` independent squares
/// of normal numbers: independent numbers of Student's t law, scaled to `deviation`; of one or two
/// degrees of freedom, which have none, to the interquartile range of normal numbers of that
/// deviation.
void fill_student_t(std::uint64_t key, std::uint32_t word, std::uint32_t tensor, int degrees,
                    float deviation, float* out, std::ptrdiff_t count);

}  // namespace sim
