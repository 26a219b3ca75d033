// SPDX-License-Identifier: Apache-2.0
// golden/io/replaced_file.cpp: replaces a file atomically, whole or not at all.
#include "golden/io/replaced_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "golden/io/host_name.h"
#include "golden/io/unfinished.h"

namespace golden::io {
namespace {

namespace fs = std::filesystem;

/// Where a chain of links leads, although nothing is there yet.
fs::path end_of_links(fs::path path) {
  std::error_code failure;
  for (int links = 0; links < 40 && fs::is_symlink(path, failure); ++links) {
    const fs::path next = fs::read_symlink(path, failure);
    if (failure) break;
    path = path.parent_path() / next;  // next alone if that is absolute
  }
  return path;
}

fs::path target_of(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return end_of_links(path);
  if (!fs::is_regular_file(path, ignored)) {
    throw file_error(path, "is not a regular file; expected the name of a file to write");
  }
  const fs::path real = fs::canonical(path, ignored);
  return real.empty() ? fs::path(path) : real;
}

/// Of the names of this machine's temporary files; process id and a count follow. Other machines
/// may write into the same folder, and their processes cannot be seen from here.
const std::string& name_begin() {
  static const std::string begin = ".mxprism-" + host_name() + "-";
  return begin;
}

/// The process on this machine that created a temporary file; nothing for other file names.
std::optional<pid_t> maker_of(std::string_view name) {
  if (!name.starts_with(name_begin())) return std::nullopt;
  const char* const end = name.data() + name.size();
  pid_t process = 0;
  int count = 0;
  const auto [dash, wrong] = std::from_chars(name.data() + name_begin().size(), end, process);
  if (wrong != std::errc() || process <= 0 || dash == end || *dash != '-') return std::nullopt;
  const auto [behind, bad_count] = std::from_chars(dash + 1, end, count);
  if (bad_count != std::errc() || behind != end) return std::nullopt;
  return process;
}

bool is_gone(pid_t process) {
  return process == ::getpid() || (::kill(process, 0) != 0 && errno == ESRCH);
}

/// Permissions of the file to replace; nothing if it does not exist.
std::optional<mode_t> mode_of(const fs::path& target) {
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0) return {};
  return status.st_mode & 0777;
}

}  // namespace

replaced_file::replaced_file(const std::string& target)
    : target_(target_of(target)), descriptor_(create()) {}

replaced_file::~replaced_file() {
  forget_unfinished_file(name_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!name_.empty()) ::unlink(name_.c_str());
}

void replaced_file::write(byte_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    // The kernel cannot copy bytes of a mapped file that was shortened.
    if (count < 0 && errno == EFAULT) fail("cannot write: one of its input files shrank", 0);
    if (count <= 0) fail("cannot write", count < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void replaced_file::take_the_place_of_target() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail("cannot write", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot write", errno);
  if (::rename(name_.c_str(), target_.c_str()) != 0) fail("cannot replace", errno);
  forget_unfinished_file(name_.c_str());
  name_.clear();
}

int replaced_file::create() {
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const std::optional<mode_t> kept = mode_of(target_);
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::string name =
        name_begin() + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    name_ = (folder / name).string();
    // Registered before it exists, so that no signal falls in between. An existing file of this
    // name belongs to this process, or to one that has ended.
    remember_unfinished_file(name_.c_str());
    const int number =
        ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kept.value_or(0666));
    if (number >= 0) {
      // Restores what the umask removed; on a file system without modes a failure loses nothing.
      if (kept) static_cast<void>(::fchmod(number, *kept));
      return number;
    }
    const int error = errno;
    forget_unfinished_file(name_.c_str());
    if (error != EEXIST) fail("cannot create a file in its folder", error);
  }
  fail("cannot create a file in its folder", EEXIST);
}

void replaced_file::fail(std::string_view what, int error) const {
  const std::string reason =
      error == 0 ? std::string() : ": " + std::generic_category().message(error);
  throw file_error(target_.string(), std::string(what) + reason);
}

void remove_abandoned_files(const fs::path& folder) noexcept {
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    const auto maker = maker_of(at->path().filename().native());
    std::error_code ignored;
    if (maker && is_gone(*maker)) fs::remove(at->path(), ignored);
  }
}

void write_whole(const std::string& path, std::span<const byte_view> pieces) {
  replaced_file file(path);
  for (const byte_view piece : pieces) file.write(piece);
  file.take_the_place_of_target();
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  const byte_view bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  write_whole(path.string(), {&bytes, 1});
}

}  // namespace golden::io
