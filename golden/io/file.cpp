// SPDX-License-Identifier: Apache-2.0
// golden/io/file.cpp: whole files: mapped for reading, replaced in one step when written.
#include "golden/io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace golden::io {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

// A file descriptor that closes itself.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int close() { return ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

// A file under a name of its own in the folder of the target; gone again unless it took the
// target's place.
class temporary_file {
 public:
  explicit temporary_file(const fs::path& target) : target_(target), file_(create()) {}
  ~temporary_file() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  void write(byte_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_.number(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail("cannot write", count < 0 ? errno : ENOSPC);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

  void take_the_place_of_target() {
    if (::fsync(file_.number()) != 0 && errno != EINVAL) fail("cannot write", errno);
    if (file_.close() != 0) fail("cannot write", errno);
    if (::rename(name_.c_str(), target_.c_str()) != 0) fail("cannot replace", errno);
    name_.clear();
  }

 private:
  int create() {
    const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
    for (int attempt = 0; attempt < 1000; ++attempt) {
      const std::string name =
          ".mxprism-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
      name_ = (folder / name).string();
      const int number = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (number >= 0) return number;
      const int error = std::exchange(errno, 0);
      const std::string path = std::exchange(name_, {});
      if (error != EEXIST) fail("cannot create a file in its folder", error);
    }
    fail("cannot create a file in its folder", EEXIST);
  }

  [[noreturn]] void fail(std::string_view what, int error) const {
    throw file_error(target_.string(), std::string(what) + ": " + reason(error));
  }

  fs::path target_;
  std::string name_;
  descriptor file_;
};

// Where the bytes go: through links, so that a link stays one. A device or a folder is never
// replaced by a file.
fs::path target_of(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return path;
  if (!fs::is_regular_file(path, ignored)) {
    throw file_error(path, "is not a regular file; expected the name of a file to write");
  }
  const fs::path real = fs::canonical(path, ignored);
  return real.empty() ? fs::path(path) : real;
}

}  // namespace

file_error::file_error(std::string_view path, std::string_view what)
    : std::runtime_error(std::string(path) + ": " + std::string(what)) {}

file_error::file_error(std::string_view path, std::string_view tensor_name, std::string_view what)
    : std::runtime_error(std::string(path) + ": tensor " + printable(tensor_name) + ": " +
                         std::string(what)) {}

std::string printable(std::string_view name) {
  constexpr std::size_t longest = 80;
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "'";
  for (const char c : name.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      text += c;
    } else {
      text += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    }
  }
  return text + (name.size() > longest ? "...'" : "'");
}

mapped_file::mapped_file(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) throw file_error(path, "cannot open: " + reason(errno));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw file_error(path, "cannot read: " + reason(errno));
  if (S_ISDIR(status.st_mode)) throw file_error(path, "is a folder; expected a file");
  if (!S_ISREG(status.st_mode)) throw file_error(path, "is not a regular file");
  if (status.st_size == 0) throw file_error(path, "is empty");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (start == MAP_FAILED) throw file_error(path, "cannot read: " + reason(errno));
  bytes_ = {static_cast<const std::uint8_t*>(start), size};
}

mapped_file::~mapped_file() {
  if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

mapped_file::mapped_file(mapped_file&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

mapped_file& mapped_file::operator=(mapped_file&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

void write_whole(const std::string& path, std::span<const byte_view> pieces) {
  temporary_file file(target_of(path));
  for (const byte_view piece : pieces) file.write(piece);
  file.take_the_place_of_target();
}

}  // namespace golden::io
