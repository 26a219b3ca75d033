// SPDX-License-Identifier: Apache-2.0
// kernels/verify/options.h: command-line arguments of mx_verify.
#pragma once
#include <cstdint>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace mx::kernels {

enum class times : std::uint8_t { measured, left_out };
enum class sizes : std::uint8_t { all, small };
enum class help : std::uint8_t { not_wanted, wanted };
enum class listing : std::uint8_t { not_wanted, wanted };

/// Whether the results of a log are kept, and only cases without a final one run.
enum class earlier_results : std::uint8_t { dropped, kept };

///   only    cases and measures whose name contains it
///   groups  that are run, each by a process; empty: all
///   inside  a group that this process itself runs; empty: it starts one for each group
///   golden  folder of golden's committed results
///   repro   folder for cases that differ
///   most_repros  how many of them are stored there
///   log     a file that grows by a line at the beginning and the end of each case
///   library  a user's library, whose kernels run in place of ours; empty: none
///   mxprism  the command that explains what differs; empty: none
///   json    a file for results and times; empty: none
///   junit   a file for results; empty: none
struct options {
  std::string only, inside;
  std::vector<std::string> groups;
  std::filesystem::path golden = "golden/vectors", repro = "mx_verify.repro", log = "mx_verify.log",
                        library, mxprism, json, junit;
  double case_seconds = 120;
  int most_repros = std::numeric_limits<int>::max();
  sizes size = sizes::all;
  times speed = times::measured;
  help usage = help::not_wanted;
  earlier_results earlier = earlier_results::dropped;
  listing list = listing::not_wanted;
};

/// An argument that is not an option, or lacks its value; the message names it.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] options options_of(const std::vector<std::string>& words);

[[nodiscard]] const char* usage_text();

}  // namespace mx::kernels
