// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/checkpoint_file.h: files of named arrays in memory, and the codes in them.
#pragma once
#include <string>
#include <vector>

#include "catch.h"
#include "golden/io/coded_view.h"

namespace test {

using golden::io::byte_view;
using golden::io::code_order;
using golden::io::coded_view;
using golden::io::convention;
using golden::io::dtype;
using golden::io::tensor;
using golden::io::tensor_file;
using golden::io::tensor_scale_use;
using shape = std::vector<std::uint64_t>;

/// As many bytes as a tensor may need, each different from its neighbours.
inline byte_view any_bytes(std::uint64_t count) {
  static const std::vector<std::uint8_t> bytes = [] {
    std::vector<std::uint8_t> all(1 << 16);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i * 37 % 251);
    return all;
  }();
  return byte_view(bytes).first(count);
}

inline tensor tensor_of(const std::string& name, dtype type, const shape& extents) {
  tensor t{name, type, extents, {}, "f"};
  t.bytes = any_bytes(golden::io::byte_count(t));
  return t;
}

inline tensor number_of(const std::string& name, const float& value, const shape& extents = {}) {
  return {name, dtype::f32, extents, {reinterpret_cast<const std::uint8_t*>(&value), 4}, "f"};
}

inline tensor_file file_of(std::vector<tensor> tensors, golden::io::metadata notes = {}) {
  return {"f", nullptr, {std::move(tensors), std::move(notes), {}}};
}

/// The bytes of all runs, end to end.
inline std::vector<std::uint8_t> all_of(const golden::io::byte_runs& runs) {
  std::vector<std::uint8_t> bytes(runs.size);
  runs.copy(0, runs.size, bytes.data());
  return bytes;
}

inline coded_view only_view(const tensor_file& file) {
  const std::vector<coded_view> views = golden::io::coded_views(file);
  REQUIRE(views.size() == 1);
  return views.front();
}

}  // namespace test
