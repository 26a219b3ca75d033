// SPDX-License-Identifier: Apache-2.0
// kernels/verify/verdict.h: the results of mx_verify, machine-readable.
#pragma once
#include <string>
#include <vector>

#include "case_log.h"

namespace mx::kernels {

/// A log's records, and the cases that were asked for.
///   missing  cases without a record: their group was given up
struct verdict {
  std::vector<case_record> records;
  std::vector<log_note> notes;
  std::vector<case_record> missing;

  [[nodiscard]] int count(outcome result) const;
  /// Cases that ran to their end.
  [[nodiscard]] int compared() const { return count(outcome::equal) + count(outcome::different); }
  /// Whether a case was refused although the device of the note `compute_capability` has its
  /// instructions. Without that note, as of a user's library, none was.
  [[nodiscard]] bool is_wrongly_refused(const case_record& r) const;
  /// Cases that broke down, were left out, are missing, or were wrongly refused.
  [[nodiscard]] int unfinished() const;
};

/// {"device", "compute_capability", "driver", "runtime", "cases", "different", "skipped",
/// "unfinished", "unmeasured", "figures": [...]}: those of json_members_of and json_of(figure), in
/// the notes `device` and `figure`.
[[nodiscard]] std::string json_of(const verdict& found);

/// A test suite a group, a test case a case.
[[nodiscard]] std::string junit_of(const verdict& found);

/// What a refused case means: the device lacks its instructions, or a user's library declined it.
enum class refused_by : std::uint8_t { device, library };

/// "4210 cases, 0 differ, 12 are of instructions that this device, or code for it, lacks", the
/// measures that are unmeasured, which are not unfinished, and the number of unfinished cases with
/// their names.
[[nodiscard]] std::string text_of(const verdict& found, refused_by by = refused_by::device);

}  // namespace mx::kernels
