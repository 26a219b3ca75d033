// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_log.h: results of cases in a file that grows line by line, so that a process
// that dies loses at most the case it was in.
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "value_names.h"

namespace mx::kernels {

///   refused   the device, or this program's code for it, lacks the instructions
///   failed    a CUDA call or a launch returned an error
///   crashed   the process ended within the case
///   left_out  its kernel had failed twice in this group, or run into the time limit three times
///   unmeasured  a measure that lacked its yardstick, or something that it needs
enum class outcome : std::uint8_t {
  equal,
  different,
  refused,
  failed,
  timed_out,
  crashed,
  left_out,
  unmeasured
};

inline constexpr named_value<outcome> outcome_names[] = {
    {outcome::equal, "equal"},         {outcome::different, "different"},
    {outcome::refused, "refused"},     {outcome::failed, "failed"},
    {outcome::timed_out, "timed out"}, {outcome::crashed, "crashed"},
    {outcome::left_out, "left out"},   {outcome::unmeasured, "unmeasured"}};

/// Whether a case broke the process that it ran in, or CUDA's state there.
[[nodiscard]] constexpr bool is_breakdown(outcome o) noexcept {
  return o == outcome::failed || o == outcome::timed_out || o == outcome::crashed;
}

/// Whether a case came to a result, which the same program would only repeat. A difference is one:
/// it must not be lost where it is rare.
[[nodiscard]] constexpr bool is_final(outcome o) noexcept {
  return o == outcome::equal || o == outcome::different || o == outcome::refused;
}

///   detail  the first difference, or the error
///   kernel  whose breakdowns count together (case_kernels.h)
struct case_record {
  std::string group, name;
  outcome result = outcome::equal;
  double seconds = 0;
  std::string detail = {}, kernel = {};
};

/// A line that is not about a case: the device, a figure.
struct log_note {
  std::string kind, text;
};

/// What a case is that began and did not end.
///   crashed    its process has ended: it gets a record
///   cut_off    its whole run was ended, which says nothing of the case: it is forgotten
enum class unended_case : std::uint8_t { crashed, cut_off };

/// Lines of fields separated by tabs: `begin GROUP NAME KERNEL`, `end GROUP NAME OUTCOME SECONDS
/// DETAIL`, `cut GROUP NAME` of a case to forget, `again GROUP NAME` of a result to forget, and
/// `note KIND TEXT`; a backslash, a tab and a line's end within a field are escaped.
class case_log {
 public:
  /// Opens a file, and reads what it has.
  ///   errors  std::runtime_error: it cannot be written, or line N is none of these
  explicit case_log(std::filesystem::path path, unended_case last = unended_case::crashed);

  [[nodiscard]] const std::vector<case_record>& records() const { return records_; }
  [[nodiscard]] const std::vector<log_note>& notes() const { return notes_; }
  [[nodiscard]] bool has(std::string_view group, std::string_view name) const;
  /// Whether a case has a record, and its outcome is not final.
  [[nodiscard]] bool lacks_result(std::string_view group, std::string_view name) const;
  /// Breakdowns in a group of cases of a kernel.
  [[nodiscard]] int breakdowns(std::string_view group, std::string_view kernel) const;
  /// Cases of a kernel in any group that ran into the time limit.
  [[nodiscard]] int timeouts(std::string_view kernel) const;

  // Written before they return. `end` may be called by another thread than `begin`.
  void begin(const std::string& group, const std::string& name, const std::string& kernel);
  void end(outcome result, double seconds, const std::string& detail);
  /// A record of a case that did not run.
  void leave_out(const std::string& group, const std::string& name, const std::string& kernel,
                 const std::string& why);
  /// Forgets the result of a case, so that it runs again.
  void forget(const std::string& group, const std::string& name);
  void note(const std::string& kind, const std::string& text);

 private:
  void read();
  void take(const std::vector<std::string>& fields, std::size_t line);
  void erase(const std::string& group, const std::string& name);
  void append(const std::vector<std::string>& fields);

  std::filesystem::path path_;
  std::ofstream out_;
  std::mutex writing_;
  std::optional<case_record> current_;
  std::vector<case_record> records_;
  std::vector<log_note> notes_;
};

}  // namespace mx::kernels
