// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/tensor_reader.cpp: properties of a reader of tensor files for any input.
#include "tensor_reader.h"

#include <algorithm>
#include <set>

#include "golden/io/own_convention.h"
#include "golden/io/utf8.h"
#include "golden/io/widen.h"
#include "require.h"

namespace fuzz {
namespace {

using golden::io::byte_view;
using golden::io::file_error;
using golden::io::tensor;
using golden::io::tensor_list;

void check_refusal(const file_error& error, std::uint64_t size) {
  const std::string message = error.what();
  require(error.byte().has_value(), "a refusal names a byte: " + message);
  require(*error.byte() <= size, "the byte of a refusal is one of the file: " + message);
  require(message.starts_with("f: byte " + std::to_string(*error.byte()) + ": "),
          "a refusal begins with file and byte: " + message);
  require(!golden::io::first_byte_that_is_not_utf8(message), "a refusal is text: " + message);
}

/// Sorted by address, each tensor ends before the next one begins.
void check_places(const tensor_list& list, byte_view file) {
  std::vector<byte_view> views;
  for (const tensor& t : list.tensors) {
    golden::io::expect_matching_bytes(t);
    require(t.source.byte && *t.source.byte < file.size(), "a tensor is described in the file");
    if (!t.bytes.empty()) views.push_back(t.bytes);
  }
  std::sort(views.begin(), views.end(),
            [](byte_view a, byte_view b) { return a.data() < b.data(); });
  const std::uint8_t* behind = file.data();
  for (const byte_view view : views) {
    require(view.data() >= behind, "tensors lie inside the file, apart from each other");
    behind = view.data() + view.size();
  }
  require(behind <= file.data() + file.size(), "tensors end inside the file");
}

void check_names(const tensor_list& list) {
  std::set<std::string_view> names;
  for (const tensor& t : list.tensors) {
    require(names.insert(t.name).second, "no name appears twice");
    require(!golden::io::first_byte_that_is_not_utf8(t.name), "names are text");
  }
}

void read_numbers(const tensor& t) {
  try {
    static_cast<void>(golden::io::to_float32(t, golden::io::narrowing::round_to_nearest_even));
  } catch (const file_error&) {
    // A type without FP32 values.
  }
}

void check_codes(const golden::io::tensor_file& file) {
  try {
    for (const golden::io::coded_view& view : golden::io::coded_views(file)) {
      for (const golden::io::byte_runs& runs : {view.codes, view.scales}) {
        std::vector<std::uint8_t> bytes(runs.size);
        runs.copy(0, runs.size, bytes.data());
      }
    }
    const golden::io::rewritten_file own = golden::io::in_own_convention(file);
    for (const tensor& t : own.file.tensors()) golden::io::expect_matching_bytes(t);
  } catch (const file_error& error) {
    require(std::string(error.what()).starts_with("f: "), "a refusal begins with the file");
  }
}

std::vector<std::uint8_t> written(const tensor_format& format, const tensor_list& list) {
  std::vector<golden::io::tensor_plan> plans;
  for (const tensor& t : list.tensors) plans.push_back({t.name, t.type, t.shape});
  golden::io::file_frame frame = format.frame(plans, list.metadata);
  std::vector<std::uint8_t> bytes = std::move(frame.prefix);
  for (std::size_t i = 0; i < list.tensors.size(); ++i) {
    bytes.insert(bytes.end(), list.tensors[i].bytes.begin(), list.tensors[i].bytes.end());
    bytes.resize(bytes.size() + frame.gaps[i]);
  }
  return bytes;
}

void check_same(const tensor_list& first, const tensor_list& second) {
  require(first.metadata == second.metadata, "notes are read as they were written");
  require(first.tensors.size() == second.tensors.size(), "as many tensors are read as written");
  for (std::size_t i = 0; i < first.tensors.size(); ++i) {
    const tensor &a = first.tensors[i], &b = second.tensors[i];
    require(a.name == b.name && a.type == b.type && a.shape == b.shape &&
                std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end()),
            "tensors are read as they were written: " + golden::io::printable(a.name));
  }
}

}  // namespace

void check_reader(const tensor_format& format, byte_view bytes) {
  tensor_list list;
  try {
    list = format.parse(bytes, "f");
  } catch (const file_error& error) {
    return check_refusal(error, bytes.size());
  }
  check_names(list);
  check_places(list, bytes);
  for (const tensor& t : list.tensors) read_numbers(t);
  check_codes({"f", nullptr, list});
  if (!list.foreign.empty()) return;
  const std::vector<std::uint8_t> again = written(format, list);
  check_same(list, format.parse(again, "f"));
}

}  // namespace fuzz
