// SPDX-License-Identifier: Apache-2.0
// sim/report/event_file.cpp: see event_file.h.
#include "sim/report/event_file.h"

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <protozero/pbf_writer.hpp>

#include "golden/io/file.h"

namespace sim {
namespace {

constexpr std::string_view event_name_begin = "events.out.tfevents.", event_name_end = ".mxprism";

/// Numbers of the fields.
namespace event_field {
constexpr protozero::pbf_tag_type wall_time = 1, step = 2, file_version = 3, summary = 5,
                                  session_log = 7;
}  // namespace event_field
namespace summary_field {
constexpr protozero::pbf_tag_type value = 1, tag = 1, simple_value = 2;
}  // namespace summary_field
namespace session_field {
constexpr protozero::pbf_tag_type status = 1;
constexpr int start = 1;  // a value of status
}  // namespace session_field

/// An event of now, to which its content is added.
protozero::pbf_writer begun_event(std::string& bytes, std::int64_t step) {
  const std::chrono::duration<double> since_1970 =
      std::chrono::system_clock::now().time_since_epoch();
  protozero::pbf_writer event(bytes);
  event.add_double(event_field::wall_time, since_1970.count());
  event.add_int64(event_field::step, step);
  return event;
}

template <class Integer>
std::string little_endian(Integer value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    bytes += static_cast<char>(static_cast<unsigned char>(value >> 8 * i));
  }
  return bytes;
}

std::string checked(const std::string& bytes) {
  return bytes + little_endian(masked_crc32c(bytes));
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  const std::uint32_t sum = crc.checksum();
  return (sum >> 15 | sum << 17) + 0xA282EAD8U;
}

std::string event_name(std::size_t number) {
  return fmt::format("{}{:06}{}", event_name_begin, number, event_name_end);
}

bool is_event_name(std::string_view name) {
  return name.starts_with(event_name_begin) && name.ends_with(event_name_end);
}

event_file::event_file(std::filesystem::path path) : path_(std::move(path)) {
  if (std::filesystem::exists(path_)) {
    throw golden::io::file_error(path_.string(), "exists already");
  }
  out_.open(path_, std::ios::binary);
  expect_written();
  std::string bytes;
  begun_event(bytes, 0).add_string(event_field::file_version, "brain.Event:2");
  write(bytes);
}

void event_file::begin_again_at(std::int64_t step) {
  std::string bytes;
  protozero::pbf_writer event = begun_event(bytes, step);
  protozero::pbf_writer log(event, event_field::session_log);
  log.add_enum(session_field::status, session_field::start);
  log.commit();
  write(bytes);
}

void event_file::add(std::int64_t step, std::span<const tagged_number> numbers) {
  std::string bytes;
  protozero::pbf_writer event = begun_event(bytes, step);
  protozero::pbf_writer summary(event, event_field::summary);
  for (const tagged_number& n : numbers) {
    protozero::pbf_writer value(summary, summary_field::value);
    value.add_string(summary_field::tag, n.tag);
    value.add_float(summary_field::simple_value, static_cast<float>(n.value));
  }
  summary.commit();
  write(bytes);
}

void event_file::write(const std::string& event) {
  out_ << checked(little_endian(std::uint64_t{event.size()})) << checked(event) << std::flush;
  expect_written();
}

void event_file::expect_written() const {
  if (out_) return;
  throw golden::io::file_error(path_.string(),
                               std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace sim
