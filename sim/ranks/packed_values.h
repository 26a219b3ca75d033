// SPDX-License-Identifier: Apache-2.0
// sim/ranks/packed_values.h: values as bytes, for rank_group::gather. All ranks run one program, so
// the bytes are those of memory.
#pragma once
#include <cstring>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/ranks/rank_group.h"

namespace sim {

template <class T>
[[nodiscard]] std::string_view bytes_of(std::span<const T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// Requires whole values.
template <class T>
void append_values(std::string_view bytes, std::vector<T>& to) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t before = to.size();
  to.resize(before + bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(to.data() + before, bytes.data(), bytes.size());
}

/// The values of all ranks, one rank after the other.
template <class T>
[[nodiscard]] std::vector<T> gathered(const rank_group& ranks, std::vector<T> mine) {
  if (ranks.size() == 1) return mine;
  std::vector<T> all;
  for (const std::string& bytes : ranks.gather(bytes_of(std::span<const T>(mine)))) {
    append_values(bytes, all);
  }
  return all;
}

/// Lists of values, each behind its size.
class packed_values {
 public:
  template <std::ranges::contiguous_range Values>
  void put(const Values& values) {
    const std::span<const std::ranges::range_value_t<Values>> list(values);
    const std::size_t size = list.size_bytes();
    bytes_.append(bytes_of(std::span(&size, 1)));
    bytes_.append(bytes_of(list));
  }
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes the lists of packed_values in their order.
class unpacked_values {
 public:
  explicit unpacked_values(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool any_left() const noexcept { return !rest_.empty(); }
  /// Requires that one is left.
  template <class T>
  [[nodiscard]] std::vector<T> take() {
    std::size_t size = 0;
    std::memcpy(&size, rest_.data(), sizeof size);
    std::vector<T> values;
    append_values(rest_.substr(sizeof size, size), values);
    rest_.remove_prefix(sizeof size + size);
    return values;
  }

 private:
  std::string_view rest_;
};

}  // namespace sim
