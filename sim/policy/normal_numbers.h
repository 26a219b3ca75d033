// SPDX-License-Identifier: Apache-2.0
// sim/policy/normal_numbers.h: normal numbers of one tensor, from its own random stream.
#pragma once
#include <cstddef>
#include <cstdint>

namespace sim {

/// out = deviation * standard normal numbers that depend only on key, word and tensor.
///   word  first counter word (random_streams.h)
void fill_normal(std::uint64_t key, std::uint32_t word, std::uint32_t tensor, float deviation,
                 float* out, std::ptrdiff_t count);

}  // namespace sim
