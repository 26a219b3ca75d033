// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/chosen_seeds.cpp: see chosen_seeds.h.
#include "sim/cli/train/chosen_seeds.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include "sim/cli/terminal/command.h"

namespace sim::cli {
namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional{value} : std::nullopt;
}

struct two_numbers {
  std::uint64_t first, second;
};

/// "a-b" or "a/b"; no value for any other text.
std::optional<two_numbers> pair_in(std::string_view text, char between) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) return {};
  const auto first = number_in(text.substr(0, at)), second = number_in(text.substr(at + 1));
  return first && second ? std::optional{two_numbers{*first, *second}} : std::nullopt;
}

/// Of one part of a list: "103" or "103-105".
two_numbers range_in(std::string_view part, const std::string& list) {
  if (const auto one = number_in(part)) return {*one, *one};
  if (const auto range = pair_in(part, '-')) return *range;
  throw usage_error("--seeds: expected seeds such as 101,103-105, found '{}'", list);
}

}  // namespace

std::vector<std::uint64_t> listed_seeds(const std::vector<std::uint64_t>& all,
                                        const std::string& list) {
  if (list.empty()) return all;
  std::set<std::uint64_t> wanted;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const auto [low, high] = range_in(std::string_view(list).substr(begin, end - begin), list);
    if (low > high || low < all.front() || high > all.back()) {
      throw usage_error("--seeds: expected seeds of the claims, {} to {}, found '{}'", all.front(),
                        all.back(), list);
    }
    for (std::uint64_t seed = low; seed <= high; ++seed) wanted.insert(seed);
    begin = end + 1;
  }
  return {wanted.begin(), wanted.end()};
}

std::vector<std::uint64_t> shard_of(const std::vector<std::uint64_t>& seeds,
                                    const std::string& shard) {
  if (shard.empty()) return seeds;
  const auto part = pair_in(shard, '/');
  if (!part || part->first < 1 || part->first > part->second) {
    throw usage_error("--shard: expected i/n with i from 1 to n, such as 1/4, found '{}'", shard);
  }
  std::vector<std::uint64_t> result;
  for (std::size_t i = part->first - 1; i < seeds.size(); i += part->second) {
    result.push_back(seeds[i]);
  }
  return result;
}

}  // namespace sim::cli
