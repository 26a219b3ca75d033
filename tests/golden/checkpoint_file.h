// SPDX-License-Identifier: Apache-2.0
// tests/golden/checkpoint_file.h: files of named arrays in memory, and the codes in them.
#pragma once
#include <string>
#include <vector>

#include "catch.h"
#include "golden/io/coded_view.h"

namespace test {

/// As many bytes as a tensor may need, each another one than its neighbours.
inline golden::io::byte_view any_bytes(std::uint64_t count) {
  static const std::vector<std::uint8_t> bytes = [] {
    std::vector<std::uint8_t> all(1 << 16);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i * 37 % 251);
    return all;
  }();
  return golden::io::byte_view(bytes).first(count);
}

inline golden::io::tensor tensor_of(const std::string& name, golden::io::dtype type,
                                    const std::vector<std::uint64_t>& extents) {
  golden::io::tensor t{name, type, extents, {}, "f"};
  t.bytes = any_bytes(golden::io::byte_count(t));
  return t;
}

inline golden::io::tensor number_of(const std::string& name, const float& value,
                                    const std::vector<std::uint64_t>& extents = {}) {
  return {name,
          golden::io::dtype::f32,
          extents,
          {reinterpret_cast<const std::uint8_t*>(&value), 4},
          "f"};
}

inline golden::io::tensor_file file_of(std::vector<golden::io::tensor> tensors,
                                       golden::io::metadata notes = {}) {
  return {"f", nullptr, {std::move(tensors), std::move(notes), {}}};
}

inline golden::io::coded_view only_view(const golden::io::tensor_file& file) {
  const std::vector<golden::io::coded_view> views = golden::io::coded_views(file);
  REQUIRE(views.size() == 1);
  return views.front();
}

}  // namespace test
