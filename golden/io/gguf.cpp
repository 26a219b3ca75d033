// SPDX-License-Identifier: Apache-2.0
// golden/io/gguf.cpp: GGUF, the files of llama.cpp: metadata, a list of tensors, then their data.
#include "golden/io/gguf.h"

#include <algorithm>
#include <unordered_set>

#include "golden/io/gguf_header.h"

namespace golden::io {
namespace {

constexpr std::uint64_t usual_alignment = 32;

[[noreturn]] void refuse_place(const gguf_entry& entry, const std::string& source,
                               const std::string& why) {
  throw file_error({source, entry.byte}, entry.name,
                   "its data begins at " + std::to_string(entry.offset) + why);
}

/// Reads the tensors in the order of their data.
class data_reader {
 public:
  data_reader(byte_view data, const gguf_header& header, const std::string& source)
      : data_(data), data_byte_(header.data), alignment_(header.alignment), source_(source) {}

  tensor understood(const gguf_entry& entry, dtype type) {
    expect_place(entry);
    tensor found{entry.name, type, entry.shape, {}, {source_, entry.byte}};
    const std::uint64_t size = byte_count(found);
    if (size > data_.size() - entry.offset) {
      refuse_place(entry, source_,
                   " and takes " + std::to_string(size) + " bytes, but the file has " +
                       std::to_string(data_.size()) + " bytes of data; it is truncated or damaged");
    }
    found.bytes = data_.subspan(entry.offset, size);
    end_ = entry.offset + size;
    end_is_known_ = true;
    return found;
  }

  /// The size of a foreign tensor is unknown: it extends to the next one.
  void pass(const gguf_entry& entry) {
    expect_place(entry);
    end_is_known_ = false;
  }

  void expect_end() const {
    if (!end_is_known_ || end_ == data_.size()) return;
    if (aligned(end_, alignment_) == data_.size()) return;
    throw file_error({source_, data_byte_ + end_},
                     "the tensors take " + std::to_string(end_) + " bytes, but the file has " +
                         std::to_string(data_.size()) + " bytes of data");
  }

 private:
  void expect_place(const gguf_entry& entry) const {
    if (entry.offset % alignment_ != 0) {
      refuse_place(entry, source_,
                   "; expected a multiple of the alignment, " + std::to_string(alignment_));
    }
    if (entry.offset > data_.size()) {
      refuse_place(entry, source_,
                   ", outside the data, which has " + std::to_string(data_.size()) +
                       " bytes; the file is truncated or damaged");
    }
    if (end_is_known_ && entry.offset != aligned(end_, alignment_)) {
      refuse_place(entry, source_,
                   "; expected " + std::to_string(aligned(end_, alignment_)) +
                       ", where the data before it ends (no gap, no overlap)");
    }
  }

  byte_view data_;
  std::uint64_t data_byte_, alignment_;
  const std::string& source_;
  std::uint64_t end_ = 0;  // of the previous tensor; unknown after a foreign one
  bool end_is_known_ = true;
};

void put(std::uint64_t value, std::size_t size, std::vector<std::uint8_t>& bytes) {
  for (std::size_t i = 0; i < size; ++i, value /= 256) {
    bytes.push_back(static_cast<std::uint8_t>(value % 256));
  }
}

void put(std::string_view text, std::vector<std::uint8_t>& bytes) {
  put(text.size(), 8, bytes);
  bytes.insert(bytes.end(), text.begin(), text.end());
}

std::uint32_t number_to_write(const tensor_plan& plan, const std::string& path) {
  if (const auto number = gguf_number_of(plan.type)) return *number;
  throw file_error(
      path, plan.name,
      "GGUF has no type for " + std::string(name_of(plan.type)) + "; write .safetensors instead");
}

void put_entry(const tensor_plan& plan, std::uint64_t offset, const std::string& path,
               std::vector<std::uint8_t>& bytes) {
  if (plan.shape.size() > 4) throw file_error(path, plan.name, "has more than the 4 axes of GGUF");
  put(plan.name, bytes);
  put(plan.shape.size(), 4, bytes);
  for (std::size_t i = plan.shape.size(); i-- > 0;) put(plan.shape[i], 8, bytes);
  put(number_to_write(plan, path), 4, bytes);
  put(offset, 8, bytes);
}

}  // namespace

tensor_list parse_gguf(byte_view file, const std::string& source) {
  gguf_header header = parse_gguf_header(file, source);
  // A file without tensors need not be padded up to its data offset.
  const byte_view data = file.subspan(std::min<std::uint64_t>(header.data, file.size()));
  std::stable_sort(header.entries.begin(), header.entries.end(),
                   [](const auto& a, const auto& b) { return a.offset < b.offset; });
  data_reader from(data, header, source);
  tensor_list list;
  for (const gguf_note& note : header.notes) list.metadata.emplace(note.key, text_of(note));
  for (const gguf_entry& entry : header.entries) {
    if (const auto type = dtype_of_gguf(entry.type)) {
      list.tensors.push_back(from.understood(entry, *type));
    } else {
      from.pass(entry);
      list.foreign.push_back({entry.name, gguf_type_name(entry.type)});
    }
  }
  from.expect_end();
  return list;
}

file_frame gguf_frame(std::span<const tensor_plan> plans, const metadata& notes,
                      const std::string& path) {
  file_frame frame;
  std::vector<std::uint8_t>& bytes = frame.prefix;
  for (const char c : std::string_view("GGUF")) bytes.push_back(static_cast<std::uint8_t>(c));
  put(3, 4, bytes);
  put(plans.size(), 8, bytes);
  put(notes.size() - notes.count(alignment_key), 8, bytes);
  for (const auto& [key, value] : notes) {
    if (key == alignment_key) continue;
    put(key, bytes);
    put(static_cast<std::uint32_t>(gguf_kind::string), 4, bytes);
    put(value, bytes);
  }
  std::unordered_set<std::string> names;
  std::uint64_t offset = 0;
  for (const tensor_plan& plan : plans) {
    if (!names.insert(plan.name).second)
      throw file_error(path, plan.name, "the name is given twice");
    put_entry(plan, offset, path, bytes);
    const std::uint64_t size = byte_count(plan, path);
    frame.gaps.push_back(aligned(size, usual_alignment) - size);
    offset += size + frame.gaps.back();
  }
  bytes.resize(aligned(bytes.size(), usual_alignment));
  return frame;
}

}  // namespace golden::io
