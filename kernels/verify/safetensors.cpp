// SPDX-License-Identifier: Apache-2.0
// kernels/verify/safetensors.cpp: a header of JSON, followed by the bytes of the tensors.
#include "safetensors.h"

#include "whole_file.h"

namespace mx::kernels {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ",") + std::to_string(size);
  return "[" + text + "]";
}

std::string notes_text(const stored_notes& notes) {
  std::string text;
  for (const auto& [key, value] : notes) {
    text += (text.empty() ? "\"" : ",\"") + key + "\":\"" + value + "\"";
  }
  return "\"__metadata__\":{" + text + "}";
}

/// The header without its length field: a multiple of 8 bytes.
std::string header_of(const std::vector<stored_tensor>& tensors, const stored_notes& notes) {
  std::string json = "{" + notes_text(notes);
  std::size_t at = 0;
  for (const stored_tensor& t : tensors) {
    json += ",\"" + t.name + "\":{\"dtype\":\"" + t.type + "\",\"shape\":" + shape_text(t.shape) +
            ",\"data_offsets\":[" + std::to_string(at) + "," + std::to_string(at + t.bytes.size()) +
            "]}";
    at += t.bytes.size();
  }
  json += "}";
  json.resize((json.size() + 7) / 8 * 8, ' ');
  return json;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const std::vector<stored_tensor>& tensors,
                       const stored_notes& notes) {
  const std::string header = header_of(tensors, notes);
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> (8 * i));
  std::vector<std::uint8_t> bytes;
  for (const stored_tensor& t : tensors) bytes.insert(bytes.end(), t.bytes.begin(), t.bytes.end());
  write_file(path, length + header, bytes);
}

}  // namespace mx::kernels
