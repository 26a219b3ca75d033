// SPDX-License-Identifier: Apache-2.0
// golden/io/safetensors.cpp: safetensors: a JSON header with every offset, then the data.
#include "golden/io/safetensors.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "golden/io/safetensors_header.h"

namespace golden::io {
namespace {

constexpr std::uint64_t length_bytes = 8;  // length of the header, little-endian
constexpr std::uint64_t longest_header = 100'000'000;

std::uint64_t header_length(byte_view file, const std::string& source) {
  if (file.size() < length_bytes) {
    throw file_error(
        {source, file.size()},
        "has " + std::to_string(file.size()) +
            " bytes; a safetensors file begins with 8 bytes that hold its header's length");
  }
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length * 256 + file[i];
  if (length > longest_header) {
    throw file_error(
        {source, 0},
        "the header claims " + std::to_string(length) +
            " bytes; expected at most 100000000: the file is damaged or not a safetensors file");
  }
  if (length > file.size() - length_bytes) {
    throw file_error({source, 0}, "is truncated: the header claims " + std::to_string(length) +
                                      " bytes, the file has " +
                                      std::to_string(file.size() - length_bytes) +
                                      " after its length");
  }
  return length;
}

void expect_inside(const header_entry& entry, std::uint64_t size, const std::string& source) {
  const std::string offsets = "data_offsets " + shape_text({entry.begin, entry.end});
  if (entry.begin > entry.end)
    throw file_error({source, entry.byte}, entry.name, offsets + ": the begin is after the end");
  if (entry.end > size) {
    throw file_error({source, entry.byte}, entry.name,
                     offsets + ": outside the data, which has " + std::to_string(size) +
                         " bytes; the file is truncated or damaged");
  }
}

// Requires entries sorted by offset: each must begin where the previous one ends.
//   data_byte  offset of the data in the file
void expect_no_gap_or_overlap(const std::vector<header_entry>& entries, std::uint64_t size,
                              std::uint64_t data_byte, const std::string& source) {
  std::uint64_t used = 0;
  for (const header_entry& entry : entries) {
    if (entry.begin != used) {
      throw file_error({source, entry.byte}, entry.name,
                       "its data begins at " + std::to_string(entry.begin) + "; expected " +
                           std::to_string(used) +
                           ", where the data before it ends (no gap, no overlap)");
    }
    used = entry.end;
  }
  if (used != size) {
    throw file_error({source, data_byte + used}, "the tensors take " + std::to_string(used) +
                                                     " bytes, but the file has " +
                                                     std::to_string(size) + " bytes of data");
  }
}

std::vector<header_entry> entries_to_write(std::span<const tensor_plan> plans,
                                           const std::string& path) {
  std::unordered_set<std::string> names;
  std::vector<header_entry> entries;
  std::uint64_t offset = 0;
  for (const tensor_plan& plan : plans) {
    if (plan.name == "__metadata__" || !names.insert(plan.name).second) {
      throw file_error(path, plan.name, "the name is reserved or given twice");
    }
    if (!dtype_named(name_of(plan.type))) {
      throw file_error(path, plan.name,
                       "safetensors has no type for blocks of " + std::string(name_of(plan.type)) +
                           "; write .gguf, or codes and scales");
    }
    const std::uint64_t size = byte_count(plan, path);
    entries.push_back({plan.name, plan.type, plan.shape, offset, offset + size});
    offset += size;
  }
  return entries;
}

std::vector<std::uint8_t> prefix_bytes(std::string header) {
  // Spaces after the JSON align the data to 8 bytes.
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t i = 0, length = header.size(); i < length_bytes; ++i, length /= 256) {
    bytes.push_back(static_cast<std::uint8_t>(length % 256));
  }
  bytes.insert(bytes.end(), header.begin(), header.end());
  return bytes;
}

}  // namespace

tensor_list parse_safetensors(byte_view file, const std::string& source) {
  const std::uint64_t length = header_length(file, source);
  const byte_view text = file.subspan(length_bytes, length);
  const byte_view data = file.subspan(length_bytes + length);
  safetensors_header header = parse_header(
      {reinterpret_cast<const char*>(text.data()), text.size()}, {source, length_bytes});
  std::stable_sort(header.entries.begin(), header.entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  tensor_list list;
  list.metadata = std::move(header.metadata);
  for (const header_entry& entry : header.entries) {
    expect_inside(entry, data.size(), source);
    const byte_view bytes = data.subspan(entry.begin, entry.end - entry.begin);
    list.tensors.push_back({entry.name, entry.type, entry.shape, bytes, {source, entry.byte}});
    expect_matching_bytes(list.tensors.back());
  }
  expect_no_gap_or_overlap(header.entries, data.size(), length_bytes + length, source);
  return list;
}

file_frame safetensors_frame(std::span<const tensor_plan> plans, const metadata& notes,
                             const std::string& path) {
  return {prefix_bytes(header_text({entries_to_write(plans, path), notes}, path)),
          std::vector<std::uint64_t>(plans.size())};
}

}  // namespace golden::io
