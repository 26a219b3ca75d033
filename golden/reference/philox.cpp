// SPDX-License-Identifier: Apache-2.0
// golden/reference/philox.cpp: Philox4x32-10, told with exact products and remainders.
#include "golden/reference/philox.h"

#include "golden/reference/rational.h"

namespace golden {
namespace {

constexpr std::array<std::uint32_t, 2> multipliers{0xd2511f53, 0xcd9e8d57};
constexpr std::array<std::uint32_t, 2> weyl_steps{0x9e3779b9, 0xbb67ae85};

const integer& word_range() {
  static const integer range = integer(1) << 32;
  return range;
}

struct halves {
  std::uint32_t high, low;
};

halves product(std::uint32_t a, std::uint32_t b) {
  const integer whole = integer(a) * b;
  return {integer(whole / word_range()).convert_to<std::uint32_t>(),
          integer(whole % word_range()).convert_to<std::uint32_t>()};
}

// The key of a round: the first one plus so many steps.
std::uint32_t round_key(std::uint32_t key, std::uint32_t step, int round) {
  return integer((integer(key) + integer(step) * round) % word_range()).convert_to<std::uint32_t>();
}

}  // namespace

std::array<std::uint32_t, 4> philox_4x32_10(const std::array<std::uint32_t, 4>& counter,
                                            const std::array<std::uint32_t, 2>& key) {
  std::array<std::uint32_t, 4> state = counter;
  for (int round = 0; round < 10; ++round) {
    const halves even = product(multipliers[0], state[0]);
    const halves odd = product(multipliers[1], state[2]);
    state = {odd.high ^ state[1] ^ round_key(key[0], weyl_steps[0], round), odd.low,
             even.high ^ state[3] ^ round_key(key[1], weyl_steps[1], round), even.low};
  }
  return state;
}

}  // namespace golden
