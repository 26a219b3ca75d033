// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/bench_tensor.cpp: draws the input of the benches of blocks, and times works on it.
#include "sim/cli/bench/bench_tensor.h"

#include <random>

namespace sim::cli {

bench_tensor::bench_tensor() {
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  for (std::uint64_t i = 0; i < elements; ++i) x.get()[i] = normal(random);
}

const bench_tensor& bench_tensor::shared() {
  static const bench_tensor t;
  return t;
}

std::vector<double> by_turns(const std::vector<std::function<void()>>& works,
                             memory_yardstick& yardstick) {
  std::vector<std::vector<double>> seconds(works.size());
  for (int round = 0; round < block_rounds; ++round) {
    yardstick.run();
    for (std::size_t i = 0; i < works.size(); ++i) seconds[i].push_back(seconds_of(works[i]));
  }
  std::vector<double> medians;
  for (const std::vector<double>& of_work : seconds) medians.push_back(median(of_work));
  return medians;
}

}  // namespace sim::cli
