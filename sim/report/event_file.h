// SPDX-License-Identifier: Apache-2.0
// sim/report/event_file.h: an event file of TensorBoard, which shows it while it grows.
// A file is a sequence of records: the length in 8 bytes, its checksum, an Event in the encoding of
// Protocol Buffers, its checksum. A checksum is CRC-32C, rotated right by 15 bits, plus 0xA282EAD8.
// Source: tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto, summary.proto.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace sim {

/// A number at a step, in a chart by its tag.
struct tagged_number {
  std::string tag;
  double value;  ///< stored as binary32
};

/// The checksum of some bytes.
[[nodiscard]] std::uint32_t masked_crc32c(std::string_view bytes);

/// The name of a run's event file, of which TensorBoard takes those with `tfevents` in them, in the
/// order of names; and whether a name is one.
[[nodiscard]] std::string event_name(std::size_t number);
[[nodiscard]] bool is_event_name(std::string_view name);

class event_file {
 public:
  /// Begins a file, which must not exist.
  ///   errors  golden::io::file_error, as of every member function
  explicit event_file(std::filesystem::path path);

  /// Makes TensorBoard drop what earlier files of the folder have from this step on.
  void begin_again_at(std::int64_t step);
  /// All numbers of one step. They are in the file when this returns.
  void add(std::int64_t step, std::span<const tagged_number> numbers);

 private:
  void write(const std::string& event);
  void expect_written() const;

  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace sim
