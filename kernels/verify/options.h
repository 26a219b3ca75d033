// SPDX-License-Identifier: Apache-2.0
// kernels/verify/options.h: command-line arguments of mx_verify.
#pragma once
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace mx::kernels {

enum class times : std::uint8_t { measured, left_out };
enum class sizes : std::uint8_t { all, small };
enum class help : std::uint8_t { not_wanted, wanted };

///   only    cases and measures whose name contains it
///   golden  folder of golden's committed results
///   repro   folder for cases that differ
///   json    a file for results and times; empty: none
struct options {
  std::string only;
  std::filesystem::path golden = "golden/vectors", repro = "mx_verify.repro", json;
  sizes size = sizes::all;
  times speed = times::measured;
  help usage = help::not_wanted;
};

/// An argument that is not an option, or lacks its value; the message names it.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] options options_of(const std::vector<std::string>& words);

[[nodiscard]] const char* usage_text();

}  // namespace mx::kernels
