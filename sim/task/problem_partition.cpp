// SPDX-License-Identifier: Apache-2.0
// sim/task/problem_partition.cpp: a Feistel network over pairs of operands, whose rounds add a
// keyed function of one operand to the other, modulo the number of the other's values.
#include "sim/task/problem_partition.h"

#include <utility>

#include "mx/number/bits.h"
#include "mx/number/philox.h"
#include "sim/task/random_streams.h"

namespace sim {
namespace {

constexpr int rounds = 6;              // even: each operand ends in its own place
constexpr std::uint64_t held_out = 8;  // one problem in eight for the gate, and one for evaluation

/// Uniform below `end`: the high half of word * end, where word has 64 bits.
std::uint64_t scaled(std::uint64_t word, std::uint64_t end) {
  return static_cast<std::uint64_t>((mx::wide_integer{word} * mx::wide_integer{end}) >> 64);
}

std::uint64_t random_word(std::uint64_t key, const mx::philox_counter& counter) {
  const mx::philox_counter words = mx::philox(key, counter);
  return std::uint64_t{words.word[0]} << 32 | words.word[1];
}

}  // namespace

problem_partition::problem_partition(const problem_space& space, std::uint64_t key)
    : space_(space), key_(key) {}

std::uint64_t problem_partition::all() const noexcept {
  return space_.count > 0 ? space_.count : space_.a * space_.b;
}

std::uint64_t problem_partition::count(problem_use use) const noexcept {
  const std::uint64_t part = all() / held_out;
  return use == problem_use::training ? all() - 2 * part : part;
}

std::uint64_t problem_partition::first(problem_use use) const noexcept {
  if (use == problem_use::training) return 0;
  const std::uint64_t gate = count(problem_use::training);
  return use == problem_use::gate ? gate : gate + count(problem_use::gate);
}

/// A bijection whatever the rounds add: each can be subtracted again.
problem problem_partition::permuted(problem p) const noexcept {
  problem_space values = space_;  // of p's operands
  for (int round = 0; round < rounds; ++round) {
    // b < 2^32 fits one counter word.
    const std::uint64_t shift =
        scaled(random_word(key_, {{counter_word(stream::problem_partition, round),
                                   static_cast<std::uint32_t>(p.b), 0, 0}}),
               values.a);
    p = {p.b, (p.a + shift) % values.a};
    values = {values.b, values.a};
  }
  return p;
}

/// Pairs that are no problems are walked through: those behind them on their cycle of the
/// permutation are a permutation of the others.
problem problem_partition::permuted(std::uint64_t index) const noexcept {
  problem p{index / space_.b, index % space_.b};
  do {
    p = permuted(p);
  } while (p.a * space_.b + p.b >= all());
  return p;
}

problem problem_partition::at(problem_use use, std::uint64_t number) const noexcept {
  return permuted(first(use) + number % count(use));
}

problem problem_partition::drawn(problem_use use, std::uint32_t stream,
                                 std::uint32_t index) const noexcept {
  return at(use, scaled(random_word(key_, {{stream, index, 0, 0}}), count(use)));
}

}  // namespace sim
