// SPDX-License-Identifier: Apache-2.0
// sim/study/system_failure.cpp: see system_failure.h.
#include "sim/study/system_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

namespace sim {
namespace {

/// What the writing of a file fails with where the disk, a quota or the limit on files is
/// exhausted; some file systems report a full disk, found later, as an error of input or output.
bool may_be_full_disk(const std::error_code& code) {
  return std::ranges::any_of(std::array{ENOSPC, EDQUOT, EFBIG, EIO}, [&](int number) {
    return code == std::error_condition(number, std::generic_category());
  });
}

/// TBB reports a thread that it cannot make by the name of the call alone.
bool is_of_threads(std::string_view words) { return words.starts_with("pthread_"); }

}  // namespace

std::string system_failure(const std::exception& ended) {
  if (const auto* call = dynamic_cast<const std::system_error*>(&ended)) {
    return fmt::format("{}{}", call->what(),
                       may_be_full_disk(call->code()) ? "; is the disk full?" : "");
  }
  if (is_of_threads(ended.what())) return fmt::format("a thread cannot be made: {}", more_threads);
  return "";
}

}  // namespace sim
