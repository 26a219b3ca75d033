// SPDX-License-Identifier: Apache-2.0
// sim/sweep/row_store.h: the measured rows of a folder: journals, rows-*.jsonl, to which a line is
// added when a point is done. An interrupted sweep keeps every complete line.
#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "sim/study/input_error.h"
#include "sim/sweep/sweep_row.h"

namespace sim {

/// Journals that cannot be continued or merged; the message says what to do.
struct row_error : input_error {
  using input_error::input_error;
};

/// Rows by key.
using sweep_rows = std::map<std::string, sweep_row>;

/// The rows of all journals of a folder, none where it does not exist. A last line without an end
/// is one whose process was stopped.
///   errors  row_error for other lines that are no rows, and for two rows of one key that differ
[[nodiscard]] sweep_rows rows_in(const std::filesystem::path& folder);

/// A journal, held by one process.
class row_journal {
 public:
  /// Opens DIR/rows-NAME.jsonl, or makes it, with the folder; removes an incomplete last line.
  ///   errors  row_error: another process holds it, or it cannot be made
  row_journal(const std::filesystem::path& folder, const std::string& name);
  ~row_journal();
  row_journal(const row_journal&) = delete;
  row_journal& operator=(const row_journal&) = delete;

  /// Adds a row; callable from any thread.
  ///   errors  row_error: the disk is full
  void add(const sweep_row& row);

 private:
  std::string path_;
  int descriptor_;
  std::mutex adding_;
};

/// Takes the rows of other folders into a journal of the first.
///   wanted  keys of the sweep
///   errors  row_error: a folder without journals, or rows of one key that differ
void merge_rows(const std::filesystem::path& into, const std::vector<std::string>& others,
                const std::vector<std::string>& wanted);

}  // namespace sim
