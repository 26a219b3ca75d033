// SPDX-License-Identifier: Apache-2.0
// sim/sweep/row_store.cpp: see row_store.h.
#include "sim/sweep/row_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "golden/io/file.h"
#include "golden/io/replaced_file.h"
#include "sim/study/shallow_json.h"

namespace sim {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t longest_journal = std::uint64_t{4} << 30;

std::string message_of(int error) { return std::generic_category().message(error); }

bool is_journal(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with("rows-") && name.ends_with(".jsonl");
}

std::vector<fs::path> journals_in(const fs::path& folder) {
  std::vector<fs::path> journals;
  if (!fs::is_directory(folder)) return journals;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_journal(entry.path())) journals.push_back(entry.path());
  }
  std::ranges::sort(journals);
  return journals;
}

void insert(sweep_rows& rows, const sweep_row& row, const std::string& from) {
  const auto [known, is_new] = rows.emplace(row.key, row);
  if (is_new || known->second == row) return;
  throw row_error(
      "{}: the row {} has other values than another journal's; programs of different versions "
      "measured it: take a new folder",
      from, row.key);
}

void read_journal(const fs::path& file, sweep_rows& rows) {
  const std::string text = golden::io::read_text(file.string(), longest_journal);
  int number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return;
    try {
      insert(rows, row_in(std::string_view(text).substr(begin, end - begin)), file.string());
    } catch (const json_error& wrong) {
      throw row_error("{}:{}: {}; remove the line, and it is measured again", file.string(),
                      number + 1, wrong.what());
    }
    begin = end + 1;
  }
}

/// Cuts off what follows the last end of a line.
void cut_last_line(int descriptor, const fs::path& file) {
  const std::string text = golden::io::read_text(file.string(), longest_journal);
  const std::size_t end = text.rfind('\n');
  const std::size_t kept = end == std::string::npos ? 0 : end + 1;
  if (kept == text.size()) return;
  if (::ftruncate(descriptor, static_cast<off_t>(kept)) != 0) {
    throw row_error("{}: cannot be shortened: {}", file.string(), message_of(errno));
  }
}

}  // namespace

sweep_rows rows_in(const fs::path& folder) {
  sweep_rows rows;
  for (const fs::path& file : journals_in(folder)) read_journal(file, rows);
  return rows;
}

row_journal::row_journal(const fs::path& folder, const std::string& name)
    : path_((folder / ("rows-" + name + ".jsonl")).string()), descriptor_(-1) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw row_error("{}: cannot be made: {}", folder.string(), failure.message());
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw row_error("{}: cannot be opened: {}", path_, message_of(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw row_error(
        "{}: another process is measuring this part; let it end, or take another folder", path_);
  }
  cut_last_line(descriptor_, path_);
  golden::io::remove_abandoned_files(folder);
}

row_journal::~row_journal() { ::close(descriptor_); }

void row_journal::add(const sweep_row& row) {
  const std::string line = line_of(row) + "\n";
  const std::lock_guard lock(adding_);
  const ssize_t written = ::write(descriptor_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return;
  throw row_error("{}: cannot be written: {}", path_,
                  written < 0 ? message_of(errno) : "the disk is full");
}

void merge_rows(const fs::path& into, const std::vector<std::string>& others,
                const std::vector<std::string>& wanted) {
  sweep_rows all = rows_in(into);
  const sweep_rows before = all;
  for (const std::string& other : others) {
    if (journals_in(other).empty()) {
      throw row_error("{}: has no rows of a sweep (rows-*.jsonl)", other);
    }
    for (const auto& [key, row] : rows_in(other)) insert(all, row, other);
  }
  row_journal journal(into, "merged");
  for (const std::string& key : wanted) {
    const auto found = all.find(key);
    if (found != all.end() && !before.contains(key)) journal.add(found->second);
  }
}

}  // namespace sim
